"""Everything that is refused of an object, by the API server, webhooks or operators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import refused
from trainlint.admission.flaws import FlawRole, ObjectFlaw
from trainlint.admission.ground import RefusedPart
from trainlint.admission.kinds.controllers import of_controllers
from trainlint.admission.kinds.core_kinds import is_complete, of_core_kind
from trainlint.admission.kinds.jobset import of_job_set
from trainlint.admission.kinds.kubeflow import of_kubeflow
from trainlint.admission.kinds.leaderworkerset import of_leader_worker_set
from trainlint.admission.kinds.mpi import of_mpi_job
from trainlint.admission.kinds.pod_groups import of_pod_groups
from trainlint.admission.kinds.ray import of_ray
from trainlint.admission.kinds.scheduler_queues import of_scheduler_queues
from trainlint.admission.kinds.trainer import of_runtime, of_train_job
from trainlint.admission.kinds.volcano import of_volcano
from trainlint.admission.object_names import of_name
from trainlint.admission.plain_values import below, elements, mapping, text
from trainlint.admission.pod_templates import PodTemplate, templates
from trainlint.admission.pods.annotations import of_metadata, of_pod_annotations
from trainlint.admission.pods.spec import of_pod
from trainlint.admission.problem import KUBERNETES, Problem
from trainlint.admission.schema_constraints import of_limits
from trainlint.admission.structural_schema import of_schema
from trainlint.finding import Path
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.structure import structure_of
from trainlint.model.because import Because
from trainlint.model.definition import DefinedVersion, Definition
from trainlint.source.document import Field
from trainlint.source.podtemplates import pod_templates
from trainlint.workload.kinds import workload_kind

__all__ = ["demands", "is_whole", "problems"]

_KINDS: Final = (
    of_controllers,
    of_kubeflow,
    of_mpi_job,
    of_job_set,
    of_leader_worker_set,
    of_ray,
    of_volcano,
    of_runtime,
)
_LOOK_FOR_CONTAINERS: Final = frozenset({"batch.volcano.sh", "kubeflow.org", "ray.io"})
"""API groups whose operators refuse an object with a role without containers themselves."""
_LOOK_FOR_IMAGES: Final = frozenset({"v1", "apps/v1", "batch/v1", "kubeflow.org/v1", "batch.volcano.sh/v1alpha1"})
"""API versions of objects that are refused where an image is missing; of others, what the operator makes is."""


def problems(
    item: Field, kubernetes: str, runtime: Any = None, definition: Definition | None = None
) -> tuple[Problem, ...]:
    """What is refused of the object at the cursor by a cluster of this version; once for each fault.

    ``runtime`` is the plain training runtime that a TrainJob names, ``definition`` the CRD that the repository holds of
    the kind. An object that may be a patch has none.
    """
    found = item.once(_reader(_version(kubernetes), definition))
    if runtime is not None:
        found = (*found, *_once(of_train_job(read_meta(item), item.value, runtime)))
        found = tuple(_once(found))
    return found


def demands(item: Field, definition: Definition | None = None) -> tuple[Problem, ...]:
    """What the API server and webhooks refuse of an object without pods; once for each fault."""
    return item.once(_demander(definition))


@lru_cache(maxsize=256)
def _demander(definition: Definition | None) -> Callable[[Field], tuple[Problem, ...]]:
    def read(item: Field) -> tuple[Problem, ...]:
        rendered = item.document.origin is not None
        meta = read_meta(item)
        found = [each for each, _ in of_limits(meta, item, definition)]
        found += [*of_scheduler_queues(meta, item.value), *of_pod_groups(meta, item.value)]
        found += of_core_kind(meta, item.value)
        whole = rendered or (is_complete(meta, item.value) and "patch" not in _file_name(item))
        told = (each for each in found if whole or not each.lacks)
        return tuple(_once(each for each in told if not _filled_later(each, item)))

    return read


@lru_cache(maxsize=256)
def _reader(version: tuple[int, ...], definition: Definition | None) -> Callable[[Field], tuple[Problem, ...]]:
    def read(item: Field) -> tuple[Problem, ...]:
        meta = read_meta(item)
        defined = definition.version(meta.api_version) if definition is not None else None
        told = (_of_kubernetes(each, version) for each in _problems(meta, item, version, defined))
        found = [each for each in told if each is not None and not _filled_later(each, item)]
        made = list(templates(meta, item.value))
        if is_whole(item, made):
            patch = not made and item.document.origin is None and not _holds_pods(item)
            limits = [
                each
                for each in of_limits(meta, item, definition)
                if not (_filled_later(each[0], item) or (patch and each[0].lacks))
            ]
            found += [each for each, path in limits if not any(_is_told(each, path, before) for before in found)]
        return tuple(_once(tuple(found)))

    return read


def _of_kubernetes(problem: Problem, version: tuple[int, ...]) -> Problem | None:
    """The problem without the release of Kubernetes since which it is one; ``None`` in an older cluster."""
    if problem.since is None or problem.since[0] != KUBERNETES:
        return problem
    return replace(problem, since=None) if not version or version >= problem.since[1] else None


def _is_told(problem: Problem, path: Path, before: Problem) -> bool:
    """Whether a fault at the same place, or of the same value, says it already in words of the operator."""
    if problem.at == before.at or (path and before.at[: len(path)] == path):
        return True
    return bool(before.lacks) and (*before.at, before.lacks) == problem.at


def _filled_later(problem: Problem, item: Field) -> bool:
    """Whether what is missing is there and empty, as templates leave what only an installation's values say."""
    if not problem.lacks:
        return item.document.origin is not None and _is_cut(problem)
    if problem.lacks == "selector" and item.document.origin is None:
        return True  # kustomize's labels may add it
    there = item.down(*problem.at, problem.lacks)
    return there.value is None or (item.document.origin is not None and there.value == "")


def _is_cut(problem: Problem) -> bool:
    """Whether a name begins or ends with what separates its parts, as where a value that a part is made of is empty."""
    if problem.why.ground is not FieldFlaw.NAME:
        return False
    name = str(problem.why.values[1])
    return name != name.strip("-.")


def _version(text_: str) -> tuple[int, ...]:
    parts = text_.lstrip("v").split(".")
    return tuple(int(each) for each in parts[:2] if each.isdecimal())


def _holds_pods(item: Field) -> bool:
    """Whether an object of a kind that the configuration describes holds a whole pod template, as no patch does."""
    meta = read_meta(item)
    return workload_kind(meta.api_version, meta.kind) is None and next(pod_templates(item), None) is not None


def _problems(meta: Meta, item: Field, version: tuple[int, ...], defined: DefinedVersion | None) -> Iterator[Problem]:
    value = item.value
    yield from of_name(meta, value, version)
    yield from of_metadata(mapping(below(value, "metadata")), ("metadata",))
    found = list(templates(meta, value))
    if not is_whole(item, found):
        return
    own = [each for of_kind in _KINDS for each in of_kind(meta, value)] + list(of_train_job(meta, value, None))
    if (structure := structure_of(meta.api_version, meta.kind)) is not None:
        told = {each.at for each in own}  # what is known of the kind says more, also of its releases
        yield from (each for each in of_schema(structure, item, defined) if each.at not in told)
    yield from own
    for template in found:
        yield from _of_template(template, meta, version, whole=_needs_images(meta, item))


def is_whole(item: Field, found: Collection[PodTemplate]) -> bool:
    """Whether it is a whole object and no patch of one: all of its containers have an image.

    A patch names the containers that it changes and little else. What a kustomization or a chart rendered is whole.
    """
    if item.document.origin is not None:
        return True
    if "patch" in _file_name(item):
        return False
    return all(
        bool(text(container.get("image")))
        for each in found
        for container in each.spec["containers"]
        if isinstance(container, dict)
    )


def _file_name(item: Field) -> str:
    return item.document.file.rpartition("/")[2].lower()


def _needs_images(meta: Meta, item: Field) -> bool:
    """Whether a container without an image is a fault: not in a runtime, nor where the object may be a patch."""
    return item.document.origin is not None and meta.kind not in {"TrainingRuntime", "ClusterTrainingRuntime"}


def _of_template(template: PodTemplate, meta: Meta, version: tuple[int, ...], *, whole: bool) -> Iterator[Problem]:
    path = (*template.path, "spec")
    what = Because(RefusedPart.EVERY_POD)
    if not template.spec["containers"]:
        why, made = Because(ObjectFlaw.NO_CONTAINERS, (template.role,)), meta.api_group not in _LOOK_FOR_CONTAINERS
        yield Problem((*path, "containers"), why, "containers", what=what if made else None)
        return
    for key in ("containers", "initContainers") if whole else ():
        for place, container in elements(template.spec.get(key), *path, key):
            if not container.get("image"):
                who = text(container.get("name"))
                later = None if meta.api_version in _LOOK_FOR_IMAGES else what
                yield Problem(place, Because(ObjectFlaw.NO_IMAGE, (who,)), f"image {who}", lacks="image", what=later)
    if template.maker:
        what = Because(RefusedPart.EVERY_MADE, (template.maker,))
    if not template.bare:
        for problem in of_metadata(template.metadata, (*template.path, "metadata")):
            yield _within(problem, what)
    metadata = (*template.path, "metadata")
    for problem in of_pod_annotations(template.metadata, template.spec, metadata):
        yield _within(problem, what)
    for problem in of_pod(template.spec, path, lent=template.lent, version=version):
        yield _within(problem, what)
    if template.maker == "StatefulSet" and template.spec.get("activeDeadlineSeconds") is not None:
        place = (*path, "activeDeadlineSeconds")
        yield _within(refused(place, FieldFlaw.BELONGS, FieldPlace.ENDING, where="activeDeadlineSeconds"), what)
    restart = text(template.spec.get("restartPolicy"))
    if template.restarts and restart in {"Always", "OnFailure", "Never"} and restart not in template.restarts:
        allowed = " or ".join(template.restarts)
        place = (*path, "restartPolicy")
        yield Problem(
            place,
            Because(
                ObjectFlaw.RESTART_POLICY,
                (template.role, restart, "Never" in template.restarts, template.maker or template.role, allowed),
            ),
            f"restart {restart}",
            what=what,
            evidence={"restartPolicy": restart},
        )
    elif not template.defaults and not restart and "Always" not in template.restarts:
        yield Problem(path, Because(ObjectFlaw.NO_RESTART_POLICY), "restart", what=what)


def _within(problem: Problem, what: Because) -> Problem:
    return replace(problem, what=what)


def _once(found: Iterator[Problem] | tuple[Problem, ...]) -> Iterator[Problem]:
    """Each fault once: the others of the same cause are further places of the first."""
    firsts: dict[str, Problem] = {}
    others: dict[str, list[tuple[Because, Path]]] = {}
    for problem in found:
        first = firsts.setdefault(problem.cause, problem)
        if problem.at != first.at:
            others.setdefault(problem.cause, []).append((Because(FlawRole.SAME_FAULT), problem.at))
    for cause, first in firsts.items():
        places = others.get(cause)
        yield replace(first, related=(*first.related, *places)) if places else first
