"""What selectors of devices come to, for recorded devices."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from trainlint.kube.devices import read_device
from trainlint.scheduling.devices.outcome import AllocationFault, Open
from trainlint.scheduling.devices.selection import accepts
from trainlint.source.document import Document

RECORDINGS: Final = Path(__file__).parent / "data" / "dra" / "selectors.jsonl.gz"


def records() -> Iterator[dict[str, Any]]:
    """Each with ``selectors`` and ``devices``: driver, device, and what was recorded for it."""
    with gzip.open(RECORDINGS, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def judged(selectors: list[str], driver: str, device: dict[str, Any]) -> str:
    """``true``, ``false`` or ``error``; ``unknown`` where an expression cannot be evaluated here."""
    found = accepts(selectors, driver, read_device(Document("device", 0, 1, "", device).root))
    if isinstance(found, Open):
        return "unknown"
    return "error" if isinstance(found, AllocationFault) else str(found).lower()
