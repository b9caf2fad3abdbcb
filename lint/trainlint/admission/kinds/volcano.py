"""Volcano's webhook and CRD (volcano:pkg/webhooks/admission/jobs/validate; W 8).

A gang that is larger than its pods is a matter of workload/gangs.py, queues are one of queues/queue_refusals.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import KindFlaw
from trainlint.admission.ground import AdmissionGround
from trainlint.admission.kinds.field_values import at_least, one_of
from trainlint.admission.kinds.volcano_policies import of_policies, tier_twice
from trainlint.admission.name_syntax import rfc1123_label
from trainlint.admission.plain_values import below, elements, known, mapping, names, nearest, number, text, written
from trainlint.admission.problem import Problem
from trainlint.admission.volcano_flaws import VolcanoFlaw
from trainlint.finding import Path
from trainlint.kube.meta import Meta
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.model.refuser import Refuser

__all__ = ["of_volcano"]

_BY: Final = Because(Refuser.VOLCANO)
_PLUGINS: Final = frozenset({"ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "ray", "hcclrank"})
_MASTER: Final = "--master="


def _whole_cpus(task: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """A policy of the topology manager goes with whole CPUs, requested of every container."""
    policy = known(task.get("topologyPolicy"))
    if policy in {None, "none"}:
        return
    for key in ("containers", "initContainers"):
        for place, container in elements(below(task, "template", "spec", key), *at, "template", "spec", key):
            resources = mapping(container.get("resources"))
            asked = (mapping(resources.get("requests")) or mapping(resources.get("limits"))).get("cpu")
            if not _whole(asked):
                who = text(container.get("name"))
                yield Problem(
                    (*place, "resources"), Because(KindFlaw.WHOLE_CPUS, (policy, who, asked)), "whole CPUs", _BY
                )
                return


def _whole(value: Any) -> bool:
    """Whether a quantity is a whole number above zero; one that is not known is."""
    if value is None:
        return False
    given = str(value)
    if is_placeholder(given):
        return True
    try:
        cpus = parse_quantity(given)
    except QuantityError:
        return True
    return cpus > 0 and cpus.denominator == 1


def of_volcano(meta: Meta, item: Any) -> Iterator[Problem]:
    """What is refused of a Volcano Job."""
    if (meta.api_group, meta.kind) != ("batch.volcano.sh", "Job"):
        return
    spec = mapping(below(item, "spec"))
    yield from at_least(item, ("spec", "minAvailable"), 0)
    yield from one_of(item, ("spec", "networkTopology", "mode"), ("hard", "soft"))
    tasks = list(elements(spec.get("tasks"), "spec", "tasks"))
    seen: dict[str, Path] = {}
    for at, task in tasks:
        yield from _whole_cpus(task, at)
        name = known(task.get("name"))
        for key in ("replicas", "minAvailable"):
            yield from at_least(item, (*at, key), 0)
        if name and (wrong := rfc1123_label(name)):
            yield Problem((*at, "name"), Because(KindFlaw.TASK_NAME, (name, wrong)), f"task {name}")
        elif name and name in seen:
            yield Problem((*at, "name"), Because(KindFlaw.TASK_TWICE, (name,)), f"task {name}", _BY)
        seen.setdefault(name or "", at)
        yield from _partitions(task, at)
    yield from of_policies(item, spec, ("spec", "policies"))
    for at, task in tasks:
        yield from of_policies(item, task, (*at, "policies"))
    yield from tier_twice(spec, ("spec",))
    yield from _depends(tasks)
    yield from _plugins(mapping(spec.get("plugins")), names(spec.get("tasks")))
    yield from _volumes(spec)


def _volumes(spec: Mapping[str, Any]) -> Iterator[Problem]:
    mounts: set[str] = set()
    for at, volume in elements(spec.get("volumes"), "spec", "volumes"):
        mount, claim = volume.get("mountPath"), volume.get("volumeClaimName")
        if not mount:
            yield Problem((*at, "mountPath") if mount == "" else at, Because(KindFlaw.NO_MOUNT_PATH), "mountPath")
        elif mount in mounts and not is_placeholder(text(mount)):
            yield Problem((*at, "mountPath"), Because(VolcanoFlaw.MOUNT_TWICE, (mount,)), f"mount {mount}", _BY)
        mounts.add(text(mount))
        if not written(volume.get("volumeClaim")) and not claim:
            yield Problem(at, Because(KindFlaw.NO_VOLUME_CLAIM), "claim", _BY)
        elif claim and written(volume.get("volumeClaim")):
            yield Problem((*at, "volumeClaimName"), Because(VolcanoFlaw.CLAIM_TWICE), "claim", _BY)


def _partitions(task: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    policy = mapping(task.get("partitionPolicy"))
    total, size, pods = (
        number(policy.get("totalPartitions")),
        number(policy.get("partitionSize")),
        number(task.get("replicas")),
    )
    if None not in (total, size, pods) and (total or 0) * (size or 0) != pods:
        yield Problem(
            (*at, "replicas"),
            Because(KindFlaw.PARTITIONS, (total, size, (total or 0) * (size or 0), pods)),
            "partitions",
            _BY,
        )
        return
    least, parts = number(task.get("minAvailable")), number(policy.get("minPartitions"))
    if least is not None and parts and size is not None and parts * size != least:
        why = Because(VolcanoFlaw.LEAST_OF_PARTITIONS, (parts, size, parts * size, least))
        yield Problem((*at, "minAvailable"), why, "least", _BY)
    yield from tier_twice(policy, (*at, "partitionPolicy"))


def _depends(tasks: list[tuple[Path, Mapping[str, Any]]]) -> Iterator[Problem]:
    """A task that depends on one that is not there, on itself, or in a circle."""
    needs = {
        text(task.get("name")): [text(each) for each in below(task, "dependsOn", "name") or () if isinstance(each, str)]
        for _, task in tasks
    }
    if any(is_placeholder(each) for name, others in needs.items() for each in (name, *others)):
        return
    for at, task in tasks:
        for index, name in enumerate(needs[text(task.get("name"))]):
            if name not in needs:
                near = nearest(name, needs)
                yield Problem(
                    (*at, "dependsOn", "name", index),
                    Because(KindFlaw.NO_TASK, (text(task.get("name")), name, near)),
                    f"depends on {name}",
                    _BY,
                )
    done: set[str] = set()
    while ready := {name for name, others in needs.items() if name not in done and done.issuperset(others)}:
        done |= ready
    left = [name for name, others in needs.items() if name not in done and set(others) <= set(needs)]
    if left and len(left) == len(needs) - len(done):
        at = next(path for path, task in tasks if text(task.get("name")) == left[0])
        yield Problem((*at, "dependsOn"), Because(KindFlaw.TASK_CIRCLE, (tuple(left),)), "circle", _BY)


def _plugins(plugins: Mapping[str, Any], tasks: list[str]) -> Iterator[Problem]:
    for name in plugins:
        if name not in _PLUGINS and not is_placeholder(name):
            near = nearest(name, _PLUGINS)
            assumes = (Because(AdmissionGround.VOLCANO_PLUGINS),)
            yield Problem(
                ("spec", "plugins", name),
                Because(KindFlaw.NO_PLUGIN, (name, near, tuple(sorted(_PLUGINS)))),
                f"plugin {name}",
                _BY,
                assumes=assumes,
            )
    if "mpi" not in plugins or any(is_placeholder(each) for each in tasks):
        return
    words = [text(each) for each in plugins["mpi"] or () if isinstance(each, str)]
    if any(each == "--master" or is_placeholder(each) for each in words):
        return
    master = next((each.removeprefix(_MASTER) for each in words if each.startswith(_MASTER)), "master")
    there = [name or f"default{index}" for index, name in enumerate(tasks)]
    if tasks and master not in there:
        yield Problem(
            ("spec", "plugins", "mpi"), Because(KindFlaw.MPI_MASTER, (master, tuple(there))), "mpi master", _BY
        )
