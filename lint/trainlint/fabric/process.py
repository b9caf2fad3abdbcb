"""The ranks of a snapshot: where each runs, which settings it gets and what sets them (N 1.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trainlint.fact import fact
from trainlint.launch.command import commands
from trainlint.launch.environment import MPI_PROGRAMS, Carrier, Variable, environment, hidden_carriers
from trainlint.launch.markers import markers
from trainlint.model.pod import Container
from trainlint.model.workload import FlowKind, Group, PodSet, Workloads
from trainlint.workload.accelerators import accelerators_of, holds_accelerators
from trainlint.workload.disjoint_sets import DisjointSets
from trainlint.workload.flows import maybe_many

__all__ = ["Communicator", "Rank", "communicators", "computing", "settings_of", "single_ranks"]

_SSH: Final = "what sshd gives its sessions (the container's own variables do not reach ranks that ssh starts)"
_PASSES_ALL: Final = frozenset({"horovodrun", "mpiexec.hydra"})


@fact
class Rank:
    """The ranks of one pod set: the container that they run in, the variables that they see.

    ``hidden`` is what may set variables that are not in Git, so that an absent one need not be unset. ``teller``
    is the pod set whose manifest sets them: a launcher, or the set itself.
    """

    pod_set: PodSet
    container: Container
    settings: Mapping[str, Variable]
    hidden: tuple[str, ...]
    teller: PodSet

    @property
    def computes(self) -> bool:
        """Whether the pods have accelerators, or may have: without them nothing starts NCCL."""
        spec = self.pod_set.spec
        visible = self.container.env and any(
            entry.name == "NVIDIA_VISIBLE_DEVICES" and not entry.injected for entry in self.container.env
        )
        return bool(
            accelerators_of(spec) or spec.resource_claims or "containers.resources" in spec.undetermined or visible
        )

    def value(self, name: str) -> str | None:
        """The known value of a variable; ``None`` where it is absent or not known."""
        found = self.settings.get(name)
        return found.value if found is not None and isinstance(found.value, str) else None


@fact
class Communicator:
    """Ranks that exchange data; ``spans`` says that they sit in more than one pod."""

    group: Group
    ranks: tuple[Rank, ...]
    spans: bool


def communicators(groups: Sequence[Group]) -> Iterator[Communicator]:
    """The communicators of all groups, with the pod sets in them that compute."""
    for group in groups:
        launcher = next((member for member in group.members if _mpi(member)), None)
        for indices in _exchanging(group):
            members = [group.members[index] for index in indices]
            spans = len(members) > 1 or any(maybe_many(member) for member in members)
            ranks = tuple(rank for member in members for rank in _ranks(member, launcher))
            yield Communicator(group, ranks, spans)


def single_ranks(workloads: Workloads) -> Iterator[Rank]:
    """The ranks in pods that compute and belong to no group."""
    grouped = {id(member) for group in workloads.groups for member in group.members}
    for pod_set in workloads.pod_sets:
        if pod_set.replicas != 0 and id(pod_set) not in grouped and accelerators_of(pod_set.spec):
            yield from _ranks(pod_set, None)


def computing(pod_set: PodSet) -> tuple[Container, ...]:
    """The containers that hold accelerators; all of them where none does."""
    holding = tuple(each for each in pod_set.spec.containers if holds_accelerators(each))
    return holding or pod_set.spec.containers


def settings_of(container: Container) -> dict[str, Variable]:
    """The variables that the container's processes see: without those that a script sets for itself only.

    RCCL does not read NCCL's files (N 1.1).
    """
    rocm = "rocm" in container.image.lower()
    exported = {entry.name for entry in container.env}
    own: set[str] = set()
    for command in commands(container):
        if command.words:
            exported.update(name for name, _, _ in command.assignments)
            exported.update(word.text.partition("=")[0] for word in command.words[1:])
        else:
            own.update(name for name, _, _ in command.assignments)
    return {
        name: variable
        for name, variable in environment(container).items()
        if (variable.carrier is not Carrier.SCRIPT or name in exported or name not in own)
        and not (rocm and variable.carrier is Carrier.FILE)
    }


def _exchanging(group: Group) -> list[list[int]]:
    sets = DisjointSets(range(len(group.members)))
    ranks: set[int] = set()
    for flow in group.flows:
        if flow.kind is FlowKind.COLLECTIVE and flow.target is not None:
            sets.join(flow.source, flow.target)
            ranks |= {flow.source, flow.target}
    return sets.among(sorted(ranks))


def _ranks(pod_set: PodSet, launcher: PodSet | None) -> Iterator[Rank]:
    if pod_set.replicas == 0:
        return
    told = launcher is not None and launcher is not pod_set and not _launches(pod_set)
    for container in computing(pod_set):
        if told and launcher is not None:
            settings, hidden = _passed_on(launcher)
            yield Rank(pod_set, container, settings, (*hidden, _SSH), launcher)
        else:
            yield Rank(pod_set, container, settings_of(container), hidden_carriers(container), pod_set)


def _mpi(pod_set: PodSet) -> bool:
    return any(command.program in MPI_PROGRAMS for each in pod_set.spec.containers for command in commands(each))


def _launches(pod_set: PodSet) -> bool:
    """Whether the pods start ranks themselves, and do not only wait for ssh."""
    return _mpi(pod_set) or any(marker.rank for each in pod_set.spec.containers for marker in markers(each))


def _passed_on(launcher: PodSet) -> tuple[dict[str, Variable], tuple[str, ...]]:
    """What mpirun gives the ranks: ``-x NAME=VALUE``, and ``-x NAME`` of its own environment."""
    found: dict[str, Variable] = {}
    hidden: list[str] = []
    for container in launcher.spec.containers:
        own = environment(container)
        hidden += hidden_carriers(container)
        found |= {name: each for name, each in own.items() if each.carrier is Carrier.MPI}
        for command in commands(container):
            if command.program not in MPI_PROGRAMS:
                continue
            texts = [word.text for word in command.words]
            named = {texts[index + 1] for index, text in enumerate(texts[:-1]) if text in {"-x", "-genvlist"}}
            if command.program in _PASSES_ALL:
                named |= set(own)
            found |= {name: own[name] for name in named if name in own}
            found |= {name: each for name, each in own.items() if name.startswith("OMPI_MCA_")}
    return found, tuple(hidden)
