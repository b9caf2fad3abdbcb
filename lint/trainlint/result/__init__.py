"""What one run found out, with every place resolved: all that reporters and exit codes read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from trainlint.fact import fact
from trainlint.finding import Finding, Location, Path, Safety, Severity, Span
from trainlint.model.known import Answer
from trainlint.model.needs import Needs

if TYPE_CHECKING:
    from trainlint.result.graph import GroupGraph

__all__ = [
    "Baseline",
    "BaselineEntry",
    "Comparison",
    "Failure",
    "FileChange",
    "GroupVerdict",
    "NeededFlow",
    "Placed",
    "PlacedRelated",
    "PlacedUnknown",
    "Repair",
    "Result",
    "RoleVerdict",
    "SnapshotSummary",
    "TextEdit",
    "Unrepaired",
]


@fact
class SnapshotSummary:
    """A snapshot that was found: its name, how many documents it holds, and why it is one."""

    name: str
    documents: int
    why: str = ""


@fact
class PlacedRelated:
    """A related place of a finding: its role, where it is, and the source lines of its span (a few at most).

    ``cause`` numbers the irreducible set of places that it belongs to; 0 where it only belongs to the story.
    """

    role: str
    file: str
    span: Span
    path: Path = ()
    lines: tuple[str, ...] = ()
    base: bool = False
    cause: int = 0


@fact
class Placed:
    """A finding with its place: ``path`` and ``span`` are those of the nearest parent that exists.

    ``lines`` are the first source lines of the span, without line ends. ``reason`` is what a suppression says.
    ``base`` means that file and span are those of the base revision: what stood there was removed.
    """

    finding: Finding
    span: Span
    path: Path = ()
    related: tuple[PlacedRelated, ...] = ()
    lines: tuple[str, ...] = ()
    reason: str = ""
    base: bool = False


@fact
class RoleVerdict:
    """A pod set of a group: how many pods (``None``: unknown), and the zones in which one of them can run.

    ``zones`` is ``None`` without an inventory, empty where no node takes a pod. A ``dependency`` serves several groups
    and need not share their zone. ``at`` is the object that makes the pods.
    """

    name: str
    pods: int | None
    zones: tuple[str, ...] | None = None
    dependency: bool = False
    at: Location | None = None


@fact
class NeededFlow:
    """A connection that the group needs, by names of roles (or of the cluster's DNS), with protocol and ports as text.

    ``denied`` means wherever the pods land; ``cut`` holds the pairs of zones in which the scheduler may put its two
    ends although the flow is denied there.
    """

    source: str
    target: str
    ports: str
    denied: bool = False
    cut: tuple[tuple[str, str], ...] = ()


@fact
class GroupVerdict:
    """The three answers about one group in one snapshot; ``pods`` is ``None`` where the number is unknown.

    ``missing`` says why an answer is unknown, ``notes`` what else is worth knowing. ``connections`` says whether all
    needed flows are permitted, ``needs`` what the cluster must have where an answer is conditional. ``across`` says
    that no zone takes all its pods, and several zones together do. ``at`` is where the group is written if its name
    holds a placeholder, and so may be that of others too, ``place`` the same as file and line.
    """

    name: str
    kind: str
    snapshot: str
    pods: int | None
    exists: Answer
    for_all: Answer
    viable_zones: tuple[str, ...] = ()
    witness: Mapping[str, Any] = field(default_factory=dict)
    counterexample: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    roles: tuple[RoleVerdict, ...] = ()
    flows: tuple[NeededFlow, ...] = ()
    connections: Answer = Answer.UNKNOWN
    needs: Needs | None = None
    across: bool = False
    at: Location | None = None
    place: str = ""

    @property
    def shown(self) -> str:
        """The name, with the place where it alone does not say which group it is."""
        return f"{self.name} ({self.place})" if self.place else self.name

    @property
    def answer(self) -> Answer:
        """Both answers in one: refuted if one is, proved if both are."""
        return Answer.of_all((self.exists, self.for_all))


@fact
class PlacedUnknown:
    """A fact that is not there, with its place where it has one."""

    subject: str
    missing: str
    remedy: str = ""
    file: str | None = None
    line: int | None = None


@fact
class Failure:
    """A rule that broke: our fault. What it would have found is not in the result."""

    rule: str
    message: str


@fact
class Comparison:
    """What a change did: ``findings`` of the result are those that it brings in.

    ``base`` is the revision as it was named, ``commit`` the commit that it was (empty where the repository had none
    yet). ``fixed`` are findings that were there and are not any more (with their places in the base revision),
    ``unchanged`` counts those that were there and still are.
    """

    base: str
    commit: str
    fixed: tuple[Placed, ...] = ()
    unchanged: int = 0


@fact
class BaselineEntry:
    """A finding that a baseline accepts: its identity, and what people read."""

    id: str
    rule: str
    severity: str
    file: str
    path: str
    message: str


@fact
class Baseline:
    """What a baseline did: ``accepted`` findings are left out of ``findings``.

    ``stale`` entries are those whose finding is gone, ``elsewhere`` those that this run did not look at (another part
    of the repository, a rule that was not selected). ``written`` is true where this run wrote the file.
    """

    file: str
    accepted: tuple[Placed, ...] = ()
    stale: tuple[BaselineEntry, ...] = ()
    elsewhere: tuple[BaselineEntry, ...] = ()
    written: bool = False


@fact
class TextEdit:
    """The text of a span becomes another one; line ends of ``text`` are those of the file."""

    span: Span
    text: str


@fact
class FileChange:
    """A file before and after a repair, and the lines that differ. ``edits`` are about the file as it is, and do not
    overlap.
    """

    file: str
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    edits: tuple[TextEdit, ...] = ()


@fact
class Repair:
    """Fixes that together remove findings (``fixes``, by id), tried on the model: those are gone and nothing new came.

    ``steps`` say what is done; ``edits`` counts the places. ``group`` is the group that is fixed, if it is about one,
    in ``snapshot``. ``opens`` says what a repair lets in that admits more traffic: it is only shown. ``leaves``
    are findings that a fixed group leaves behind: what is of no use any more.
    """

    steps: tuple[str, ...]
    safety: Safety
    changes: tuple[FileChange, ...]
    fixes: tuple[str, ...]
    edits: int
    group: str = ""
    snapshot: str = ""
    opens: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()


@fact
class Unrepaired:
    """A group for which no repair was found, and why."""

    group: str
    snapshot: str
    why: str


@fact
class Result:
    """Everything one run found out. ``analysed`` is false where there was nothing to analyse.

    ``fail_on`` is the least severity that the configuration lets fail a run. ``graphs`` are those of ``groups``, in
    the same order, where they were asked for. ``repairs`` is ``None`` where none were asked for; ``unrepaired`` are
    the groups for which there is none, ``changes`` the files with all repairs that are to be applied.
    """

    root: str
    snapshots: tuple[SnapshotSummary, ...] = ()
    findings: tuple[Placed, ...] = ()
    suppressed: tuple[Placed, ...] = ()
    groups: tuple[GroupVerdict, ...] = ()
    unknowns: tuple[PlacedUnknown, ...] = ()
    assumptions: tuple[str, ...] = ()
    analysed: bool = True
    failures: tuple[Failure, ...] = ()
    comparison: Comparison | None = None
    baseline: Baseline | None = None
    fail_on: Severity = Severity.ERROR
    graphs: tuple[GroupGraph, ...] = ()
    repairs: tuple[Repair, ...] | None = None
    unrepaired: tuple[Unrepaired, ...] = ()
    changes: tuple[FileChange, ...] = ()
