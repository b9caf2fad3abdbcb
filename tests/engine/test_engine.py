"""One run from paths to a result: identity, rules that break, scope, merging over snapshots."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.engine.worlds import TODAY, found, lint, write

from trainlint.cli.main import cli
from trainlint.engine import check
from trainlint.finding import Finding, Location, Related, Severity
from trainlint.rule import Rule, all_rules
from trainlint.snapshot.repository import Repository

POD = """apiVersion: v1
kind: Pod
metadata:
  name: {name}
  namespace: {namespace}
  labels: {{preemptible: no}}
spec: {{containers: [{{name: train, image: "registry.example/train:1"}}]}}
"""


def pod(name: str = "train", namespace: str = "ml") -> str:
    return POD.format(name=name, namespace=namespace)


def ids(root: Path, files: dict[str, str]) -> list[str]:
    root.mkdir()
    return [each.finding.id for each in lint(root, files).findings]


# --- identity ---


def test_the_identity_stays_the_same_when_lines_files_and_neighbours_change(tmp_path: Path) -> None:
    (one,) = ids(tmp_path / "a", {"pod.yaml": pod()})
    moved = "# a comment\n\n\n" + pod("other").replace("no}", "'no'}") + "---\n" + pod()
    (two,) = ids(tmp_path / "b", {"elsewhere/renamed.yaml": moved})
    listed = "apiVersion: v1\nkind: List\nitems:\n- " + pod().replace("\n", "\n  ").rstrip() + "\n"
    (three,) = ids(tmp_path / "c", {"list.yaml": listed})
    assert one == two == three
    assert len(one) == 12


@pytest.mark.parametrize(
    "other",
    [
        pod("second"),
        pod(namespace="web"),
        pod().replace("kind: Pod", "kind: Service"),
        pod().replace("preemptible: no", "preemptible: 'no', other: no"),
    ],
    ids=["name", "namespace", "kind", "path"],
)
def test_different_objects_and_places_have_different_identities(tmp_path: Path, other: str) -> None:
    (one,) = ids(tmp_path / "a", {"pod.yaml": pod()})
    (two,) = ids(tmp_path / "b", {"pod.yaml": other})
    assert one != two


def test_an_object_without_namespace_is_the_one_in_default(tmp_path: Path) -> None:
    (one,) = ids(tmp_path / "a", {"pod.yaml": pod(namespace="default")})
    (two,) = ids(tmp_path / "b", {"pod.yaml": pod().replace("  namespace: ml\n", "")})
    assert one == two


def test_all_identities_of_a_run_differ(tmp_path: Path) -> None:
    text = pod().replace("{preemptible: no}", "{a: no, b: yes, c: 1}")
    found_ids = ids(tmp_path / "a", {"x.yaml": text, "y.yaml": text.replace("train", "other", 1), "z.yaml": "a: [\n"})
    assert len(set(found_ids)) == len(found_ids) == 6


# --- rules ---


def stand_in(name: str, check: object, sees: type = Repository) -> Rule:
    return Rule(name, "source", Severity.ERROR, "A page.", check, sees)  # type: ignore[arg-type]


@pytest.fixture
def with_rules(monkeypatch: pytest.MonkeyPatch) -> object:
    def add(*more: Rule) -> None:
        rules = (*all_rules(), *more)
        for module in ("trainlint.engine.run", "trainlint.engine.judge", "trainlint.engine.setup"):
            monkeypatch.setattr(f"{module}.all_rules", lambda: rules, raising=False)

    return add


def test_a_rule_that_breaks_is_named_and_ends_with_70(tmp_path: Path, with_rules: object) -> None:
    def broken(repository: Repository) -> Iterator[Finding]:
        yield Finding("found before it broke", Location("pod.yaml", 0))
        raise ZeroDivisionError("by nought")

    with_rules(stand_in("breaks-here", broken))  # type: ignore[operator]
    write(tmp_path, {"pod.yaml": pod()})
    result = check([tmp_path], today=TODAY)
    (failure,) = result.failures
    assert failure.rule == "breaks-here"
    assert "ZeroDivisionError" in failure.message
    assert "by nought" in failure.message
    assert [each.finding.rule for each in result.findings] == ["unquoted-string"]  # the others have spoken
    outcome = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert outcome.exit_code == 70
    assert "breaks-here" in outcome.output
    assert "Traceback" not in outcome.output


def test_a_rule_that_breaks_is_heard_even_if_nothing_else_is_wrong(tmp_path: Path, with_rules: object) -> None:
    def broken(repository: Repository) -> Iterator[Finding]:
        raise KeyError("x")
        yield

    with_rules(stand_in("breaks-here", broken))  # type: ignore[operator]
    write(tmp_path, {"pod.yaml": pod().replace("no}", "'no'}")})
    outcome = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert outcome.exit_code == 70


def test_a_finding_bears_the_name_category_and_severity_of_its_rule_unless_it_has_its_own(
    tmp_path: Path, with_rules: object
) -> None:
    def speaks(repository: Repository) -> Iterator[Finding]:
        yield Finding("one", Location("pod.yaml", 0), cause="1")
        yield Finding("two", Location("pod.yaml", 0), cause="2", severity=Severity.NOTE)

    with_rules(stand_in("speaks-twice", speaks))  # type: ignore[operator]
    write(tmp_path, {"pod.yaml": pod()})
    said = {
        each.finding.message: (each.finding.rule, each.finding.category, each.finding.severity)
        for each in check([tmp_path], today=TODAY).findings
    }
    assert said["one"] == ("speaks-twice", "source", Severity.ERROR)
    assert said["two"] == ("speaks-twice", "source", Severity.NOTE)


def test_the_worst_come_first_then_by_place(tmp_path: Path) -> None:
    files = {"b.yaml": pod("b"), "a.yaml": pod("a"), "c.yaml": pod("c").replace("no}", "'no'}") + "# trainlint: x\n"}
    result = lint(tmp_path, files)
    assert [each.finding.at.file for each in result.findings] == ["a.yaml", "b.yaml", "c.yaml"]


@pytest.mark.parametrize(
    ("select", "ignore", "left"),
    [
        ((), (), {"unquoted-string", "duplicate-key"}),
        (("unquoted-string",), (), {"unquoted-string"}),
        (("source",), (), {"unquoted-string", "duplicate-key"}),
        (("topology",), (), set()),
        ((), ("source",), set()),
        ((), ("duplicate-key",), {"unquoted-string"}),
        (("source",), ("duplicate-key",), {"unquoted-string"}),
        (("unquoted-string",), ("source",), {"unquoted-string"}),  # a name counts before its category
        (("unquoted-string",), ("unquoted-string",), set()),
    ],
)
def test_rules_are_selected_by_name_and_category(
    tmp_path: Path, select: tuple[str, ...], ignore: tuple[str, ...], left: set[str]
) -> None:
    result = lint(tmp_path, {"p.yaml": pod() + "kind: Pod\n"}, select=frozenset(select), ignore=frozenset(ignore))
    assert {each.finding.rule for each in result.findings} == left


def test_deselecting_a_rule_changes_no_verdict(tmp_path: Path) -> None:
    lab = Path(__file__).parents[1] / "lab"
    files = {
        f"{part}/{file.name}": file.read_text()
        for part in ("before", "cluster")
        for file in (lab / part).glob("*.yaml")
    }
    everything = lint(tmp_path, files)
    for name in ("no-viable-zone", "flow-denied", "topology", "policy"):
        rest = lint(tmp_path, ignore=frozenset({name}))
        kept = [
            each.finding.id for each in everything.findings if name not in {each.finding.rule, each.finding.category}
        ]
        assert [each.finding.id for each in rest.findings] == kept
        assert [(each.exists, each.for_all) for each in rest.groups] == [
            (each.exists, each.for_all) for each in everything.groups
        ]


# --- scope ---


def test_a_single_file_narrows_the_report_and_its_world_is_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a/one.yaml": pod("one"), "b/two.yaml": pod("two")})
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=environment)
    result = lint(tmp_path, None, "a/one.yaml")
    assert found(result) == [("unquoted-string", "a/one.yaml:6")]
    assert [each.documents for each in result.snapshots] == [2]
    both = lint(tmp_path, None, "a/one.yaml", "b/two.yaml")
    assert len(both.findings) == 2
    assert found(lint(tmp_path, None, "b")) == [("unquoted-string", "b/two.yaml:6")]


def test_a_finding_that_a_file_only_takes_part_in_is_shown_for_it_too(tmp_path: Path) -> None:
    lab = Path(__file__).parents[1] / "lab"
    files = {
        f"{part}/{file.name}": file.read_text()
        for part in ("before", "cluster")
        for file in (lab / part).glob("*.yaml")
    }
    write(tmp_path, files)
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=environment)
    # The policies' file holds no finding of its own, but is what denies the flow.
    result = lint(tmp_path, None, "cluster/zone-boundary.yaml")
    assert [each.finding.rule for each in result.findings] == ["flow-denied"]


def test_suppressions_of_files_out_of_scope_are_not_reported(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": pod(), "b.yaml": "# trainlint: ignore[no-such-rule] x\n" + pod("b")})
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, env=environment)
    assert [each.finding.rule for each in lint(tmp_path, None, "a.yaml").findings] == ["unquoted-string"]


# --- snapshots ---


def test_a_finding_that_holds_in_several_snapshots_is_reported_once_with_the_list(tmp_path: Path) -> None:
    inventory = """apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: c}
pools: [{name: gpu, count: 2, zone: a, allocatable: {nvidia.com/gpu: "4"}}]
"""
    job = """apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  parallelism: 2
  template:
    spec: {containers: [{name: t, image: x, resources: {limits: {nvidia.com/gpu: "8"}}}], restartPolicy: Never}
"""
    service = "apiVersion: v1\nkind: Service\nmetadata: {{name: s}}\nspec: {{clusterIP: {}}}\n"
    result = lint(
        tmp_path,
        {
            "i.yaml": inventory,
            "job.yaml": job,
            "one/s.yaml": service.format("None"),
            "two/s.yaml": service.format("10.0.0.1"),
        },
    )
    (finding,) = result.findings
    assert finding.finding.rule == "request-exceeds-node"
    assert finding.finding.snapshots == ("one", "two")


def test_the_same_fault_in_two_alternatives_is_two_findings_with_ids_of_their_own(tmp_path: Path) -> None:
    # An id that two findings share names neither: `trainlint explain ID` could not tell which is meant.
    one, two = pod(), pod().replace("image:", "tty: true, image:")
    result = lint(tmp_path, {"before/p.yaml": one, "after/p.yaml": two})
    assert found(result) == [("unquoted-string", "after/p.yaml:6"), ("unquoted-string", "before/p.yaml:6")]
    once = [each.finding.id for each in result.findings]
    again = [each.finding.id for each in lint(tmp_path, {}).findings]
    assert len(set(once)) == 2
    assert once == again


def test_nothing_to_analyse_is_said(tmp_path: Path) -> None:
    assert not lint(tmp_path, {"values.yaml": "a: 1\n"}).analysed
    assert lint(tmp_path, {"pod.yaml": pod()}).analysed


def test_places_that_no_document_has_are_shown_at_the_top_and_break_nothing(tmp_path: Path, with_rules: object) -> None:
    def lost(repository: Repository) -> Iterator[Finding]:
        yield Finding("x", Location("gone.yaml", 7, ("a", 3)), related=(Related("y", Location("pod.yaml", 9)),))
        yield Finding("z", Location("pod.yaml", 0, ("spec", "containers", 9, "no")))

    with_rules(stand_in("points-nowhere", lost))  # type: ignore[operator]
    write(tmp_path, {"pod.yaml": pod()})
    said = {each.finding.message: each for each in check([tmp_path], today=TODAY).findings}
    assert said["x"].span.line == 1
    assert said["x"].lines == ()
    assert said["z"].path == ("spec", "containers")  # the nearest parent that is there
