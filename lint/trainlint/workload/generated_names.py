"""Objects with ``generateName``: their name is made before an operator sees them, and everything with it (W 1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from trainlint.finding import Unknown
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container
from trainlint.model.workload import PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import Expansion
from trainlint.workload.ground import PodGround

__all__ = ["has_made_name", "without_name"]

_MADE: Final = Undetermined(Because(PodGround.OBJECT_NAME))


def has_made_name(item: Field) -> bool:
    """Whether the API server makes the name of the object."""
    metadata = item["metadata"]
    return not metadata["name"].present and metadata["generateName"].present


def without_name(expansion: Expansion, name: str, item: Field) -> Expansion:
    """The expansion of an object of which only the beginning of its ``name`` is known: what is made of it is not."""
    unknowns = expansion.unknowns
    if expansion.policies:
        unknowns = (
            *unknowns,
            Unknown(name, "which pods the NetworkPolicy of its operator selects: its name is generated", at=item.at),
        )
    return replace(
        expansion,
        pod_sets=tuple(_pods(pods, name) for pods in expansion.pod_sets),
        services=tuple(each for each in expansion.services if not each.ref.name.startswith(name)),
        policies=(),
        unknowns=unknowns,
    )


def _pods(pods: PodSet, name: str) -> PodSet:
    labels = {
        key: _value(value, name) if "/" in key or key == "job-name" else value for key, value in pods.labels.items()
    }
    spec = replace(
        pods.spec,
        subdomain="" if pods.spec.subdomain.startswith(name) else pods.spec.subdomain,
        containers=tuple(_container(each, name) for each in pods.spec.containers),
    )
    return replace(pods, labels=labels, hostname="" if pods.hostname.startswith(name) else pods.hostname, spec=spec)


def _container(container: Container, name: str) -> Container:
    env = tuple(replace(entry, value=_value(entry.value, name)) if entry.injected else entry for entry in container.env)
    return replace(container, env=env)


def _value(value: Known[str], name: str) -> Known[str]:
    return _MADE if isinstance(value, str) and name and name in value else value
