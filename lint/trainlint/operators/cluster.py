"""What exists after operators have run: objects that the API server took, and its defaults in pods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.operators.manifest import (
    ANY,
    Manifest,
    below,
    copied,
    every_container,
    items,
    labels_of,
    mapping,
    name_of,
    namespace_of,
    own_of,
)
from trainlint.operators.quantities import canonical

__all__ = ["MadeObjects", "OperatorOptions", "stored_pod", "taken"]

_SERVICE_NAME: Final = lazy_pattern(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_NAME: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_LABEL_LENGTH: Final = 63
_RANDOM_LENGTH: Final = 5
_HASH_LENGTH: Final = 10


def taken(manifest: Manifest) -> bool:
    """Whether the API server takes the name and the labels of an object, and the jobs of a JobSet, which must list
    containers: what can be told without its schemas.
    """
    name = name_of(manifest).replace(ANY, "x" * _RANDOM_LENGTH)
    shape = _SERVICE_NAME if manifest.get("kind") == "Service" else _NAME
    if shape.fullmatch(name) is None:
        return False
    jobs = items(below(manifest, "spec", "replicatedJobs")) if manifest.get("kind") == "JobSet" else []
    if any(below(each, "template", "spec", "template", "spec", "containers") is None for each in jobs):
        return False
    return all(_length(key, str(value)) <= _LABEL_LENGTH for key, value in labels_of(manifest).items())


def _length(key: str, value: str) -> int:
    """The characters of a label's value, with those that stand for unknown ones counted as they will be."""
    unknown = _HASH_LENGTH if key == "controller-revision-hash" else _RANDOM_LENGTH
    return len(value) + value.count(ANY) * (unknown - 1) if value != ANY else 0


@dataclass(frozen=True)
class OperatorOptions:
    """What an installation of the operators sets otherwise than by default.

    ``gang_scheduler`` makes PodGroups, ``gates`` are feature gates, ``environment`` are variables of the operator,
    ``domain`` is the value of topology labels on the node of a leader, ``queues`` are the open queues of Volcano;
    ``None``: it is unknown which there are.
    """

    gang_scheduler: str = ""
    gates: Mapping[str, bool] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    domain: str = ANY
    queues: frozenset[str] | None = None


@dataclass(frozen=True)
class OperatorRefusal:
    """An object that its operator refuses, the field of it, and why."""

    item: Manifest
    field: str
    why: str


@dataclass
class MadeObjects:
    """The objects that came to be. ``takes`` says whether the API server takes one that an operator makes."""

    options: OperatorOptions = field(default_factory=OperatorOptions)
    takes: Callable[[Manifest], bool] = taken
    given: list[Manifest] = field(default_factory=list)
    pods: list[Manifest] = field(default_factory=list)
    services: list[Manifest] = field(default_factory=list)
    others: list[Manifest] = field(default_factory=list)
    refused: list[OperatorRefusal] = field(default_factory=list)
    """The given objects that operators refuse because of the options, or of what else is given."""

    def refuse(self, item: Manifest, field: str, why: str) -> None:
        """Have an object refused: a field of it, and why."""
        self.refused.append(OperatorRefusal(item, field, why))

    def create(self, item: Manifest) -> bool:
        """Make an object, unless the API server refuses it: then ``False``. An existing one of the name stays."""
        if not self.takes(item):
            return False
        kind = item["kind"]
        if kind == "Pod":
            self.pods.append(stored_pod(item))
        else:
            among = self.services if kind == "Service" else self.others
            if self.find(kind, name_of(item), namespace_of(item)) is None:
                among.append(item)
        return True

    def create_pods(self, pods: Iterable[Manifest]) -> bool:
        """Make pods in turn; ``False`` where one of them was refused."""
        refused = 0
        for each in pods:
            refused += not self.create(each)
        return refused == 0

    def find(self, kind: str, name: str, namespace: str) -> Manifest | None:
        """An object that exists, given or made before; ``None`` where there is none."""
        for each in (*self.given, *self.services, *self.others):
            if each.get("kind") == kind and name_of(each) == name and namespace_of(each) == namespace:
                return each
        return None


def stored_pod(pod: Manifest) -> Manifest:
    """A pod with the defaults of the API server."""
    pod = copied(pod)
    metadata = own_of(pod, "metadata")
    metadata["name"] = name_of(pod)
    metadata.pop("generateName", None)
    spec = own_of(pod, "spec")
    spec.setdefault("restartPolicy", "Always")
    spec["schedulerName"] = spec.get("schedulerName") or "default-scheduler"
    spec["dnsPolicy"] = spec.get("dnsPolicy") or "ClusterFirst"
    for container in every_container(spec):
        _default(container)
    return pod


def _default(container: Manifest) -> None:
    resources = mapping(container.get("resources"))
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    if limits or requests:
        both = {"limits": _quantities(limits), "requests": _quantities({**limits, **requests})}
        container["resources"] = {key: each for key, each in both.items() if each}
    for entry in items(container.get("env")):
        source = mapping(entry.get("valueFrom"))
        if isinstance(source.get("fieldRef"), dict):
            source["fieldRef"].setdefault("apiVersion", "v1")
    for port in items(container.get("ports")):
        port.setdefault("protocol", "TCP")


def _quantities(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: canonical(value) for key, value in values.items()}
