"""Whether any alert in Git can tell a group that is Running from one that makes progress."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from trainlint.kube.values import read_text
from trainlint.source.document import Field

__all__ = ["expressions", "tells_progress"]

_PROGRESS: Final = re.compile(
    r"""DCGM_FI_(?:DEV_(?:GPU_UTIL|MEM_COPY_UTIL|POWER_USAGE|SM_CLOCK)|PROF_) | nvlink | gr_engine_active | sm_active
      | tensor_active | (?:gpu|accelerator|neuroncore|tensorcore|hpu|npu)[a-z_]*(?:util|duty|power|activ|busy|idle)
      | (?:duty_cycle|util\w*)_?(?:gpu|accelerator) | train\w*(?:step|epoch|iter|loss|sample|token|progress)
      | steps?_(?:total|per_) | tokens_per | samples_per | throughput | progress | heartbeat | straggler | stalled""",
    re.VERBOSE | re.IGNORECASE,
)


def expressions(rules: Field) -> Iterator[str]:
    """The expressions of all rules of a PrometheusRule, alerts and records."""
    for group in rules.down("spec", "groups").elements():
        for rule in group["rules"].elements():
            if text := read_text(rule["expr"]):
                yield text


def tells_progress(texts: Iterable[str]) -> bool:
    """Whether an expression looks at what only work changes: utilisation, power, traffic of GPUs, or steps."""
    return any(_PROGRESS.search(text) for text in texts)
