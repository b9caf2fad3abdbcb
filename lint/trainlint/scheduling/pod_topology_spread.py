"""PodTopologySpread: hard spread constraints (S 1.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Undetermined
from trainlint.model.pod import SpreadConstraint
from trainlint.model.pool import Pool
from trainlint.scheduling import node_affinity, taint_toleration
from trainlint.scheduling.counter import Counter, Here, Kinds
from trainlint.scheduling.node import OWN, Node, node_of
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Code, DoubtGround
from trainlint.scheduling.requirement import selector_error, selector_matches

__all__ = ["PLUGIN", "HardSpread", "SpreadRules", "eligible_domains", "eligible_nodes", "rules", "verdict"]

PLUGIN = "PodTopologySpread"
_HIDDEN = Because(DoubtGround.SPREAD_PLACEHOLDERS)


@fact
class HardSpread:
    """One hard constraint: the counter (on eligible nodes only) and what the skew may be."""

    counter: Counter
    max_skew: int
    min_domains: int
    selects_itself: bool


@fact
class SpreadRules:
    """What the filter asks of a node for one pod; ``error`` is why a selector cannot be read."""

    constraints: tuple[HardSpread, ...] = ()
    doubtful: Kinds = frozenset()
    doubt: Because | None = None
    error: str = ""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to check."""
        return not (self.constraints or self.error or self.doubt)


Lowest = Callable[[HardSpread], int]
"""The smallest count of an eligible domain; 0 if there are fewer domains than minDomains."""


def eligible_nodes(constraint: SpreadConstraint, pod: Pod, nodes: Sequence[Node]) -> tuple[bool | None, ...]:
    """Whether the domain of each node takes part: by the keys of all hard constraints, and the two node policies;
    ``None`` where that is not known.
    """
    keys = [each.topology_key for each in pod.spec.spread if each.hard]
    return tuple(_eligible(constraint, pod, node, keys) for node in nodes)


def eligible_domains(constraint: SpreadConstraint, pod: Pod, pools: Sequence[Pool]) -> list[str]:
    """The topology values that take part, sorted; a pool in which every node is its own domain is named by itself."""
    nodes = [node_of(pool) for pool in pools]
    values = set()
    for node, eligible in zip(nodes, eligible_nodes(constraint, pod, nodes), strict=True):
        value = node.domain(constraint.topology_key)
        if eligible and isinstance(value, str):
            values.add(node.pool.name if value == OWN else value)
    return sorted(values)


def rules(pod: Pod, kinds: Sequence[Pod], nodes: Sequence[Node]) -> SpreadRules:
    """The rules for one pod among placed pods of the given kinds, on these nodes."""
    hard = [constraint for constraint in pod.spec.spread if constraint.hard]
    if not hard:
        if "topologySpreadConstraints" in pod.spec.undetermined:
            return SpreadRules(doubt=_HIDDEN)
        return SpreadRules()
    error = next(filter(None, (selector_error(constraint.selector) for constraint in hard)), "")
    if error:
        return SpreadRules(error=error)
    doubtful: set[int] = set()
    doubt = _HIDDEN if "topologySpreadConstraints" in pod.spec.undetermined else None
    found = []
    for constraint in hard:
        counted = set()
        for index, kind in enumerate(kinds):
            answer = _counts(constraint, pod, kind)
            if answer is None:
                doubtful.add(index)
            elif answer:
                counted.add(index)
        eligible = eligible_nodes(constraint, pod, nodes)
        if None in eligible:
            doubt = doubt or Because(DoubtGround.SPREAD_DOMAINS, (constraint.topology_key,))
        itself = selector_matches(constraint.selector, pod.labels)
        if itself is None:
            doubt = doubt or Because(DoubtGround.OWN_SPREAD)
        found.append(
            HardSpread(
                Counter(
                    constraint.topology_key,
                    frozenset(counted),
                    frozenset(index for index, each in enumerate(eligible) if each),
                ),
                constraint.max_skew,
                constraint.min_domains if constraint.min_domains is not None else 1,
                selects_itself=itself is True,
            )
        )
    return SpreadRules(tuple(found), frozenset(doubtful), doubt)


def verdict(asked: SpreadRules, here: Here, lowest: Lowest) -> Code | None:
    """Whether a node passes, by the counts in its domains; ``None`` if it does."""
    if asked.error:
        return Code.ERROR
    for constraint in asked.constraints:
        count = here(constraint.counter)
        if count is None:
            return Code.UNRESOLVABLE
        if count + constraint.selects_itself - lowest(constraint) > constraint.max_skew:
            return Code.UNSCHEDULABLE
    return None


def _eligible(constraint: SpreadConstraint, pod: Pod, node: Node, keys: Sequence[str]) -> bool | None:
    values = [node.domain(key) for key in keys]
    if None in values:
        return False
    affine: bool | None = True
    if constraint.node_affinity_policy != "Ignore":
        affine = node_affinity.matches(pod.spec, node)
    untainted: bool | None = True
    if constraint.node_taints_policy == "Honor":
        untainted = taint_toleration.passes(pod.spec, node.pool.taints)
    if affine is False or untainted is False:
        return False
    known = affine and untainted and not any(isinstance(value, Undetermined) for value in values)
    return True if known else None


def _counts(constraint: SpreadConstraint, pod: Pod, kind: Pod) -> bool | None:
    """Whether placed pods of the kind are counted; a selector without requirements counts no pod (S 1.7)."""
    if kind.namespace != pod.namespace or kind.terminating:
        return False
    if constraint.selector is None or not constraint.selector.requirements:
        return False
    return selector_matches(constraint.selector, kind.labels)
