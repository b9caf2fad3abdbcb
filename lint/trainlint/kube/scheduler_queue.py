"""Queues of Volcano (scheduling.volcano.sh) and KAI (scheduling.run.ai)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.finding import Location
from trainlint.kube.ground import FieldGround
from trainlint.kube.meta import read_meta
from trainlint.kube.values import known_text, read_text
from trainlint.model.api_kind import ANY_GROUP, declared, names
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.operator import Operator
from trainlint.model.quantity import QuantityError, milli
from trainlint.model.scheduler_queue import KAI_QUEUES, VOLCANO_QUEUES, SchedulerQueue
from trainlint.source.document import Field

__all__ = ["KAI", "KINDS", "QUEUE_KINDS", "read_queue"]

KAI: Final = Operator(
    "KAI Scheduler",
    webhooks=("admission.*.svc",),
    configurations=("mutating-kai-admission", "validating-kai-admission"),
    services=("admission",),
    namespace="kai-scheduler",
)
_VOLCANO: Final = "scheduling.volcano.sh"
_KAI: Final = "scheduling.run.ai"
KINDS: Final = (
    *declared(_VOLCANO, cluster="Queue"),
    *declared(_KAI, cluster="Queue"),
    *declared(ANY_GROUP, namespaced="Queue"),  # message brokers and others have a kind of that name too
)
QUEUE_KINDS: Final = names(KINDS)

_GPU: Final = "nvidia.com/gpu"
_MEGABYTE: Final = 1_000_000
_ENDLESS: Final = frozenset({"cpu", "memory"})
_NOT_COUNTED: Final = frozenset({"pods", "ephemeral-storage"})


def read_queue(item: Field) -> SchedulerQueue | None:
    """The Queue at the cursor; ``None`` where another API has a kind of that name."""
    group = read_meta(item).api_group
    if group == _VOLCANO:
        return _volcano(item)
    return _kai(item) if group == _KAI else None


def _volcano(item: Field) -> SchedulerQueue:
    """A capability of 0 or less of cpu or memory is no limit
    (volcano-sh/volcano:pkg/scheduler/plugins/capacity/capacity.go).
    """
    spec = item["spec"]
    limits: dict[str, Known[int]] = {}
    places: dict[str, Location] = {}
    for name, written in spec["capability"].items():
        amount = _amount(name, written)
        if name not in _NOT_COUNTED and not (name in _ENDLESS and isinstance(amount, int) and amount <= 0):
            limits[name], places[name] = amount, written.at
    kept = dict(spec.down("guarantee", "resource").items())
    guarantees = {name: _amount(name, written) for name, written in kept.items()}
    places |= {f"guarantee {name}": written.at for name, written in kept.items()}
    states = (read_text(spec["state"]), read_text(item.down("status", "state")))
    return SchedulerQueue(
        VOLCANO_QUEUES,
        read_meta(item).name,
        parent=known_text(spec["parent"]) if spec["parent"].present else "",
        closed=next((state for state in states if state in {"Closed", "Closing", "Unknown"}), ""),
        limits=limits,
        guarantees=guarantees,
        places=places,
        at=item.at,
    )


def _kai(item: Field) -> SchedulerQueue:
    """GPUs, thousandths of cpu, megabytes; -1 is no limit, and what is not written is 0
    (NVIDIA/KAI-Scheduler:pkg/apis/scheduling/v2/resources.go, docs/queues/README.md). A queue without any resources is
    refused, so that nothing is told of its limits.
    """
    spec = item["spec"]
    places: dict[str, Location] = {}
    limits = dict[str, Known[int]]()
    quotas = dict[str, Known[int]]()
    unwritten: set[str] = set()
    for key, name, unit in (("gpu", _GPU, 1), ("cpu", "cpu", 1), ("memory", "memory", _MEGABYTE)):
        written = spec.down("resources", key)
        for part, found in (("limit", limits), ("quota", quotas)):
            amount = _number(written[part], unit)
            if amount is not None and spec["resources"].present:
                found[name] = amount
                places[f"{part} {name}"] = written[part].at
                unwritten |= set() if written[part].present else {f"{part} {name}"}
    return SchedulerQueue(
        KAI_QUEUES,
        read_meta(item).name,
        parent=known_text(spec["parentQueue"]) if spec["parentQueue"].present else "",
        limits=limits,
        quotas=quotas,
        places=_both(places),
        unwritten=frozenset(unwritten),
        at=item.at,
    )


def _both(places: Mapping[str, Location]) -> Mapping[str, Location]:
    """The places of limits by resource alone too."""
    return {**places, **{key.removeprefix("limit "): at for key, at in places.items() if key.startswith("limit ")}}


def _amount(resource: str, written: Field) -> Known[int]:
    text = known_text(written)
    if isinstance(text, Undetermined):
        return text
    try:
        thousandths = milli(text)
    except QuantityError:
        return Undetermined(Because(FieldGround.NO_QUANTITY, (repr(text),)))
    return thousandths if resource == "cpu" else thousandths // 1000


def _number(written: Field, unit: int) -> Known[int] | None:
    """A number in units, 0 where it is not written; ``None`` for -1."""
    value = written.value
    if not written.present:
        return 0
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return Undetermined(Because(FieldGround.NO_NUMBER, (repr(written.scalar),)))
    return None if value == -1 else int(value * unit)
