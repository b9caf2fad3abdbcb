"""What holds of every repair of every case and of the lab (decision 14 of the rules).

A default deny and the labels of operators stay as they are, the repaired finding is gone, nothing new is wrong,
what opens is what every pair of pods says, and no Service or workload finds other pods than before.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from trainlint.engine.check import check
from trainlint.engine.current_repository import opened
from trainlint.engine.request import Repairs
from trainlint.facts.facts import Facts
from trainlint.finding import Severity
from trainlint.fix.store import replace_file
from trainlint.model.known import Undetermined
from trainlint.model.policy import Permission
from trainlint.model.workload import PodSet, PortRange
from trainlint.questions.probes import end_of
from trainlint.result import Repair, Result

TESTS = Path(__file__).parents[1]
CASES = sorted(path for path in (TESTS / "cases").glob("*/*--*") if not (path / "base").is_dir())
POLICIES = {"NetworkPolicy": "podSelector", "CiliumNetworkPolicy": "endpointSelector"}
POLICIES["CiliumClusterwideNetworkPolicy"] = "endpointSelector"
OPERATORS = re.compile(
    r"(batch|statefulset|apps|node)\.kubernetes\.io/|(jobset|leaderworkerset)\.sigs\.k8s\.io/|trainer\.kubeflow\.org/"
    r"|training\.kubeflow\.org/|ray\.io/|(\w+\.)?volcano\.sh/|pod-template-hash$|controller-uid$|job-name$"
    r"|controller-revision-hash$|kueue\.x-k8s\.io/(?!queue-name$|priority-class$|pod-group-name$)"
)
"""Labels that the controllers of the APIs in question write themselves, as their documentation says."""
EVERY = PortRange(1, 65535)
Pairs = dict[tuple[str, str], dict[str, frozenset[tuple[int, int]]]]


@pytest.fixture(params=[*CASES, TESTS / "lab"], ids=lambda path: path.name)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    shutil.copytree(request.param, root, ignore=shutil.ignore_patterns("case.yaml", "*.py", "*.md", "__pycache__"))
    return root


def documents(content: bytes) -> list[Any]:
    try:
        return [each for each in yaml.safe_load_all(content) if isinstance(each, dict)]
    except yaml.YAMLError:
        return []


def identity(document: Mapping[str, Any]) -> tuple[str, str, str]:
    meta = document.get("metadata") or {}
    return str(document.get("kind")), str(meta.get("namespace", "")), str(meta.get("name"))


def default_denies(content: bytes) -> dict[tuple[str, str, str], Any]:
    """What isolates: without a rule all of it, where it is about a whole namespace how many peers and ports it has."""
    found: dict[tuple[str, str, str], Any] = {}
    for each in documents(content):
        spec, selector = each.get("spec") or {}, POLICIES.get(str(each.get("kind")))
        if selector is None:
            continue
        rules = [rule for side in ("ingress", "egress") for rule in spec.get(side) or ()]
        if not any(rules):
            found[identity(each)] = spec
        elif not (spec.get(selector) or {}):
            found[identity(each)] = [sizes(rule) for rule in rules]
    return found


def sizes(rule: Mapping[str, Any]) -> dict[str, int]:
    return {key: len(value) for key, value in (rule or {}).items() if isinstance(value, list)}


def pod_labels(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Every label of pods: of templates, and of Pods themselves."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "labels" and path[-1:] == ("metadata",) and isinstance(each, dict):
                yield from ((path, name, text) for name, text in each.items())
            else:
                yield from pod_labels(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from pod_labels(each, (*path, index))


def labels_of(content: bytes) -> set[tuple[Any, ...]]:
    return {
        (identity(each), path, name, str(text))
        for each in documents(content)
        for path, name, text in pod_labels(each)
        if "template" in path or each.get("kind") == "Pod"
    }


def many(pods: PodSet) -> bool:
    return (pods.replicas, pods.instances) != (1, 1) or (pods.max_replicas or 1) > 1


def names(facts: Facts) -> dict[str, PodSet]:
    living = (each for each in facts.snapshot.workloads.pod_sets if each.replicas != 0)
    return {f"{each.namespace}/{each.name}": each for each in living}


def open_ports(facts: Facts, source: PodSet, target: PodSet, protocol: str) -> set[int] | None:
    """The ports on which pods may connect; ``None`` where that is not known."""
    verdict = facts.policies.verdict(end_of(source, facts), end_of(target, facts), protocol, EVERY)
    if verdict.answer is Permission.UNKNOWN:
        return None
    return {port for each in verdict.allowed for port in range(max(each.first, 1), each.last + 1)}


def gained(before: Facts, after: Facts) -> Pairs:
    """Every pair that can connect on more ports than before, asked one by one."""
    old, new, found = names(before), names(after), {}
    for source, one in new.items():
        for target, other in new.items():
            if source not in old or target not in old or (source == target and not many(one)):
                continue
            more = {}
            for protocol in ("TCP", "UDP", "SCTP"):
                past = open_ports(before, old[source], old[target], protocol)
                now = open_ports(after, one, other, protocol)
                if past is None or (now is None and len(past) == 65535):
                    continue
                ports = set(range(1, 65536)) if now is None else now - past
                if ports:
                    more[protocol] = frozenset(ranges(ports))
            if more:
                found[source, target] = more
    return found


def ranges(ports: set[int]) -> Iterator[tuple[int, int]]:
    left = sorted(ports)
    start = left[0]
    for port, following in zip(left, [*left[1:], -1], strict=True):
        if following != port + 1:
            yield start, port
            start = following


def said(texts: tuple[str, ...], pods: Mapping[str, PodSet]) -> Pairs:
    """The pairs of pods that sentences name, with their ports."""
    found: Pairs = {}
    for text in texts:
        ends, _, rest = text.partition(" on ")
        ports = said_ports(rest.removesuffix(", as far as is known"))
        if ends.endswith(" among each other"):
            those = ends.removesuffix(" among each other").removeprefix("the pods of ").split(" and ")
            pairs = [(one, other) for one in those for other in those if one != other or many(pods[one])]
        else:
            sources, _, targets = ends.partition(" to ")
            pairs = [(one, other) for one in sources.split(", ") for other in targets.split(", ")]
        for pair in pairs:
            if pair[0] in pods and pair[1] in pods:
                assert pair not in found
                found[pair] = ports
    return found


def said_ports(text: str) -> dict[str, frozenset[tuple[int, int]]]:
    whole = frozenset({(1, 65535)})
    if text == "every port":
        return dict.fromkeys(("TCP", "UDP", "SCTP"), whole)
    found = {}
    for part in text.split("; "):
        listed = re.findall(r"\d+(?:-\d+)?", part)
        spans = {(int(each.partition("-")[0]), int(each.rpartition("-")[2])) for each in listed}
        for protocol in re.findall(r"TCP|UDP|SCTP", part):
            found[protocol] = frozenset(spans) or whole
    return found


def finders(facts: Facts) -> dict[tuple[str, str], set[str]]:
    """The pods that each Service and workload finds by its selector."""
    selectors = {
        (str(each.ref), "service"): (each.ref.namespace, dict(each.selector or {}))
        for each in facts.snapshot.workloads.services
    }
    for item in facts.snapshot.objects:
        if item.meta.kind in ("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "PodDisruptionBudget"):
            labels = item.field.down("spec", "selector", "matchLabels").mapping or {}
            selectors[str(item.ref), "workload"] = (item.ref.namespace, dict(labels))
    return {
        key: {
            name
            for name, pods in names(facts).items()
            if pods.namespace == namespace and all(fits(pods, *label) for label in labels.items())
        }
        for key, (namespace, labels) in selectors.items()
        if labels
    }


def fits(pods: PodSet, key: str, value: Any) -> bool:
    own = pods.labels.get(key)
    return own == value or isinstance(own, Undetermined)


def changed_objects(repair: Repair) -> set[str]:
    """The names of the objects that a repair edits themselves, apart from their pod templates."""
    found = set()
    for change in repair.changes:
        old = {identity(each): each for each in documents(change.before)}
        for each in documents(change.after):
            past = old.get(identity(each))
            if past is None or past.get("metadata") != each.get("metadata") or selector(past) != selector(each):
                found.add(str((each.get("metadata") or {}).get("name")))
    return found


def selector(document: Mapping[str, Any]) -> Any:
    return (document.get("spec") or {}).get("selector")


def test_repairs_keep_to_the_decision(root: Path) -> None:
    first = check([root], repairs=Repairs.EACH)
    if not first.repairs:
        return
    before, _ = opened([root])
    for repair in first.repairs:
        _shape(repair)
        for change in repair.changes:
            replace_file(root, change.file, change.before, change.after)
        _effect(first, check([root]), repair)
        after, _ = opened([root])
        _traffic(before.facts, after.facts, repair)
        for change in repair.changes:
            replace_file(root, change.file, change.after, change.before)


def _shape(repair: Repair) -> None:
    """No default deny is touched, no label of an operator is set or taken away, no line grows without end."""
    for change in repair.changes:
        old, new = default_denies(change.before), default_denies(change.after)
        assert {key: new.get(key) for key in old} == old
        for _, _, name, _ in labels_of(change.before) ^ labels_of(change.after):
            assert not OPERATORS.match(name)
        known = set(change.before.decode("utf-8-sig").splitlines())
        wide = [line for line in change.after.decode("utf-8-sig").splitlines() if line not in known]
        assert all(len(line) <= max(120, *map(len, known)) for line in wide)


def _effect(first: Result, again: Result, repair: Repair) -> None:
    """What it says it fixes is gone, and no error is new."""
    assert not {each.finding.id for each in again.findings} & set(repair.fixes)
    errors = {each.finding.id for each in first.findings if each.finding.severity is Severity.ERROR}
    new = [each.finding for each in again.findings if each.finding.severity is Severity.ERROR]
    assert {each.rule for each in new if each.id not in errors} <= {each.finding.rule for each in first.findings}
    assert len(new) <= len(errors)


def _traffic(old: tuple[Facts, ...], new: tuple[Facts, ...], repair: Repair) -> None:
    """What it opens is what every pair says; Services and workloads find the same pods as before."""
    past = {each.snapshot.name: each for each in old}
    opens: Pairs = {}
    pods: dict[str, PodSet] = {}
    edited = changed_objects(repair)
    for facts in new:
        before = past.get(facts.snapshot.name)
        if before is None:
            continue
        opens |= gained(before, facts)
        pods |= names(facts)
        found, known = finders(facts), finders(before)
        for key in found.keys() & known.keys():
            assert found[key] == known[key] or key[0].rpartition("/")[2] in edited
    assert said(repair.opens, pods) == opens


def test_one_edit_that_repairs_two_groups_is_shown_once(tmp_path: Path) -> None:
    folder = next(each for each in CASES if each.name == "nccl-interface-loopback--one-setting-for-two-jobs")
    result = check([shutil.copytree(folder, tmp_path / "repository")], repairs=Repairs.EACH)
    changes = [each.changes for each in result.repairs]
    assert len(changes) == len(set(changes)) > 0
