"""Edits of labels and ports: what would make an end meet a selector, or an entry list a port."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from difflib import SequenceMatcher
from itertools import islice, product

from trainlint.effort import spend
from trainlint.fact import fact
from trainlint.model.known import Undetermined
from trainlint.model.owned_labels import is_owned
from trainlint.model.policy import PolicyEntry, PortRule
from trainlint.model.selector import LabelSelector, Requirement
from trainlint.model.workload import PortRange
from trainlint.policy.identity import METADATA_NAME, NAMESPACE_LABELS, Endpoint
from trainlint.policy.matching import ALL_PORTS, ReadyEntry, ReadyPeer
from trainlint.policy.policyset import PolicySet
from trainlint.policy.selector import split_source
from trainlint.policy.shortfall import uncovered, unmet

__all__ = [
    "Edit",
    "Editor",
    "Edits",
    "LabelEdit",
    "PortEdit",
    "Question",
    "burden",
    "consistent",
    "order",
    "with_ports",
]

WAYS = 24
"""Combinations that are made of one entry at most."""


@fact
class LabelEdit:
    """A label set on the pods of one end (0: the source, 1: the target), or on their namespace; ``None``: removed."""

    end: int
    key: str
    value: str | None
    of_namespace: bool = False


@fact
class PortEdit:
    """A port added to the ports of an entry; ``rule`` is ``None`` where the entry shall list no ports at all."""

    entry: PolicyEntry
    rule: PortRule | None


Edit = LabelEdit | PortEdit
Edits = frozenset[Edit]


@fact(slots=False)
class Question:
    """A connection, and what can be changed about its ends.

    ``ends`` makes the two ends anew with labels changed. ``free`` says for each end which labels of the pods people
    write (``None``: the end has none: an address, an entity, a pod on the host network), ``same`` that both ends are
    pods of one workload.
    """

    protocol: str
    ports: PortRange | None
    ends: Callable[[frozenset[LabelEdit]], tuple[Endpoint, Endpoint]]
    free: tuple[Callable[[str], bool] | None, Callable[[str], bool] | None]
    same: bool = False
    _memo: dict[Edits, tuple[Endpoint, Endpoint]] = field(default_factory=dict, compare=False, repr=False)

    def placed(self, edits: Edits) -> tuple[Endpoint, Endpoint]:
        """Source and target after the edits of labels."""
        labels = frozenset(each for each in edits if isinstance(each, LabelEdit))
        key: Edits = frozenset(labels)
        if key not in self._memo:
            self._memo[key] = self.ends(labels)
        return self._memo[key]


@fact
class Editor:
    """Finds what would have to be edited about the ends of a connection, or about the ports of an entry."""

    policies: PolicySet
    question: Question

    def admitting(self, entry: ReadyEntry, subject: Endpoint, peer: Endpoint, here: int) -> Iterator[Edits]:
        """What would make an entry match: sets for each of its peers. ``here`` numbers the subject's end."""
        spend(5)
        ports = self._fit_ports(entry, subject, peer)
        if entry.selects_peer(peer, self.policies.rules) is True:
            others: list[LabelSelector] = [LabelSelector()]
        else:
            others = [each.peer.selector for each in entry.peers or () if _by_labels(each)]
        for own in self._fit(entry.entry.subject, subject, here, policed=True):
            for selector in others:
                for other in self._fit(selector, peer, 1 - here):
                    yield frozenset((*own, *other, *ports))

    def _fit_ports(self, entry: ReadyEntry, subject: Endpoint, peer: Endpoint) -> tuple[PortEdit, ...]:
        asked = self.question.ports
        spans = entry.spans_for(subject, peer, self.policies.rules)
        if not uncovered(spans, self.question.protocol, asked or ALL_PORTS):
            return ()
        rule = PortRule(self.question.protocol.upper(), asked) if asked is not None else None
        return (PortEdit(entry.entry, rule),)

    def _fit(
        self, selector: LabelSelector, end: Endpoint, index: int, *, policed: bool = False
    ) -> Iterator[tuple[LabelEdit, ...]]:
        """The sets of edits after which an end meets a selector; none where labels cannot do it."""
        options = [self._edits(item, end, index, meet=True) for item, _ in unmet(selector, end, policed=policed)]
        yield from islice(product(*options), WAYS)

    def evading(self, entry: ReadyEntry, subject: Endpoint, peer: Endpoint, here: int) -> Iterator[Edits]:
        """What would keep a deny from matching: the subject breaks one requirement, or the peer one of each match."""
        for item in entry.entry.subject.requirements:
            yield from (frozenset((edit,)) for edit in self._edits(item, subject, here, meet=False))
        matching = [each for each in entry.peers or () if each.matches(peer, self.policies.rules) is not False]
        options = [
            [edit for item in each.peer.selector.requirements for edit in self._edits(item, peer, 1 - here, meet=False)]
            for each in matching
        ]
        if matching:
            yield from (frozenset(chosen) for chosen in islice(product(*options), WAYS))

    def _edits(self, item: Requirement, end: Endpoint, index: int, *, meet: bool) -> list[LabelEdit]:
        """The edits of one label after which a requirement is met, or is not."""
        source, key = split_source(item.key)
        free = self.question.free[index]
        if free is None or source not in ("any", "k8s") or isinstance(end.labels.get(item.key), Undetermined):
            return []
        of_namespace = key.startswith(NAMESPACE_LABELS)
        name = key.removeprefix(NAMESPACE_LABELS)
        if self.policies.drops(item.key) or (of_namespace and name == METADATA_NAME):
            return []
        if not of_namespace and (name.startswith("io.") or not (free(name) and not ("/" in name and is_owned(name)))):
            return []
        wanted = item.operator in ("In", "Exists") if meet else item.operator in ("NotIn", "DoesNotExist")
        values = _nearest_first(item.values, end.labels.get(item.key)) if wanted else [None]
        end_index = 0 if self.question.same else index
        return [LabelEdit(end_index, name, value, of_namespace) for value in values]


def _by_labels(peer: ReadyPeer) -> bool:
    """Whether labels can make an end this peer."""
    return peer.peer.prefixes is None and not peer.peer.undecidable and peer.peer.kind not in ("Entities", "Nodes")


def _nearest_first(values: Sequence[str], current: object) -> Sequence[str | None]:
    """The values that look most like the one that is there first: it may be a typing error."""
    text = current if isinstance(current, str) else ""
    return sorted(values, key=lambda value: -_likeness(text, value)) or ["true"]


def _likeness(one: str, two: str) -> float:
    return SequenceMatcher(None, one, two).ratio()


def with_ports(entry: PolicyEntry, edits: Edits) -> PolicyEntry:
    """The entry with the ports that edits add to it."""
    mine = [each for each in edits if isinstance(each, PortEdit) and each.entry is entry]
    if not mine:
        return entry
    if any(each.rule is None for each in mine):
        return replace(entry, ports=None)
    return replace(entry, ports=(*(entry.ports or ()), *(each.rule for each in mine if each.rule is not None)))


def consistent(edits: Edits) -> bool:
    """Whether no label is set twice."""
    labels = [(each.end, each.key, each.of_namespace) for each in edits if isinstance(each, LabelEdit)]
    return len(labels) == len(set(labels))


def burden(edit: Edit, question: Question) -> int:
    """What an edit upsets: least a new label or port, then another value, a whole namespace or list, a removal."""
    if isinstance(edit, PortEdit):
        return 1 if edit.rule is not None else 3
    if edit.value is None:
        return 4
    if edit.of_namespace:
        return 3
    own: Mapping[str, object] = question.placed(frozenset())[edit.end].own_labels
    return 2 if edit.key in own else 0


def order(edit: Edit) -> tuple[object, ...]:
    """The key by which edits are sorted: labels first, the source's before the target's."""
    if isinstance(edit, LabelEdit):
        return (0, edit.end, edit.of_namespace, edit.key)
    return (1, edit.entry.at.file, edit.entry.at.document, str(edit.entry.at.path))
