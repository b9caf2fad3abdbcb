"""``--base``: what a change brings in and fixes, and where that is reported (decision 4 of the rules' decisions).

The verdicts follow from the lab (tests/lab/README.md): its state ``after`` is proved in zone-a and has two warnings of
spread-used-as-colocation; the boundary admits only what it lists.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import by_rule, found, lint
from tests.source.repositories import commit, fingerprint, git, repository

from trainlint.finding import Finding, Related, Severity
from trainlint.report import Options, reporter
from trainlint.rule import Change, Facts, Rule
from trainlint.source.reading import read_file

NO_PEER = "fromEndpoints: [{matchLabels: {net-zone: x}}]"
SPREAD = """\
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: DoNotSchedule
          labelSelector: {matchLabels: {app: resnet}}
"""
RULES = frozenset({"collective-ports-blocked", "flow-denied", "spread-used-as-colocation"})
LAB = Path(__file__).parent.parent / "lab"
POLICY = "cluster/zone-boundary.yaml"
JOB = "after/training.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose only commit is the fixed state of the lab."""
    root = repository(tmp_path / "a repository")
    for part in ("after", "cluster"):
        shutil.copytree(LAB / part, root / part)
    commit(root)
    return root


def compare(root: Path, files: Any = None, *paths: str, base: str = "HEAD") -> Any:
    """Against the base, by the rules that these tests are about."""
    return lint(root, files, *paths, base=base, select=RULES)


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def break_policy(root: Path, file: str = POLICY) -> None:
    """Admit to zone-a only what no pod is."""
    edit(root, file, "    - fromEndpoints: [{matchLabels: {net-zone: zone-a}}]", f"    - {NO_PEER}")


def line_of(root: Path, file: str, text: str) -> int:
    return next(
        number for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1) if text in line
    )


def places(placed: Any) -> set[str]:
    return {f"{each.file}{' (base)' if each.base else ''}" for each in placed.related}


def counts(result: Any) -> tuple[int, int, int]:
    """New, fixed, unchanged."""
    return len(result.findings), len(result.comparison.fixed), result.comparison.unchanged


def test_nothing_changed_is_nothing_new(root: Path) -> None:
    result = compare(root)
    assert counts(result) == (0, 0, 2)
    assert result.comparison.commit == git(root, "rev-parse", "HEAD")
    assert len(result.groups) == 1
    assert "0 new, 0 fixed, 2 unchanged" in reporter("text")(result, Options())


def test_a_policy_that_breaks_an_untouched_job_is_reported_at_the_changed_line(root: Path) -> None:
    break_policy(root)
    result = compare(root)
    assert counts(result) == (1, 0, 2)
    placed = by_rule(result, "flow-denied")
    assert (placed.finding.at.file, placed.span.line) == (POLICY, line_of(root, POLICY, NO_PEER))
    assert JOB in places(placed)
    assert placed.finding.id == by_rule(lint(root, select=RULES), "flow-denied").finding.id


def test_a_job_that_breaks_itself_is_reported_at_the_changed_line(root: Path) -> None:
    edit(root, JOB, "part: worker, net-zone: zone-a}", "part: worker, net-zone: zone-c}")
    edit(root, "cluster/zone-boundary.yaml", "# Security", "# The security")
    placed = by_rule(compare(root), "flow-denied")
    assert (placed.finding.at.file, placed.span.line) == (JOB, line_of(root, JOB, "net-zone: zone-c"))
    assert POLICY in places(placed)


def test_a_committed_change_is_reported_like_one_of_the_work_tree(root: Path) -> None:
    base = git(root, "rev-parse", "HEAD")
    break_policy(root)
    commit(root)
    assert counts(compare(root, base=base)) == (1, 0, 2)
    assert counts(compare(root)) == (0, 0, 3)


def test_a_fixed_finding_is_counted_and_has_its_place_in_the_base(root: Path) -> None:
    edit(root, JOB, SPREAD, "")
    result = compare(root)
    assert counts(result) == (0, 1, 1)
    (fixed,) = result.comparison.fixed
    assert (fixed.finding.rule, fixed.finding.at.file) == ("spread-used-as-colocation", JOB)
    assert "topologyKey" in fixed.lines[0]


NAMESPACE = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny, namespace: ml}
spec: {podSelector: {}, policyTypes: [Ingress]}
"""
ADMIT = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: admit, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  ingress:
    - from:
        - podSelector:
            matchLabels:
              app: train
    - from:
        - podSelector:
            matchLabels:
              app: scraper
"""
TRAIN = """\
apiVersion: v1
kind: Service
metadata: {name: train, namespace: ml}
spec: {clusterIP: None, selector: {app: train}, ports: [{port: 29500}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {app: train}}
    spec:
      subdomain: train
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --rdzv-backend=c10d, "--rdzv-endpoint=train-0.train.ml.svc:29500", x.py]
          resources: {limits: {nvidia.com/gpu: "8"}}
"""
STATE = {"net/deny.yaml": NAMESPACE, "net/admit.yaml": ADMIT, "jobs/train.yaml": TRAIN}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Two ranks in a closed namespace, which one policy admits to each other (P 1.3: what is listed is admitted)."""
    return repository(tmp_path / "small", STATE)


def test_the_small_world_is_clean(small: Path) -> None:
    assert [each for each in found(lint(small)) if each[0].endswith(("denied", "blocked"))] == []


def test_an_element_removed_from_a_surviving_policy_is_reported_at_its_parent(small: Path) -> None:
    edit(small, "net/admit.yaml", ADMIT[ADMIT.index("    - from:") : ADMIT.rindex("    - from:")], "")
    placed = by_rule(compare(small), "flow-denied")
    assert (placed.finding.at.file, placed.span.line) == (
        "net/admit.yaml",
        line_of(small, "net/admit.yaml", "ingress:"),
    )
    assert "jobs/train.yaml" in places(placed)


def test_a_removed_policy_is_named_at_its_place_in_the_base(small: Path) -> None:
    (small / "net/admit.yaml").unlink()
    result = compare(small)
    placed = by_rule(result, "flow-denied")
    (removed,) = (each for each in placed.related if each.base)
    assert (removed.file, removed.span.line) == ("net/admit.yaml", 1)
    assert removed.role.startswith("(removed)")
    assert "networking.k8s.io" in removed.lines[0]
    assert "net/admit.yaml:1:1 (in the base revision)" in reporter("text")(result, Options())
    (record,) = json.loads(reporter("json")(result, Options()))["findings"]
    assert {each["file"]: each.get("base", False) for each in record["related"]}["net/admit.yaml"] is True


def test_a_policy_removed_from_a_file_that_stays_is_named_too(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {"net.yaml": f"{ADMIT}---\n{NAMESPACE}", "jobs/train.yaml": TRAIN})
    (root / "net.yaml").write_text(NAMESPACE)
    placed = by_rule(compare(root), "flow-denied")
    assert [each.file for each in placed.related if each.base] == ["net.yaml"]


def test_a_policy_that_is_added_is_where_it_is_reported(small: Path) -> None:
    for name in ("deny", "admit"):
        (small / f"net/{name}.yaml").unlink()
    commit(small)
    placed = by_rule(compare(small, {"net/new.yaml": NAMESPACE}), "flow-denied")
    assert placed.finding.at.file == "net/new.yaml"
    assert "jobs/train.yaml" in places(placed)


def test_a_job_in_a_new_untracked_file_is_reported_at_the_job(small: Path) -> None:
    (small / "jobs/train.yaml").unlink()
    commit(small)
    other = TRAIN.replace("app: train", "app: other")
    placed = by_rule(compare(small, {"jobs/new.yaml": other}), "flow-denied")
    assert placed.finding.at.file == "jobs/new.yaml"


def test_a_renamed_file_brings_nothing_in(root: Path) -> None:
    (root / "after").rename(root / "größer und besser")
    assert counts(compare(root)) == (0, 0, 2)
    git(root, "add", "-A")
    assert counts(compare(root)) == (0, 0, 2)


def test_a_renamed_file_with_a_change_is_reported_at_the_changed_line(root: Path) -> None:
    (root / "cluster").rename(root / "net")
    break_policy(root, "net/zone-boundary.yaml")
    placed = by_rule(compare(root), "flow-denied")
    assert placed.span.line == line_of(root, "net/zone-boundary.yaml", NO_PEER)


def test_lines_that_move_bring_nothing_in(root: Path) -> None:
    for file in (JOB, POLICY):
        text = (root / file).read_text()
        (root / file).write_text(f"# a comment\n\n---\n{text}".replace("\nmetadata:", "\n# another\nmetadata:"))
    assert counts(compare(root)) == (0, 0, 2)


def test_other_line_ends_bring_nothing_in(root: Path) -> None:
    for path in root.glob("*/*.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert counts(compare(root)) == (0, 0, 2)
    break_policy(root)
    placed = by_rule(compare(root), "flow-denied")
    assert (placed.finding.at.file, placed.span.line) == (POLICY, line_of(root, POLICY, NO_PEER))


def test_an_element_put_before_another_brings_nothing_in(root: Path) -> None:
    first = "        - {maxSkew: 9, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}\n"
    edit(root, JOB, "        - maxSkew", f"{first}        - maxSkew")
    assert counts(compare(root)) == (0, 0, 2)


def test_the_same_identity_in_several_files_is_counted_as_often(root: Path) -> None:
    shutil.copytree(root / "after", root / "again")
    edit(root, "again/training.yaml", "backoffLimit: 0", "backoffLimit: 1")
    result = compare(root)
    assert counts(result) == (2, 0, 2)
    assert {each.finding.at.file for each in result.findings} == {"again/training.yaml"}
    commit(root)
    shutil.rmtree(root / "again")
    result = compare(root)
    assert counts(result) == (0, 2, 2)
    assert {each.finding.at.file for each in result.comparison.fixed} == {"again/training.yaml"}


def test_the_rules_of_the_head_judge_both_states(root: Path) -> None:
    (root / "trainlint.yaml").write_text("rules: {severity: {spread-used-as-colocation: note}}\n")
    commit(root)
    (root / "trainlint.yaml").unlink()
    assert counts(compare(root)) == (0, 0, 2)


def test_a_suppression_that_is_removed_lets_its_finding_out(root: Path) -> None:
    comment = "          # trainlint: ignore[spread-used-as-colocation] for now\n"
    edit(root, JOB, "          topologyKey", f"{comment}          topologyKey")
    hidden = compare(root)
    assert counts(hidden) == (0, 0, 1)  # suppressed is not fixed
    assert len(hidden.suppressed) == 1
    commit(root)
    edit(root, JOB, comment, "")
    assert counts(compare(root)) == (1, 0, 1)


def test_settings_are_those_of_each_state(root: Path) -> None:
    # An object of a kind that nothing enforces here protects nothing: stated, the network plugin is another one.
    break_policy(root)
    (root / "trainlint.yaml").write_text("clusters: [{name: lab, cni: {name: calico}}]\n")
    commit(root)
    assert [rule for rule, _ in found(lint(root)) if rule == "flow-denied"] == []
    (root / "trainlint.yaml").unlink()
    assert [rule for rule, _ in found(compare(root))] == ["flow-denied"]


def test_a_base_that_cannot_be_judged_is_unknown_and_everything_is_new(root: Path) -> None:
    (root / "trainlint.yaml").write_text("clutsers: []\n")
    commit(root)
    (root / "trainlint.yaml").unlink()
    result = compare(root)
    assert counts(result) == (2, 0, 0)
    (unknown,) = (each for each in result.unknowns if each.subject == "the findings of HEAD")
    assert "clutsers" in unknown.missing


def test_a_repository_without_a_commit_has_only_new_findings(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    for part in ("after", "cluster"):
        shutil.copytree(LAB / part, root / part)
    result = compare(root)
    assert counts(result) == (2, 0, 0)
    assert result.comparison.commit == ""
    assert {each.finding.at.file for each in result.findings} == {JOB}


def test_a_single_file_is_compared_in_its_world(root: Path) -> None:
    break_policy(root)
    edit(root, JOB, SPREAD, "")
    assert counts(compare(root, None, JOB)) == (1, 1, 1)
    assert counts(compare(root, None, "cluster/nodes.yaml"))[1:] == (0, 0)


def test_nothing_in_the_repository_changes(root: Path) -> None:
    edit(root, POLICY, "zone-a}}]", "x}}]")
    (root / "new.yaml").write_text(NAMESPACE)
    before = fingerprint(root)
    compare(root)
    assert fingerprint(root) == before


def test_only_what_differs_is_read_twice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(file: Any, kinds: Any) -> Any:
        read.append(file.name)
        return read_file(file, kinds)

    monkeypatch.setattr("trainlint.engine.reading.read_file", counted)
    edit(root, POLICY, "zone-a}}]", "x}}]")
    compare(root)
    assert sorted(read) == [JOB, "cluster/nodes.yaml", POLICY, POLICY]


def with_rule(monkeypatch: pytest.MonkeyPatch, check: Any, sees: type) -> None:
    rule = Rule("made-up", "policy", Severity.WARNING, "A made-up rule.", check, sees)
    for module in ("judge", "setup", "baseline"):
        monkeypatch.setattr(f"trainlint.engine.{module}.all_rules", lambda: (rule,))


def test_a_rule_may_see_both_states(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(change: Change) -> Any:
        for before, after in change.pairs():
            gone = set(before.policies.entries) - set(after.policies.entries)
            names = {entry.at.file for entry in gone} - {entry.at.file for entry in after.policies.entries}
            for entry in before.policies.entries:
                if entry.at.file in names:
                    yield Finding("it is gone", change.removed(entry.at), related=(Related("here too", entry.at),))
                    return

    with_rule(monkeypatch, check, Change)
    (small / "net/admit.yaml").unlink()
    assert lint(small).findings == ()
    assert lint(small, base="HEAD~0").comparison is not None
    (placed,) = lint(small, base="HEAD").findings
    assert placed.base
    assert placed.lines == tuple(ADMIT.splitlines()[placed.span.line - 1 : placed.span.end_line][:3])
    assert placed.finding.rule == "made-up"


def test_a_rule_that_breaks_on_the_base_is_named(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(facts: Facts) -> Any:
        if any(item.meta.kind == "NetworkPolicy" and item.meta.name == "admit" for item in facts.snapshot.objects):
            raise ValueError("the base")
        yield from ()

    with_rule(monkeypatch, check, Facts)
    (small / "net/admit.yaml").unlink()
    from trainlint.engine import check as run  # noqa: PLC0415

    assert [failure.rule for failure in run([small], base="HEAD").failures] == ["made-up"]


def test_a_finding_that_gets_worse_is_new_and_its_milder_form_is_not_fixed(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(facts: Facts) -> Any:
        names = {item.meta.name: item for item in facts.snapshot.objects if item.meta.kind == "NetworkPolicy"}
        severity = Severity.WARNING if "admit" in names else Severity.ERROR
        yield Finding("it is so", names["deny"].field.at, severity=severity)

    with_rule(monkeypatch, check, Facts)
    commit(small)
    assert counts(lint(small, base="HEAD")) == (0, 0, 1)
    (small / "net/admit.yaml").unlink()
    assert counts(lint(small, base="HEAD")) == (1, 0, 0)


def test_a_renamed_policy_that_says_the_same_brings_nothing_in(root: Path) -> None:
    edit(root, POLICY, "{name: inside-zone-a, ", "{name: zone-a, ")
    assert counts(compare(root)) == (0, 0, 2)


def test_a_taint_that_shuts_a_job_out_is_reported_at_the_node(root: Path) -> None:
    # S 1.2: a NoSchedule taint that no toleration matches keeps the pods off the node.
    nodes = root / "cluster/nodes.yaml"
    nodes.write_text(nodes.read_text().replace("value: gpu,", "value: reserved,"))
    findings = lint(root, base="HEAD", select=frozenset({"untolerated-taint"})).findings
    assert findings
    for placed in findings:
        assert placed.finding.at.file == "cluster/nodes.yaml"
        assert "value: reserved" in placed.lines[0]
        assert JOB in places(placed)


def test_nodes_that_are_taken_away_are_where_it_is_reported(root: Path) -> None:
    # Without the two nodes that have the label, no node is left that the workers' nodeSelector matches (S 1.3).
    nodes = root / "cluster/nodes.yaml"
    head, *items = nodes.read_text().split("  - apiVersion: v1\n")
    kept = [item for item in items if "accelerator: a100" not in item]
    assert len(kept) == len(items) - 2
    nodes.write_text("  - apiVersion: v1\n".join([head, *kept]))
    findings = lint(root, base="HEAD", select=frozenset({"no-matching-node"})).findings
    assert findings
    for placed in findings:
        assert (placed.finding.at.file, placed.path) == ("cluster/nodes.yaml", ("items",))
        assert JOB in places(placed)
