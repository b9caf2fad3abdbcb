"""What Kueue's integrations make of a job: pod sets, and what they ask of the topology (S 2.2)."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.model.known import Known
from trainlint.model.pod import PodSpec

__all__ = ["QueuedPods", "Slices", "TopologyRequest"]


@fact
class Slices:
    """``size`` pods each share a domain of the level; ``size`` is ``None`` where none is given."""

    level: str
    size: int | None


@fact
class TopologyRequest:
    """What a pod set asks of the topology, as written; ``group`` is its podSetGroupName.

    ``size_only`` says that a slice size is given without a level, which counts as a request and asks for nothing.
    ``layers`` says that the slices were written as constraints.
    ``index_label`` numbers the pods, ``subgroup_label`` their ``subgroups`` parts: they ask for nothing.
    """

    required: str | None = None
    preferred: str | None = None
    unconstrained: bool | None = None
    slices: tuple[Slices, ...] = ()
    size_only: bool = False
    layers: bool = False
    group: str | None = None
    index_label: str = ""
    subgroup_label: str = ""
    subgroups: Known[int] | None = None

    @property
    def explicit(self) -> bool:
        """Whether it asks for Topology-Aware Scheduling."""
        named = self.required is not None or self.preferred is not None or self.unconstrained is not None
        return named or bool(self.slices) or self.size_only


@fact
class QueuedPods:
    """One pod set that Kueue counts: ``count`` pods, of which ``least`` are enough if it may be admitted in part."""

    name: str
    count: Known[int]
    spec: PodSpec
    topology: TopologyRequest | None = None
    least: int | None = None
