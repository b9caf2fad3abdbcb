"""What an object becomes: pod sets, the flows among them, the Services that its operator makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from trainlint.fact import fact
from trainlint.finding import Location, Unknown
from trainlint.kube.meta import read_labels
from trainlint.kube.pod import read_pod_spec
from trainlint.model.known import Known
from trainlint.model.pod import Container, ContainerPort, EnvVar, PodSpec
from trainlint.model.settings import Settings
from trainlint.model.workload import Flow, ObjectRef, PodSet, Service, Wait
from trainlint.source.document import Field

__all__ = [
    "Context",
    "Expander",
    "Expansion",
    "MadeGang",
    "injected",
    "is_template",
    "named",
    "opened",
    "pod_set",
    "with_account",
]


@fact
class Context:
    """What an expansion may look at beside its object: the settings and other objects, by kind and name."""

    settings: Settings
    objects: Mapping[ObjectRef, Field]


@fact
class MadeGang:
    """A gang that the operator makes of the object's pod sets ``members`` (indices): ``minimum`` start, or none."""

    what: str
    minimum: Known[int]
    members: tuple[int, ...]
    at: Location


@fact
class Expansion:
    """The pods that an object makes.

    ``flows`` are those that the kind itself proves, as indices into ``pod_sets``. ``ranks`` are the indices of the pod
    sets that form one communicator. ``helpers`` are those that the job needs and that need not be near it.
    ``policies`` are NetworkPolicy objects that the operator makes. ``training`` says that the kind exists for jobs of
    communicating pods; ``instances`` is the number of equal groups that the object makes; ``several_jobs`` that its
    ranks may be those of several jobs, where they meet at several places. ``gangs`` are those that the operator makes,
    ``waits`` the pod sets that it makes only when others are there (by index).
    """

    pod_sets: tuple[PodSet, ...] = ()
    flows: tuple[Flow, ...] = ()
    services: tuple[Service, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    ranks: frozenset[int] = frozenset()
    helpers: frozenset[int] = frozenset()
    policies: tuple[Field, ...] = ()
    training: bool = False
    instances: Known[int] = 1
    several_jobs: bool = False
    gangs: tuple[MadeGang, ...] = ()
    waits: Mapping[int, Wait] = field(default_factory=dict)


Expander: TypeAlias = Callable[[Field, ObjectRef, Context], Expansion]
"""Expands the object at the cursor."""


def named(hostname: str, index: int = 0) -> str:
    """The host name of one of the pods: placeholders that the user wrote may hold braces of their own."""
    return hostname.replace("{}", str(index))


def is_template(template: Field) -> bool:
    """Whether a whole pod template stands here: patches and references have no containers (W 0, README "Oddities")."""
    containers = template.down("spec", "containers")
    return containers.present and containers.value != []


def pod_set(
    owner: ObjectRef,
    role: str,
    replicas: Known[int],
    template: Field,
    at: Location,
    *,
    labels: Mapping[str, Known[str]] | None = None,
    hostname: str = "",
    subdomain: str = "",
    max_replicas: int | None = None,
    blocks: Known[int] = 1,
    instances: Known[int] = 1,
    env: Mapping[str, Known[str]] | None = None,
    env_of: str = "",
) -> PodSet:
    """The pods of a template, with what their controller sets on top (W 1.1).

    ``env`` is appended to every container, or to that called ``env_of``: the kubelet keeps the last of two entries.
    """
    metadata = template["metadata"]
    spec = injected(read_pod_spec(template["spec"]), env or {}, at, env_of)
    if subdomain:
        spec = replace(spec, subdomain=subdomain)
    return PodSet(
        owner,
        role,
        replicas,
        {**read_labels(metadata["labels"]), **(labels or {})},
        spec,
        at=at,
        template=template.at,
        annotations=read_labels(metadata["annotations"]),
        max_replicas=max_replicas,
        hostname=hostname or spec.hostname,
        blocks=blocks,
        instances=instances,
    )


def with_account(spec: PodSpec, name: str) -> PodSpec:
    """The spec with the service account that an operator makes for it, unless the user names one."""
    return spec if spec.service_account else replace(spec, service_account=name, account_made=True)


def opened(
    spec: PodSpec, ports: Sequence[ContainerPort], only: str = "", *, init: bool = False, by_number: bool = False
) -> PodSpec:
    """The spec with ports that an operator adds to its containers, or to the container called ``only``.

    A port of the same name stays as the user wrote it; one without a name, or with ``by_number`` any, is not added
    where its number is there. With ``init`` the init containers get them too.
    """

    def of(containers: Sequence[Container]) -> tuple[Container, ...]:
        return tuple(
            replace(each, ports=(*each.ports, *_missing(each, ports, by_number=by_number)))
            if only in {"", each.name}
            else each
            for each in containers
        )

    made = of(spec.init_containers) if init else spec.init_containers
    return replace(spec, containers=of(spec.containers), init_containers=made)


def _missing(container: Container, ports: Sequence[ContainerPort], *, by_number: bool) -> Iterator[ContainerPort]:
    names, numbers = {port.name for port in container.ports}, {port.number for port in container.ports}
    for port in ports:
        if port.name not in names - {""} and not (port.number in numbers and (by_number or not port.name)):
            yield replace(port, made=True)


def injected(
    spec: PodSpec, env: Mapping[str, Known[str]], at: Location, only: str = "", *, by_user: bool = False
) -> PodSpec:
    """The spec with variables that an operator appends to its containers, or to the container called ``only``.

    ``by_user`` says that the operator only passes on what the user wrote at the place.
    """
    if not env:
        return spec
    added = tuple(EnvVar(name, value, injected=not by_user, at=at) for name, value in env.items())
    return replace(
        spec,
        containers=tuple(
            replace(container, env=container.env + added) if only in {"", container.name} else container
            for container in spec.containers
        ),
    )
