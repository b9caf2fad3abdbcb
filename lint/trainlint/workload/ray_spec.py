"""The spec of a Ray cluster, with the name that the cluster will have (W 7)."""

from __future__ import annotations

from typing import Final

from trainlint.fact import fact
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.because import Because
from trainlint.model.known import SYMBOL, Known, Undetermined
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import is_template
from trainlint.workload.ground import PodGround

__all__ = ["UNCUT", "RayClusterSpec", "random_name", "suffixed"]

UNCUT: Final = 40
"""Names of at most so many characters stand whole at the beginning of the names and labels that KubeRay makes."""
_FAULT_TOLERANT: Final = "ray.io/ft-enabled"


@fact
class RayClusterSpec:
    """A RayClusterSpec with the name of its cluster, which only a RayCluster fixes.

    ``item`` is the object that holds the spec. ``serving`` says which pods of a RayService take requests: ``all``, or
    ``workers``; empty for others. ``submitted`` says that a submitter Job calls the dashboard; ``sidecar`` that a
    container beside the head submits the job.
    """

    spec: Field
    item: Field
    owner: ObjectRef
    name: Known[str]
    multi_host_only: bool = False
    submitted: bool = False
    sidecar: bool = False
    serving: str = ""

    @property
    def label(self) -> str:
        """The cluster's name, or the symbol of a name that is made in the cluster."""
        return self.name.symbol if isinstance(self.name, Undetermined) else self.name

    @property
    def head_service(self) -> Known[str]:
        """The name of the Service in front of the head."""
        own = read_text(self.spec.down("headGroupSpec", "headService", "metadata", "name"))
        return own or suffixed(self.name, "-head-svc")

    @property
    def groups(self) -> list[Field]:
        """The head's group and those of the workers that make pods, in the order of the pod sets."""
        workers = self.spec["workerGroupSpecs"].elements()
        return [self.spec["headGroupSpec"], *(each for each in workers if is_template(each["template"]))]

    @property
    def fault_tolerant(self) -> bool:
        """Whether the head keeps its state outside, so that workers wait for a new one."""
        enabled = read_text(self.item.down("metadata", "annotations", _FAULT_TOLERANT)).lower() == "true"
        return enabled or self.spec["gcsFaultToleranceOptions"].mapping is not None

    def parameter(self, name: str) -> int | None:
        """A port among the head's rayStartParams; ``None`` where it is not given, or no number."""
        text = read_text(self.spec.down("headGroupSpec", "rayStartParams", name))
        return int(text) if text.isdecimal() and len(text) < 6 else None


def random_name(owner: ObjectRef) -> Undetermined:
    """The name of the cluster that a RayJob or RayService makes: its own with a random suffix. Of long names KubeRay
    cuts something off.
    """
    symbol = f"{owner.name[:UNCUT]}-{owner.kind.removeprefix('Ray').lower()}{SYMBOL}"
    prefix = f"{owner.name}-" if 0 < len(owner.name) <= UNCUT and not is_placeholder(owner.name) else ""
    return Undetermined(Because(PodGround.RAY_SUFFIX), symbol, prefix)


def suffixed(name: Known[str], suffix: str) -> Known[str]:
    """A name that is made of the cluster's: with the suffix, or as little known as the cluster's."""
    if isinstance(name, str):
        return f"{name}{suffix}"
    return Undetermined(name.why, f"{suffix.strip('-')}/{name.symbol}", name.prefix)
