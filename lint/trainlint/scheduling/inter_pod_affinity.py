"""InterPodAffinity: required pod affinity and anti-affinity, with the symmetry of the latter (S 1.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.fact import fact
from trainlint.model.because import Because
from trainlint.model.known import Known
from trainlint.model.namespace import METADATA_NAME, Namespaces
from trainlint.model.pod import AffinityTerm
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.scheduling.counter import Anywhere, Counter, Here, Kinds
from trainlint.scheduling.pod import Pod
from trainlint.scheduling.refusal import Code, DoubtGround
from trainlint.scheduling.requirement import selector_error, selector_matches
from trainlint.scheduling.ternary import every, some

__all__ = ["PLUGIN", "AffinityRules", "rules", "term_matches", "verdict"]

PLUGIN = "InterPodAffinity"
_SHARED = frozenset(
    {
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-name",
        "controller-revision-hash",
        "controller-uid",
        "job-name",
        "pod-template-hash",
    }
)
"""Labels that exist only at run time and have one value in all pods of a set."""


@fact
class AffinityRules:
    """What the filter asks of a node for one pod: counts that must or must not be zero in its domains.

    ``own`` says that the pod has terms itself; ``error`` is why a selector cannot be read, ``doubt`` why the
    answer is unknown; ``doubtful`` are kinds of which it is unknown whether a term matches.
    """

    own: bool = False

    affinity: tuple[Counter, ...] = ()
    starts: bool = False
    anti_affinity: tuple[Counter, ...] = ()
    symmetry: tuple[Counter, ...] = ()
    doubtful: Kinds = frozenset()
    doubt: Because | None = None
    error: str = ""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to check."""
        return not (self.own or self.symmetry or self.error or self.doubt or self.doubtful)


def term_matches(
    term: AffinityTerm,
    owner_namespace: str,
    namespaces: Namespaces,
    pod_labels: Mapping[str, Known[str]],
    pod_namespace: str,
    *,
    incoming: bool = True,
) -> bool | None:
    """Whether a term (its keys merged) of a pod in ``owner_namespace`` matches a pod; ``None`` where that is not known.

    ``incoming`` says that the term is the incoming pod's own: then a namespaceSelector that an empty set of labels
    satisfies matches every namespace, an upstream quirk that was recorded from 1.34 and 1.36 (S 8).
    """
    near = _namespace_matches(term, owner_namespace, namespaces, pod_namespace, incoming=incoming)
    if near is False or _term_error(term):
        return False
    return every((near, selector_matches(term.selector, pod_labels)))


def _namespace_matches(
    term: AffinityTerm, owner_namespace: str, namespaces: Namespaces, namespace: str, *, incoming: bool
) -> bool | None:
    if not term.namespaces and term.namespace_selector is None:
        return namespace == owner_namespace
    if namespace in term.namespaces:
        return True
    if term.namespace_selector is None:
        return False
    found = _selects_namespace(term.namespace_selector, namespace, namespaces)
    if not incoming:
        return found
    quirk = selector_matches(term.namespace_selector, {})
    return some((quirk, namespace in namespaces and found))


def _selects_namespace(selector: LabelSelector, namespace: str, namespaces: Namespaces) -> bool | None:
    """Whether a selector matches a namespace by its labels; one that does not exist has none."""
    if namespace not in namespaces:
        return selector_matches(selector, {})
    labels = namespaces[namespace]
    if labels is not None:
        return selector_matches(selector, {**labels, METADATA_NAME: namespace})
    by_name = [each for each in selector.requirements if each.key == METADATA_NAME]
    certain = selector_matches(LabelSelector(tuple(by_name)), {METADATA_NAME: namespace})
    return certain if certain is not True or len(by_name) == len(selector.requirements) else None


def rules(pod: Pod, kinds: Sequence[Pod], namespaces: Namespaces, *, own: int | None = None) -> AffinityRules:
    """The rules for one pod among placed pods of the given kinds; ``own`` is the index of its own kind among them."""
    terms = (*pod.spec.pod_affinity, *pod.spec.pod_anti_affinity)
    error = next(filter(None, (_term_error(term) for term in terms)), "")
    if error:
        return AffinityRules(own=True, error=error)
    doubtful: set[int] = set()

    def matched(term: AffinityTerm) -> Kinds:
        found, unsure = _selected((term,), pod, kinds, namespaces, own)
        doubtful.update(unsure)
        return found

    affinity = pod.spec.pod_affinity
    attracted, unsure = attractors(pod, kinds, namespaces, own=own)
    doubtful.update(unsure)
    starts = starts_alone(pod, namespaces)
    return AffinityRules(
        own=bool(terms),
        affinity=tuple(Counter(term.topology_key, attracted) for term in affinity),
        starts=starts is True,
        anti_affinity=_counters((term.topology_key, matched(term)) for term in pod.spec.pod_anti_affinity),
        symmetry=_counters(_symmetry(pod, kinds, namespaces, own, doubtful)),
        doubtful=frozenset(doubtful),
        doubt=_doubt(pod, starts=starts),
    )


def attractors(
    pod: Pod, kinds: Sequence[Pod], namespaces: Namespaces, *, own: int | None = None
) -> tuple[Kinds, Kinds]:
    """The kinds that all terms of the pod's required affinity select, and those of which that is unknown."""
    affinity = pod.spec.pod_affinity
    if not affinity or any(_term_error(term) for term in affinity):
        return frozenset(), frozenset()
    return _selected(affinity, pod, kinds, namespaces, own)


def starts_alone(pod: Pod, namespaces: Namespaces) -> bool | None:
    """Whether the first pod of all may start, because the pod matches its own terms (S 1.6); ``None`` where that is not
    known.
    """
    return every(_matches(term, pod, pod, namespaces, same=True) for term in pod.spec.pod_affinity)


def verdict(asked: AffinityRules, here: Here, anywhere: Anywhere) -> Code | None:
    """Whether a node passes, by the counts in its domains; ``None`` if it does."""
    if asked.error:
        return Code.UNRESOLVABLE
    if asked.affinity:
        counts = [here(counter) for counter in asked.affinity]
        if None in counts:
            return Code.UNRESOLVABLE
        if not all(counts) and (not asked.starts or any(anywhere(counter) for counter in asked.affinity)):
            return Code.UNRESOLVABLE
    if any(here(counter) for counter in asked.anti_affinity) or any(here(counter) for counter in asked.symmetry):
        return Code.UNSCHEDULABLE
    return None


def _doubt(pod: Pod, *, starts: bool | None) -> Because | None:
    parts = {"affinity", "affinity.podAffinity", "affinity.podAntiAffinity"} & set(pod.spec.undetermined)
    if parts:
        return Because(DoubtGround.AFFINITY_PLACEHOLDERS, (tuple(sorted(parts)),))
    return Because(DoubtGround.OWN_AFFINITY) if starts is None else None


def _selected(
    terms: Sequence[AffinityTerm], pod: Pod, kinds: Sequence[Pod], namespaces: Namespaces, own: int | None
) -> tuple[Kinds, Kinds]:
    found, unsure = set(), set()
    for index, kind in enumerate(kinds):
        answer = every(_matches(term, pod, kind, namespaces, same=index == own) for term in terms)
        if answer is None:
            unsure.add(index)
        elif answer:
            found.add(index)
    return frozenset(found), frozenset(unsure)


def _term_error(term: AffinityTerm) -> str:
    return selector_error(term.selector) or selector_error(term.namespace_selector)


def _matches(
    term: AffinityTerm, owner: Pod, target: Pod, namespaces: Namespaces, *, same: bool, incoming: bool = True
) -> bool | None:
    if same and term.selector is not None:
        term = _without_shared(term, term.selector)
    return term_matches(term, owner.namespace, namespaces, target.labels, target.namespace, incoming=incoming)


def _without_shared(term: AffinityTerm, selector: LabelSelector) -> AffinityTerm:
    """The term as it applies to a pod of the same set: a merged run-time value is the same there."""
    if not (term.match_label_keys or term.mismatch_label_keys):
        return term
    decided = tuple(
        requirement
        for requirement in selector.requirements
        if not (requirement.key in _SHARED and requirement.values == (f"<{requirement.key}>",))
    )
    refused = [
        requirement
        for requirement in selector.requirements
        if requirement.operator == "NotIn" and requirement not in decided
    ]
    never = (Requirement(refused[0].key, "DoesNotExist"),) if refused else ()
    return AffinityTerm(
        term.topology_key, LabelSelector((*decided, *never)), term.namespaces, term.namespace_selector, at=term.at
    )


def _symmetry(
    pod: Pod, kinds: Sequence[Pod], namespaces: Namespaces, own: int | None, doubtful: set[int]
) -> Iterator[tuple[str, Kinds]]:
    for index, kind in enumerate(kinds):
        terms = kind.spec.pod_anti_affinity
        if any(_term_error(term) for term in (*kind.spec.pod_affinity, *terms)):
            continue
        for term in terms:
            answer = _matches(term, kind, pod, namespaces, same=index == own, incoming=False)
            if answer is None:
                doubtful.add(index)
            elif answer:
                yield term.topology_key, frozenset((index,))


def _counters(parts: Iterable[tuple[str, Kinds]]) -> tuple[Counter, ...]:
    """One counter for each key: a pod of any of the kinds in the domain is one too many."""
    by_key: dict[str, Kinds] = {}
    for key, kinds in parts:
        by_key[key] = by_key.get(key, frozenset()) | kinds
    return tuple(Counter(key, kinds) for key, kinds in by_key.items() if kinds)
