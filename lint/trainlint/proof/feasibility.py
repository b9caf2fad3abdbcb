"""Where one pod of a set can be scheduled, and the filter to blame where it cannot be anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from trainlint.fact import fact
from trainlint.model.admission import Admission
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.kueue import Flavor
from trainlint.model.needs import NeedGround
from trainlint.model.pod import UNREAD_CONTAINERS
from trainlint.model.pool import Inventory, Pool
from trainlint.model.root import Root
from trainlint.model.settings import Settings
from trainlint.model.storage import Storage
from trainlint.model.workload import PodSet
from trainlint.proof.cause import Miss, PlacementCause
from trainlint.proof.shared_claims import beside_each_other
from trainlint.scheduling import dynamic_resources, volume_binding, volume_zone
from trainlint.scheduling.admission import NOTHING_KNOWN, admit
from trainlint.scheduling.filter import Doubt, Refusal, refusals
from trainlint.scheduling.node import Node
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.queue_flavor import with_flavors
from trainlint.scheduling.refusal import Code, DoubtGround

__all__ = ["Feasibility", "judge_pod_set", "zone_of"]

AFFINITY = "NodeAffinity"
TAINTS = "TaintToleration"
FIT = "NodeResourcesFit"
VOLUMES = frozenset({volume_binding.PLUGIN, volume_zone.PLUGIN})


@fact(eq=False, slots=False)
class Feasibility:
    """For each pool (by index): ``()`` in ``verdicts`` means that a pod fits on an empty node of it.

    ``needs`` is what must exist outside Git for that, on an ideal cluster, beside the devices of claims.
    """

    pod_set: PodSet
    pod: Pod
    verdicts: Mapping[int, tuple[Refusal | Doubt, ...]]
    cause: PlacementCause | None
    needs: tuple[Because, ...] = ()

    @cached_property
    def pools(self) -> frozenset[int]:
        """The pools whose nodes take a pod."""
        return frozenset(index for index, verdict in self.verdicts.items() if not verdict)

    @cached_property
    def doubtful(self) -> frozenset[int]:
        """The pools of which that is unknown."""
        return frozenset(
            index
            for index, verdict in self.verdicts.items()
            if verdict and all(isinstance(each, Doubt) for each in verdict)
        )

    def hopeful(self) -> Feasibility:
        """The same, with every doubt decided in favour of the pod: what is impossible then is surely impossible."""
        verdicts = {index: () if index in self.doubtful else verdict for index, verdict in self.verdicts.items()}
        return Feasibility(self.pod_set, self.pod, verdicts, self.cause, self.needs)

    def doubts(self) -> tuple[Because, ...]:
        """What is not known."""
        return tuple(
            dict.fromkeys(
                each.why for index in self.doubtful for each in self.verdicts[index] if isinstance(each, Doubt)
            )
        )


def judge_pod_set(
    pod_set: PodSet,
    inventory: Inventory,
    nodes: Sequence[Node],
    settings: Settings,
    admission: Admission = NOTHING_KNOWN,
    storage: Storage | None = None,
    choices: Sequence[Sequence[Flavor]] | None = None,
) -> Feasibility:
    """Every static filter on every pool. A cause is there only where no pool takes a pod and no other nodes exist.

    ``choices`` are the flavors of which Kueue may choose for a pod set with a queue, ``None`` where they are unknown.
    """
    made = admit(pod_set, settings, admission)
    if pod_set.queue and choices and len(choices) == 1:
        made = admit(replace(pod_set, spec=with_flavors(pod_set.spec, choices[0])), settings, admission)
    verdicts = {
        index: made.judged(refusals(made.pod, node, storage=storage))
        for index, node in enumerate(nodes)
        if node.pool.maximum != 0
    }
    if pod_set.spec.resource_claims:
        verdicts = beside_each_other(pod_set, made.pod, _stopped_by_errors(verdicts, nodes), nodes)
    for part in pod_set.spec.undetermined:
        ground = DoubtGround.UNREAD_CONTAINERS if part == UNREAD_CONTAINERS else DoubtGround.TEMPLATE
        need = None if part == UNREAD_CONTAINERS else Because(NeedGround.TEMPLATE, (part, pod_set.name))
        doubt = Doubt("template", Because(ground, (part, pod_set.name)), need=need, filled=True)
        verdicts = {index: verdict or (doubt,) for index, verdict in verdicts.items()}
    needs: tuple[Because, ...] = ()
    if inventory.ideal:
        needs, verdicts = _taken_for_there(verdicts, filled=inventory.invented)
    if pod_set.queue and choices is not None and len(choices) > 1:
        verdicts = _by_flavor(
            pod_set,
            [
                judge_pod_set(pod_set, inventory, nodes, settings, admission, storage, (each,)).verdicts
                for each in choices
            ],
            chosen=inventory.ideal,
        )
    elif pod_set.queue and not choices:
        verdicts = {index: _admitted_by_kueue(pod_set, verdict) for index, verdict in verdicts.items()}
    judged = Feasibility(pod_set, made.pod, verdicts, None, needs)
    hopeless = verdicts and not judged.pools and not judged.doubtful
    if not hopeless or not inventory.complete or pod_set.spec.undetermined or pod_set.spec.node_name:
        return judged
    cause = _cause(pod_set, made.pod, nodes, verdicts)
    if inventory.ideal and cause is not None:
        cause = replace(cause, anywhere=True)
    if choices and cause is not None and _fits_unqueued(pod_set, nodes, settings, admission, storage):
        cause = replace(cause, root=Root.FLAVOR)
    return Feasibility(pod_set, made.pod, verdicts, cause, needs)


def _taken_for_there(
    verdicts: Mapping[int, tuple[Refusal | Doubt, ...]], *, filled: bool
) -> tuple[tuple[Because, ...], dict[int, tuple[Refusal | Doubt, ...]]]:
    """What an ideal cluster must have outside Git, and the verdicts where it has that.

    ``filled`` says that its nodes were made for whatever placeholders stand for.
    """
    doubts = [each for verdict in verdicts.values() for each in verdict if isinstance(each, Doubt)]
    needs = (each.need for each in doubts if each.need and not each.devices and (filled or not each.filled))
    left = {
        index: tuple(
            each for each in verdict if isinstance(each, Refusal) or not each.need or (each.filled and not filled)
        )
        for index, verdict in verdicts.items()
    }
    return tuple(dict.fromkeys(needs)), left


def _stopped_by_errors(
    verdicts: Mapping[int, tuple[Refusal | Doubt, ...]], nodes: Sequence[Node]
) -> dict[int, tuple[Refusal | Doubt, ...]]:
    """The verdicts where an error on one node that all other filters let pass keeps the pod from every node."""
    errors = [
        verdict
        for index, verdict in verdicts.items()
        if nodes[index].pool.minimum
        and len(verdict) == 1
        and isinstance(verdict[0], Refusal)
        and verdict[0].code is Code.ERROR
        and verdict[0].plugin == dynamic_resources.PLUGIN
    ]
    return {index: verdict or (errors[0] if errors else ()) for index, verdict in verdicts.items()}


def _admitted_by_kueue(pod_set: PodSet, verdict: tuple[Refusal | Doubt, ...]) -> tuple[Refusal | Doubt, ...]:
    """Kueue adds the tolerations of the flavor that it chooses (S 2.2), so an untolerated taint proves nothing."""
    doubt = Doubt(TAINTS, Because(DoubtGround.KUEUE_TOLERATIONS, (pod_set.name, pod_set.queue)), pod_set.at)
    return tuple(doubt if isinstance(each, Refusal) and each.plugin == TAINTS else each for each in verdict)


def _fits_unqueued(
    pod_set: PodSet, nodes: Sequence[Node], settings: Settings, admission: Admission, storage: Storage | None
) -> bool:
    """Whether some node would take a pod that Kueue had added nothing to: then it is the flavor that is to blame."""
    made = admit(pod_set, settings, admission)
    answers = (made.judged(refusals(made.pod, node, storage=storage)) for node in nodes if node.pool.maximum != 0)
    return any(not any(isinstance(each, Refusal) for each in answer) for answer in answers)


def _by_flavor(
    pod_set: PodSet, found: Sequence[Mapping[int, tuple[Refusal | Doubt, ...]]], *, chosen: bool = False
) -> dict[int, tuple[Refusal | Doubt, ...]]:
    """What holds whichever flavors Kueue chooses; which it chooses depends on what else is queued.

    ``chosen`` says that it chooses the flavor of each node, which it may.
    """
    verdicts = {}
    for index in found[0]:
        each = [verdict[index] for verdict in found]
        fits, refused = [not one for one in each], [any(isinstance(one, Refusal) for one in all_) for all_ in each]
        if all(fits) or all(refused) or (chosen and any(fits)):
            verdicts[index] = () if any(fits) else each[0]
        else:
            doubt = Doubt("Kueue", Because(DoubtGround.KUEUE_FLAVORS, (pod_set.name, pod_set.queue)), pod_set.at)
            verdicts[index] = (doubt,)
    return verdicts


def _cause(
    pod_set: PodSet, pod: Pod, nodes: Sequence[Node], verdicts: Mapping[int, tuple[Refusal | Doubt, ...]]
) -> PlacementCause | None:
    """The filter to blame (decision 1): first among the nodes that match, then what all of them lack."""
    misses = [
        Miss(nodes[index].pool, tuple(each for each in verdict if isinstance(each, Refusal)))
        for index, verdict in verdicts.items()
    ]
    misses.sort(key=lambda miss: len(miss.refusals))
    matching = [miss for miss in misses if not _refused_by(miss, AFFINITY)]
    if not matching:
        return PlacementCause(Root.NODE_SELECTION, pod_set, tuple(misses), pod=pod)
    tainted = [miss for miss in matching if [each.plugin for each in miss.refusals] == [TAINTS]]
    if tainted:
        return PlacementCause(Root.TAINTS, pod_set, tuple(tainted), pod=pod)
    deviceless = [miss for miss in matching if [each.plugin for each in miss.refusals] == [dynamic_resources.PLUGIN]]
    if deviceless:
        return PlacementCause(Root.DEVICES, pod_set, tuple(deviceless), pod=pod)
    if all(_refused_by(miss, FIT) for miss in matching):
        return PlacementCause(Root.NODE_SIZE, pod_set, tuple(matching), pod=pod)
    elsewhere = [miss for miss in matching if all(_is_of_volume(each) for each in miss.refusals)]
    if elsewhere:
        return PlacementCause(Root.VOLUME_ZONE, pod_set, tuple(elsewhere), pod=pod)
    return None


def _is_of_volume(refusal: Refusal) -> bool:
    """Whether a volume is elsewhere: the refusal points at the volume or the class that says where."""
    return refusal.plugin in VOLUMES and refusal.node_at is not None


def _refused_by(miss: Miss, plugin: str) -> bool:
    return any(each.plugin == plugin for each in miss.refusals)


def zone_of(pool: Pool, key: str) -> str | None:
    """The pool's domain; ``None`` where it is not known."""
    value = pool.label(key)
    return None if isinstance(value, Undetermined) else value
