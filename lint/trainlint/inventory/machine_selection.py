"""Which machines the node selectors of pods leave, told from the tables of machines alone.

A required label names a machine (its type), a set of machines (a family, an accelerator) or nothing that the tables
know; then it leaves the set as it is. A machine that no table holds is unknown, never one that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.inventory.instance_types import PROVIDERS, InstanceType, instance_type, instance_types
from trainlint.inventory.tpu import ACCELERATOR_KEY as TPU_ACCELERATOR
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import PodSpec
from trainlint.model.selector import Requirement

__all__ = ["TYPE_KEYS", "Machines", "is_shared", "machines_left", "selected_machines"]

TYPE_KEYS: Final = frozenset(
    {"beta.kubernetes.io/instance-type", "cloud.google.com/gce-machine-type", "node.kubernetes.io/instance-type"}
)
ARCHITECTURE: Final = frozenset({"beta.kubernetes.io/arch", "kubernetes.io/arch"})
GPU: Final = "nvidia.com/gpu"
GPU_PRODUCT: Final = "nvidia.com/gpu.product"
GKE_ACCELERATOR: Final = "cloud.google.com/gke-accelerator"
_HYPERPOD: Final = "ml."
_ATTACHED: Final = frozenset({"nvidia-tesla-k80", "nvidia-tesla-p100", "nvidia-tesla-v100", "nvidia-tesla-p4"}) | {
    "nvidia-tesla-t4"
}
"""Accelerators that GKE attaches to N1 machines: the type does not say how many there are."""
_ATTACHES: Final = "n1-"
"""Machines of Google to which GPUs are attached one by one: their type does not say how many there are."""
_CLOSED: Final = frozenset({"instance-family", "instance-gpu-name", "machine-family"})
"""Of what follows the slash of a key: labels of which the tables hold all machines, but for those that are new."""
_EC2: Final = lazy_pattern(r"(?P<category>[a-z]+)(?P<generation>\d+)[^.]*")
_MODEL: Final = lazy_pattern(r"(?<![a-z0-9])(?:[abhltpkvm]|gb|gh|mi)\d{1,3}[a-z]?(?![a-z0-9])")

_SHARED: Final = (
    "cloud.google.com/gke-gpu-partition-size",
    "cloud.google.com/gke-gpu-sharing-strategy",
    "cloud.google.com/gke-max-shared-clients-per-gpu",
    "nvidia.com/device-plugin.config",
    "nvidia.com/gpu.sharing-strategy",
)
"""Labels of nodes that offer a GPU several times, so that the machine does not say how many there are."""

Names = Callable[[InstanceType], str]


@fact
class Machines:
    """The machines that are left, and the requirements that narrowed them; none is left where they contradict."""

    types: tuple[InstanceType, ...]
    by: tuple[Requirement, ...]

    def most(self, resource: str) -> int | None:
        """The largest number of a device that one machine has; 0 where none has it, ``None`` where it is not known."""
        if resource == GPU and any(each.name.startswith(_ATTACHES) for each in self.types):
            return None
        return max((each.devices.get(resource, 0) for each in self.types), default=0)

    @property
    def bounded(self) -> bool:
        """Whether no machine that is new, and in no table, could be larger than all of these: one is named, a family,
        or an accelerator.
        """
        keys = {each.key for each in self.by}
        named = TYPE_KEYS | {GKE_ACCELERATOR, TPU_ACCELERATOR}
        return bool(keys & named) or any(key.partition("/")[2] in _CLOSED for key in keys)


def selected_machines(spec: PodSpec) -> Machines | None:
    """The machines that the required selectors of a pod leave; ``None`` where they name none that is known."""
    terms = [term.expressions for term in spec.node_affinity] if spec.node_affinity is not None else [()]
    found = [machines_left((*spec.node_selector, *expressions)) for expressions in terms]
    if not found or any(each is None for each in found):
        return None
    known = [each for each in found if each is not None]
    return Machines(
        tuple({each.name: each for one in known for each in one.types}.values()),
        tuple(dict.fromkeys(each for one in known for each in one.by)),
    )


def is_shared(requirements: Iterable[Requirement]) -> bool:
    """Whether nodes with these labels offer a GPU several times: then the machine does not say how many there are."""
    return any(
        each.key in _SHARED or any(value.endswith("-SHARED") or "-MIG-" in value for value in each.values)
        for each in requirements
    )


def machines_left(requirements: Sequence[Requirement]) -> Machines | None:
    """The machines that requirements on one node leave; ``None`` where they name none that is known."""
    left: tuple[InstanceType, ...] | None = None
    by: list[Requirement] = []
    for requirement in sorted(requirements, key=_turn):
        narrowed = _narrowed(left, requirement)
        if narrowed is not None:
            left = narrowed
            by.append(requirement)
    return None if left is None else Machines(left, tuple(by))


def _turn(requirement: Requirement) -> int:
    """Types are read first, and what says nothing without machines to compare last."""
    key = requirement.key
    return 0 if key in TYPE_KEYS else 2 if key == GPU_PRODUCT or key in ARCHITECTURE else 1


def _narrowed(left: tuple[InstanceType, ...] | None, requirement: Requirement) -> tuple[InstanceType, ...] | None:
    """The machines that a requirement leaves of ``left`` (``None``: of all); ``None`` where it says nothing."""
    key, values = requirement.key, requirement.values
    if requirement.operator != "In" or not values or any(map(is_placeholder, values)):
        return None
    if key in TYPE_KEYS:
        named = [_named(value) for value in values]
        if any(each is None for each in named):
            return None
        types = tuple(each for each in named if each is not None)
        return types if left is None else tuple(each for each in types if each.name in {one.name for one in left})
    if key == GPU_PRODUCT:
        return _of_product(left, values)
    if key in ARCHITECTURE:
        return None if left is None else tuple(each for each in left if each.arch in values)
    read = _READERS.get(key.partition("/")[2] if key.startswith(_KARPENTER) else key)
    provider = "aws" if key.startswith(_KARPENTER) else "gcp"
    if read is None or not _ATTACHED.isdisjoint(values):
        return None
    everything = instance_types(provider) if left is None else left
    found = tuple(each for each in everything if read(each) in values)
    known = found or any(read(each) in values for each in instance_types(provider))
    return found if known else None


def _named(value: str) -> InstanceType | None:
    name = value.removeprefix(_HYPERPOD)
    exact = next((found for each in PROVIDERS if (found := instance_type(each, name)) is not None), None)
    if exact is not None or not name.lower().startswith("standard_"):
        return exact
    return next((each for each in instance_types("azure") if each.name.lower() == name.lower()), None)


def _of_product(left: tuple[InstanceType, ...] | None, values: Iterable[str]) -> tuple[InstanceType, ...] | None:
    """Machines with a GPU of the same model; nothing is said without machines to compare, or about an unknown model."""
    models = {_model(value) for value in values}
    if left is None or "" in models:
        return None
    if any(each.accelerator and not _model(each.accelerator) for each in left):
        return None
    return tuple(each for each in left if _model(each.accelerator) in models)


def _model(name: str) -> str:
    """The model of an accelerator in the name that a provider or NVIDIA gives it: ``h100``; empty if none is in it."""
    found = _MODEL.search(name.lower())
    return found[0] if found else ""


_KARPENTER: Final = ("karpenter.k8s.aws/", "eks.amazonaws.com/")


def _ec2(part: str) -> Names:
    def read(machine: InstanceType) -> str:
        found = _EC2.match(machine.name)
        return found[part] if found else ""

    return read


_READERS: Final[dict[str, Names]] = {
    GKE_ACCELERATOR: lambda machine: machine.accelerator,
    TPU_ACCELERATOR: lambda machine: machine.accelerator,
    "cloud.google.com/machine-family": lambda machine: machine.name.partition("-")[0],
    "instance-family": lambda machine: machine.name.partition(".")[0],
    "instance-size": lambda machine: machine.name.partition(".")[2],
    "instance-category": _ec2("category"),
    "instance-generation": _ec2("generation"),
    "instance-cpu": lambda machine: str(machine.cpus),
    "instance-memory": lambda machine: str(machine.memory),
    "instance-gpu-name": lambda machine: machine.accelerator,
    "instance-gpu-count": lambda machine: str(machine.devices.get("nvidia.com/gpu", 0)),
}
"""What a label says of a machine: those of Karpenter and of EKS Auto Mode by the part of the key behind the slash."""
