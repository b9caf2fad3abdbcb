"""LeaderWorkerSet's webhook and CRD (lws:pkg/webhooks/leaderworkerset_webhook.go; W 6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trainlint.admission.kinds.words import at_least, one_of
from trainlint.admission.plain import below, number, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.meta import Meta

__all__ = ["of_leader_worker_set"]

_BY: Final = "LeaderWorkerSet's webhook"
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
        why = f"{_EXCLUSIVE} is empty, and the workers get a node selector on no label"
        at: Path = ("metadata", "annotations", _EXCLUSIVE)
        remedy = "name the node label of the domain, or remove the annotation"
        yield Problem(at, why, remedy, "exclusive", what="every StatefulSet of workers")
    surge, down = (below(item, *_ROLLING, key) for key in ("maxSurge", "maxUnavailable"))
    if down in (0, "0", "0%") and surge in (None, 0, "0", "0%"):
        why = "maxUnavailable and maxSurge are both 0, so that no update could ever begin"
        yield Problem((*_ROLLING, "maxUnavailable"), why, "set maxUnavailable to 1", "rollout", _BY)


def _subgroups(item: Any) -> Iterator[Problem]:
    at = (*_TEMPLATE, "subGroupPolicy", "subGroupSize")
    given, each = below(item, *_TEMPLATE, "size"), number(below(item, *at))
    size = number(given) if given is not None else 1
    written = below(item, *at)
    key = below(item, "metadata", "annotations", _SUBGROUP_KEY)
    if key and written is None:
        why = f"{_SUBGROUP_KEY} is set, and there is no subGroupSize"
        path = ("metadata", "annotations", _SUBGROUP_KEY)
        yield Problem(path, why, "set subGroupPolicy.subGroupSize, or remove the annotation", "subgroups", _BY)
    if each is None or size is None or size < 1:
        return
    if each < 1:
        yield Problem(at, f"subGroupSize is {each}, and must be 1 or more", "write 1 or more", "subgroups", _BY)
        return
    excluded = text(below(item, *_TEMPLATE, "subGroupPolicy", "subGroupPolicyType")) == "LeaderExcluded"
    if each > size:
        why = f"subGroupSize is {each}, and the group has only {size} pods"
    elif excluded and (size - 1) % each:
        why = f"subgroups of {each} do not divide the {size - 1} workers of a group (LeaderExcluded)"
    elif size % each and (size - 1) % each:
        why = f"subgroups of {each} divide neither the {size} pods of a group nor its {size - 1} workers"
    else:
        return
    remedy = "choose a subGroupSize that divides the number of pods"
    yield Problem(at, why, remedy, "subgroups", _BY, evidence={"size": size, "subGroupSize": each})
