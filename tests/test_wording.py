"""Words stand in one place: causes hold data, and what is said of them is made in ``wording``, of all their values."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import get_args

import pytest

import trainlint
from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.flaws import FlawRole, FormFlaw, JobFlaw, KindFlaw, ObjectFlaw, PodFlaw, SchemaFlaw, ValueType
from trainlint.admission.ground import AdmissionGround, RefusedPart
from trainlint.admission.pod_group_flaws import PodGroupFlaw
from trainlint.admission.problem import Problem
from trainlint.admission.volcano_flaws import VolcanoFlaw
from trainlint.causes.constraint import Constraint, Subject
from trainlint.checks.ground import GroupGround, PluginGround
from trainlint.checks.refusals import Refused, RefusedObject
from trainlint.checks.stopped_groups import StoppedGroup
from trainlint.control_plane.ground import ControlPlaneGround
from trainlint.control_plane.mesh_denials import MeshDenial
from trainlint.control_plane.need import Need
from trainlint.deploy.deployment import Deployment
from trainlint.deploy.ground import DeployGround
from trainlint.deploy.sources import SourceOwnership
from trainlint.fabric.ground import AttachmentGround, NetworkGround
from trainlint.finding import Finding, Location, Related
from trainlint.installed.ground import InstalledGround
from trainlint.installed.known_settings import KnownSettings
from trainlint.inventory.ground import PoolGround
from trainlint.kube.ground import FieldGround
from trainlint.launch.ground import VariableGround
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Undetermined
from trainlint.model.needs import NeedGround, Needs
from trainlint.model.policy import Condition, Decision, Rejection, Unenforced
from trainlint.model.refuser import Refuser
from trainlint.model.settings import Settings
from trainlint.model.workload import Colocation, Gang
from trainlint.policy.calico_ground import CalicoGround
from trainlint.policy.conflicts import Conflict
from trainlint.policy.ground import MergeGround, MissGround, PolicyGround, VerdictGround
from trainlint.policy.rejection_ground import RejectionGround, UnenforcedGround
from trainlint.policy.shortfall import Shortfall
from trainlint.proof.cause import CapacityCause, CutCause, DeadlockCause, FlowCause, PlacementCause, ZoneCause
from trainlint.proof.for_all import ForAll
from trainlint.proof.ground import ClosureGround, NoteGround, ProofGround
from trainlint.proof.group import GroupProof
from trainlint.proof.near_miss import NearEntry
from trainlint.proof.node_closure import NodeClosure
from trainlint.proof.zone_reason import Obstacle, ZoneReason
from trainlint.proof.zones import Zone
from trainlint.queues.ground import MissedGround, QueueGround, QueueRole
from trainlint.queues.late_members import LateMembers
from trainlint.queues.missed_queue import MissedQueue
from trainlint.queues.queue_cause import QueueCause
from trainlint.queues.queue_refusals import QueueRefusal
from trainlint.queues.quota import QuotaCause
from trainlint.rule import all_rules
from trainlint.scheduling.devices.outcome import DeviceGround
from trainlint.scheduling.ground import NodeGround
from trainlint.scheduling.kueue.ground import FlavorGround, InactiveGround
from trainlint.scheduling.kueue.match import KueueCode
from trainlint.scheduling.kueue.state import Inactive
from trainlint.scheduling.refusal import Doubt, DoubtGround, Ground, Refusal
from trainlint.snapshot.ground import SnapshotGround
from trainlint.wording.because import TEXTS
from trainlint.wording.filling import filled, places
from trainlint.wording.texts.argument import Phrase
from trainlint.workload.ground import PodGround, TieGround
from trainlint.workload.queue_names import QueueDoubt

HERE = Location("nodes.yaml", 1)
LINT = Path(trainlint.__file__).parent
DATA = [
    *get_args(Obstacle),
    *(ZoneReason, *get_args(Subject), Constraint, Refusal, Doubt, QuotaCause, Need, MeshDenial, Because),
    *(QueueCause, QueueRefusal, MissedQueue, LateMembers, Inactive, StoppedGroup, Refused, GroupProof, Zone, ForAll),
    *(Problem, RefusedObject, Undetermined, Needs, Decision, Shortfall, NearEntry, Conflict),
    *(CapacityCause, CutCause, DeadlockCause, FlowCause, PlacementCause, ZoneCause, NodeClosure),
    *(Rejection, Unenforced, Colocation, Gang, Settings, KnownSettings, Deployment, SourceOwnership),
]
SENTENCES = {
    "assumes",
    "assumptions",
    "breaks",
    "doubt",
    "bypass",
    "conflict",
    "message",
    "missing",
    "need",
    "notes",
    "only_if",
    "others",
    "reason",
    "remedy",
    "role",
    "said",
    "sentence",
    "text",
    "uncertain",
    "undecidable",
    "unsaid",
    "why",
    "words",
}
"""Names that fields have in this project which hold a sentence."""


@pytest.mark.parametrize("kind", DATA, ids=lambda kind: kind.__name__)
def test_causes_hold_no_sentence(kind: type) -> None:
    """A sentence in a field is read by another module sooner or later."""
    assert [each.name for each in fields(kind) if each.name in SENTENCES and "str" in str(each.type)] == []


def test_a_refusal_is_data() -> None:
    """Who refuses, what of the object, and why: the texts that a refusal holds are keys, and tell faults apart."""
    assert {each.name for each in fields(Problem) if str(each.type) == "str"} == {"cause", "lacks"}


GROUNDS = [
    *(ValueGround, FieldGround, PoolGround, PodGround, VariableGround, AttachmentGround, NetworkGround, PolicyGround),
    *(NodeGround, DeviceGround, NeedGround, VerdictGround, MergeGround, MissGround, Condition),
    *(DoubtGround, FlavorGround, Ground, InactiveGround, MissedGround, NoteGround, ProofGround, QueueDoubt),
    *(QueueGround, QueueRole, FlawRole),
    *(FormFlaw, JobFlaw, KindFlaw, ObjectFlaw, PodFlaw, SchemaFlaw, ValueType, Phrase),
    *(FieldFlaw, FieldPlace, PodGroupFlaw, VolcanoFlaw),
    *(GroupGround, TieGround, RefusedPart, Refuser, RejectionGround, UnenforcedGround, CalicoGround),
    *(AdmissionGround, ClosureGround, ControlPlaneGround, DeployGround, InstalledGround, PluginGround, SnapshotGround),
]
"""Every enumeration of grounds."""


def test_each_ground_has_a_sentence() -> None:
    """A ground without words breaks the report."""
    assert {each for ground in GROUNDS for each in ground} == {each for each in TEXTS if type(each) in GROUNDS}
    assert {type(each) for each in TEXTS} == {*GROUNDS, KueueCode}


def grounds() -> Iterator[tuple[str, Enum, int]]:
    """Where the program names a ground, which, and with how many values (those that stand there as a tuple)."""
    for path in sorted(LINT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "wording" not in path.parts and "Because(" in text:
            tree = ast.parse(text)
            functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
            rest = [each for each in tree.body if not isinstance(each, ast.FunctionDef | ast.ClassDef)]
            for scope in (ast.Module(rest, []), *functions):
                for ground, values, line in _named(scope):
                    yield f"{path.name}:{line}", ground, values


def _named(scope: ast.Module | ast.FunctionDef) -> Iterator[tuple[Enum, int, int]]:
    tuples = [
        (node.lineno, target.id, node.value)
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Because":
            given: ast.expr | None = node.args[1] if len(node.args) > 1 else ast.Tuple([])
            if isinstance(given, ast.Name):
                before = [(at, found) for at, name, found in tuples if name == given.id and at < node.lineno]
                given = max(before, key=lambda each: each[0])[1] if before else None
            if isinstance(given, ast.Tuple) and not any(isinstance(each, ast.Starred) for each in given.elts):
                for ground in filter(None, map(_ground, ast.walk(node.args[0]))):
                    yield ground, len(given.elts), node.lineno


def _ground(node: ast.AST) -> Enum | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        kind = next((each for each in GROUNDS if each.__name__ == node.value.id), None)
        return None if kind is None else kind[node.attr]
    return None


def told(ground: Enum) -> frozenset[int]:
    """The numbers of the values that the texts of a ground say or ask for."""
    text = TEXTS[ground]
    return frozenset[int]().union(*map(places, (text,) if isinstance(text, str) else text))


@pytest.mark.parametrize(("where", "ground", "values"), sorted(set(grounds()), key=str), ids=str)
def test_a_sentence_tells_all_values_of_its_ground(where: str, ground: Enum, values: int) -> None:
    """One value more is lost, one less breaks the report."""
    assert told(ground) == frozenset(range(values)), where


def test_every_ground_is_used() -> None:
    """What nothing says needs no words."""
    named = {
        found
        for path in sorted(LINT.rglob("*.py"))
        if "wording" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (found := _ground(node)) is not None
    }
    assert {each for kind in GROUNDS for each in kind} - named == set()


TAKING_APART = {"endswith", "partition", "removeprefix", "removesuffix", "rpartition", "rsplit", "split", "startswith"}
SAID = SENTENCES - {"text", "words"}
"""Texts and words are those of files, too."""


def taken_apart(tree: ast.AST) -> Iterator[str]:
    """Where something takes a sentence of another module apart, or looks for words in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKING_APART:
            said = node.func.value
            if isinstance(said, ast.Attribute) and said.attr in SAID and node.args:
                yield ast.unparse(node.func)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            (right,) = node.comparators[-1:]
            if isinstance(right, ast.Attribute) and right.attr in SAID and _is_word(node.left):
                yield ast.unparse(node)


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_no_module_takes_a_sentence_apart() -> None:
    """What a sentence says stands in data beside it."""
    roots = (LINT, LINT.parent.parent / "rules" / "trainlint_rules")
    paths = [path for root in roots for path in sorted(root.rglob("*.py"))]
    found = {f"{path.name}: {each}" for path in paths for each in taken_apart(ast.parse(path.read_text("utf-8")))}
    assert found == set()


def test_places_are_worked_out_when_a_finding_is_shown() -> None:
    """The smallest sets of places are the dearest part of a proof: a rule leaves them for later."""
    asked: list[str] = []
    finding = Finding("it hangs", Location("job.yaml", 0), related=lambda: [Related(asked.append("now") or "", HERE)])
    assert asked == []
    assert [each.at for each in (*finding.places, *finding.places)] == [HERE, HERE]
    assert asked == ["now"]


@pytest.mark.parametrize(
    ("text", "values", "sentence"),
    [
        ("{} names {}", ("a", "b"), "a names b"),
        ("{1} of {0}", ("a", "b"), "b of a"),
        ("there is no {0}[: it has {1}]", ("a", ""), "there is no a"),
        ("there is no {0}[: it has {1}]", ("a", "b"), "there is no a: it has b"),
        ("[name {0}|name one of {1}|add it]", ("", "b"), "name one of b"),
        ("[name {0}|name one of {1}|add it]", ("", ""), "add it"),
        ("on [{0?}one node|two nodes]", (False,), "on two nodes"),
        ("write {{}} for {}", ("a[b|c]{0}",), "write {} for a[b|c]{0}"),
        ("[{0!}|wait]", ("later",), "repair later"),
        ("[{0!}|wait]", ("never",), "wait"),
        ("[{1?}it is {0}|it is missing]", (0, True), "it is 0"),
        ("[{1?}it is missing|it is {0}]", (0, False), "it is 0"),
        ("in all[{0?} {1}|{1?} of {1}]", ("", 0), "in all"),
    ],
)
def test_a_text_is_filled(text: str, values: tuple[object, ...], sentence: str) -> None:
    def ends(value: object) -> str:
        return "" if value == "never" else f"repair {value}"

    assert filled(text, values, str, ends) == sentence


def test_every_rule_words_its_findings() -> None:
    """A rule's own module or folder makes its findings: no module below hands them up as they are."""
    silent = []
    for rule in all_rules():
        if rule.package != "trainlint_rules":
            continue
        source = Path(inspect.getfile(rule.check))
        folder = source.parent.rglob("*.py") if source.name == "__init__.py" else [source]
        calls = [node for path in folder for node in ast.walk(ast.parse(path.read_text("utf-8"))) if _words(node)]
        silent += [] if calls else [rule.name]
    assert silent == []


def _words(node: ast.AST) -> bool:
    """Whether a node makes a finding, or a fault with its words."""
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return False
    name = ast.unparse(node.func)
    return name in {"Finding", "Fault", "NetworkFault"} or name.endswith(".finding")


JUDGING = (
    *("admission", "causes", "checks", "control_plane", "facts", "proof", "queues", "questions/argument"),
    *("launch", "reachability", "references", "scheduling"),
    *("model/known.py", "model/policy.py", "model/pool.py", "policy"),
)
"""Packages whose causes are data. Those that read files, policies and jobs say in words what they cannot read."""
SAYING = {
    "admission/kinds/controllers.py": "keys that tell faults apart",
    "admission/kinds/jobset.py": "what a name is of",
    "admission/validation_rules.py": "why a rule is left open",
    "checks/preferred_affinity.py": "what a preference is called",
    "policy/goregex.py": "errors of a compiler of regular expressions",
    "policy/resolvers.py": "names of ends",
    "proof/default_namespace.py": "a namespace without a name",
    "queues/missed_queues.py": "a title of a repair",
    "references/settings_of_pods.py": "roles of places",
    "scheduling/devices/selection.py": "types of variables",
    "scheduling/fixes.py": "titles of repairs",
    "scheduling/node.py": "a domain without a name",
    "scheduling/node_affinity.py": "errors of selectors",
    "scheduling/requests.py": "what one rule alone says of extended resources",
    "scheduling/requirement.py": "errors of selectors, which nothing shows",
}
"""Modules with a sentence all the same, and what it is."""
WORD = re.compile(r"\b[A-Za-z][a-z']+\b")
FEWEST = 4
"""Words of a sentence; the values in it are not counted."""
ELSEWHERE = {"Fix", "Unknown", "UsageError"}
"""Titles of repairs, what is missing, and what is wrong with a command."""


def sentences(tree: ast.Module) -> Iterator[str]:
    """The sentences that a module writes, but for docstrings, errors and those of ELSEWHERE."""
    above = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        text = _literal(node, above.get(id(node)))
        if len(WORD.findall(text)) >= FEWEST and " " in text.strip() and not re.search(r"[\\^]|\(\?", text):
            chain = [node]
            while (upper := above.get(id(chain[-1]))) is not None and not isinstance(chain[-1], ast.stmt):
                chain.append(upper)
            if not any(map(_is_elsewhere, chain)):
                yield text


def _literal(node: ast.AST, above: ast.AST | None) -> str:
    if isinstance(above, ast.Expr) or (isinstance(above, ast.JoinedStr) and isinstance(node, ast.Constant)):
        return ""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else " " for each in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _is_elsewhere(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return name in ELSEWHERE or name.endswith("Error")
    return isinstance(node, ast.Raise)


def test_what_judges_writes_no_sentence() -> None:
    """Sentences stand in ``wording``; an exception that is no longer needed goes."""
    paths = [path for each in JUDGING for path in (sorted((LINT / each).rglob("*.py")) or [LINT / each])]
    found = {
        path.relative_to(LINT).as_posix(): said
        for path in paths
        if (said := [*sentences(ast.parse(path.read_text("utf-8")))])
    }
    assert {name: said for name, said in found.items() if name not in SAYING} == {}
    assert set(SAYING) - set(found) == set()


def test_a_sentence_is_found() -> None:
    """The search sees texts with values, and neither docstrings nor errors."""
    module = '''
"""A docstring of a few words."""
raise ValueError("an error of a few words")
why = f"the pods of {name} never start"
fix = Fix("let the pods start at once", edits)
'''
    assert [*sentences(ast.parse(module))] == ["the pods of   never start"]
