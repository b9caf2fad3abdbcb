"""LeaderWorkerSet's webhook and CRD (lws:pkg/webhooks/leaderworkerset_webhook.go; W 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.flaws import KindFlaw
from trainlint.admission.ground import RefusedPart
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.plain_values import below, number, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser

__all__ = ["of_leader_worker_set"]

_BY: Final = Because(Refuser.LEADER_WORKER_SET)
_TEMPLATE: Final[Path] = ("spec", "leaderWorkerTemplate")
_ROLLING: Final[Path] = ("spec", "rolloutStrategy", "rollingUpdateConfiguration")
_MOST: Final = 1_000_000
_EXCLUSIVE: Final = "leaderworkerset.sigs.k8s.io/exclusive-topology"
_SUBGROUP_KEY: Final = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
_RESTARTS: Final = ("Default", "RecreateGroupOnPodRestart", "RecreateGroupAfterStart", "None")


def of_leader_worker_set(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a LeaderWorkerSet."""
    if (meta.api_group, meta.kind) != ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        return
    yield from at_least(item, ("spec", "replicas"), 0, most=_MOST)
    yield from at_least(item, (*_TEMPLATE, "size"), 1, _BY)
    yield from one_of(item, ("spec", "startupPolicy"), ("LeaderCreated", "LeaderReady"))
    yield from one_of(item, (*_TEMPLATE, "restartPolicy"), _RESTARTS)
    yield from one_of(item, ("spec", "networkConfig", "subdomainPolicy"), ("Shared", "UniquePerReplica"))
    yield from one_of(item, (*_TEMPLATE, "subGroupPolicy", "subGroupPolicyType"), ("LeaderWorker", "LeaderExcluded"))
    yield from _subgroups(item)
    size = number(below(item, *_TEMPLATE, "size"))
    if below(item, "metadata", "annotations", _EXCLUSIVE) == "" and size is not None and size > 1:
        at: Path = ("metadata", "annotations", _EXCLUSIVE)
        yield Problem(
            at,
            Because(KindFlaw.EMPTY_EXCLUSIVE, (_EXCLUSIVE,)),
            "exclusive",
            what=Because(RefusedPart.EVERY_WORKER_SET),
        )
    surge, down = (below(item, *_ROLLING, key) for key in ("maxSurge", "maxUnavailable"))
    if down in (0, "0", "0%") and surge in (None, 0, "0", "0%"):
        yield Problem((*_ROLLING, "maxUnavailable"), Because(KindFlaw.NO_ROLLOUT), "rollout", _BY)


def _subgroups(item: Any) -> Iterator[Problem]:
    at = (*_TEMPLATE, "subGroupPolicy", "subGroupSize")
    given, each = below(item, *_TEMPLATE, "size"), number(below(item, *at))
    size = number(given) if given is not None else 1
    written = below(item, *at)
    key = below(item, "metadata", "annotations", _SUBGROUP_KEY)
    if key and written is None:
        path = ("metadata", "annotations", _SUBGROUP_KEY)
        yield Problem(path, Because(KindFlaw.NO_SUBGROUP_SIZE, (_SUBGROUP_KEY,)), "subgroups", _BY)
    if each is None or size is None or size < 1:
        return
    if each < 1:
        yield Problem(at, Because(KindFlaw.SUBGROUP_SIZE, (each,)), "subgroups", _BY)
        return
    excluded = text(below(item, *_TEMPLATE, "subGroupPolicy", "subGroupPolicyType")) == "LeaderExcluded"
    if each > size:
        why = Because(KindFlaw.SUBGROUP_TOO_LARGE, (each, size))
    elif excluded and (size - 1) % each:
        why = Because(KindFlaw.SUBGROUPS_OF_WORKERS, (each, size - 1))
    elif size % each and (size - 1) % each:
        why = Because(KindFlaw.SUBGROUPS, (each, size, size - 1))
    else:
        return
    yield Problem(at, why, "subgroups", _BY, evidence={"size": size, "subGroupSize": each})
