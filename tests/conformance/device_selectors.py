"""What selectors of devices come to, for recorded devices."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from trainlint.cel.expression import Variables, expression
from trainlint.cel.quantities import quantity
from trainlint.cel.versions import semver

RECORDINGS: Final = Path(__file__).parent / "data" / "dra" / "selectors.jsonl.gz"
VARIABLES: Final[Variables] = (
    ("device.driver", "string"),
    ("device.attributes", "map<string, map<string, dyn>>"),
    ("device.capacity", "map<string, map<string, kubernetes.Quantity>>"),
    ("device.allowMultipleAllocations", "bool"),
)
_DOMAIN: Final = re.compile(r"""(?:attributes|capacity)\[\??["']([^"']*)["']""")


def records() -> Iterator[dict[str, Any]]:
    """Each with ``selectors`` and ``devices``: driver, device, and what was recorded for it."""
    with gzip.open(RECORDINGS, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def judged(selectors: list[str], driver: str, device: dict[str, Any]) -> str:
    """``true``, ``false`` or ``error``; ``unknown`` where an expression cannot be evaluated here."""
    for text in selectors:
        try:
            values = bound(text, driver, device)
        except ValueError:
            return "error"
        found = expression(text, VARIABLES).evaluate(values)
        if found.unknown:
            return "unknown"
        if not isinstance(found.value, bool):
            return "error"
        if not found.value:
            return "false"
    return "true"


def bound(text: str, driver: str, device: dict[str, Any]) -> dict[str, Any]:
    """The variables; a domain that an expression asks for is there, and empty (devices.md 10)."""
    asked = _DOMAIN.findall(text)
    attributes: dict[str, dict[str, Any]] = {each: {} for each in asked}
    capacity: dict[str, dict[str, Any]] = {each: {} for each in asked}
    for key, written in device.get("attributes", {}).items():
        domain, name = place(key, driver)
        ((kind, value),) = written.items()  # raises ValueError where there is none
        attributes.setdefault(domain, {})[name] = semver(value) if kind == "version" else value
    for key, written in device.get("capacity", {}).items():
        domain, name = place(key, driver)
        capacity.setdefault(domain, {})[name] = quantity(str(written["value"]))
    return {
        "device.driver": driver,
        "device.attributes": attributes,
        "device.capacity": capacity,
        "device.allowMultipleAllocations": bool(device.get("allowMultipleAllocations")),
    }


def place(key: str, driver: str) -> tuple[str, str]:
    """The domain and the name of a key."""
    domain, slash, name = key.rpartition("/")
    return (domain if slash else driver), name
