"""The lab: what is said of its three states, and what single edits change. Expectations: README.md and the sections."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import by_rule, found, lint, verdicts

from trainlint.result import Result

HERE = Path(__file__).parent
GROUP = "vision/coordinator+workers"
NODES, POLICIES = "cluster/nodes.yaml", "cluster/zone-boundary.yaml"

TOLERATION = "      tolerations: [{key: dedicated, operator: Equal, value: gpu, effect: NoSchedule}]\n"
COORDINATOR = "      containers:\n        - name: coordinator\n"
LABEL_B, LABEL_A = "part: coordinator, net-zone: zone-b", "part: coordinator, net-zone: zone-a"
TAINT = "taints: [{key: dedicated, value: gpu, effect: NoSchedule}]"
NODE_AFFINITY = """      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}]
"""
POD_AFFINITY = """      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - labelSelector: {matchLabels: {app: resnet, part: coordinator}}
              topologyKey: topology.kubernetes.io/zone
"""
SPREAD = """      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: DoNotSchedule
          labelSelector: {matchLabels: {app: resnet}}
"""
DNS = """    - toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: kube-system, k8s-app: kube-dns}}]
      toPorts: [{ports: [{port: "53", protocol: ANY}]}]
"""


def copy_lab(root: Path) -> Path:
    for part in ("affinity", "after", "before", "cluster"):
        shutil.copytree(HERE / part, root / part)
    return root


class Lab:
    """A copy of the lab of which one state (or the cluster) is edited, and that state is looked at."""

    def __init__(self, root: Path, state: str) -> None:
        self.root, self.state, self.training = copy_lab(root), state, f"{state}/training.yaml"

    def replace(self, old: str, new: str, file: str = "", count: int = -1) -> Lab:
        path = self.root / (file or self.training)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, count))
        return self

    def drop(self, file: str) -> Lab:
        (self.root / file).unlink()
        return self

    def tolerate(self) -> Lab:
        """Let the coordinator tolerate the taint of the GPU nodes."""
        return self.replace(COORDINATOR, TOLERATION + COORDINATOR)

    def lint(self) -> Result:
        result = lint(self.root)
        return replace(
            result,
            findings=tuple(each for each in result.findings if self.state in each.finding.snapshots),
            groups=tuple(group for group in result.groups if group.snapshot == self.state),
        )


@pytest.fixture
def lab(tmp_path: Path) -> Callable[[str], Lab]:
    return lambda state: Lab(tmp_path, state)


def answers(result: Result) -> tuple[str, str, tuple[str, ...]]:
    (group,) = result.groups
    assert group.name == GROUP
    return group.exists.value, group.for_all.value, group.viable_zones


def rules(result: Result) -> list[tuple[str, str]]:
    return sorted((each.finding.rule, str(each.finding.severity)) for each in result.findings)


# --- the states as they stand (README.md) ---


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return lint(copy_lab(tmp_path_factory.mktemp("whole")))


def test_there_are_three_snapshots_that_share_the_cluster(whole: Result) -> None:
    assert [(each.name, each.documents) for each in whole.snapshots] == [("affinity", 6), ("after", 6), ("before", 6)]
    assert all("defined differently" in each.why for each in whole.snapshots)


def test_exactly_the_findings_of_the_readme_are_reported_each_in_its_state(whole: Result) -> None:
    said = [(each.finding.rule, str(each.finding.severity), each.finding.snapshots) for each in whole.findings]
    assert sorted(said) == [
        ("affinity-deadlock", "error", ("affinity",)),
        ("flow-denied", "error", ("before",)),
        ("no-viable-zone", "error", ("before",)),
        ("spread-used-as-colocation", "warning", ("after",)),
        ("spread-used-as-colocation", "warning", ("after",)),
        ("zone-label-contradicts-placement", "warning", ("affinity",)),
    ]
    assert not whole.unknowns
    assert not whole.suppressed


def test_every_finding_stands_at_the_line_and_path_to_look_at(whole: Result) -> None:
    spec = ("spec", "template", "spec")
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    spread = ("topologySpreadConstraints", 0, "topologyKey")
    places = sorted((each.finding.rule, each.finding.at.file, each.span.line, each.path) for each in whole.findings)
    assert places == [
        ("affinity-deadlock", "affinity/training.yaml", 46, (*spec, "affinity", "podAffinity", required, 0)),
        # The role that opens the connection, where it says so (decision 4).
        ("flow-denied", "before/training.yaml", 48, (*spec, "containers", 0, "args", 0)),
        # The role that must change in the zone that is the closest miss: the coordinator has no toleration.
        ("no-viable-zone", "before/training.yaml", 18, spec),
        # The key makes it a constraint over zones.
        ("spread-used-as-colocation", "after/training.yaml", 27, (*spec, *spread)),
        ("spread-used-as-colocation", "after/training.yaml", 56, (*spec, *spread)),
        (
            "zone-label-contradicts-placement",
            "affinity/training.yaml",
            17,
            ("spec", "template", "metadata", "labels", "net-zone"),
        ),
    ]


def test_the_group_is_refuted_in_two_states_and_proved_in_zone_a_in_the_third(whole: Result) -> None:
    assert verdicts(whole) == {
        (GROUP, "affinity"): ("refuted", "refuted"),
        (GROUP, "after"): ("proved", "proved"),
        (GROUP, "before"): ("refuted", "refuted"),
    }
    after = next(group for group in whole.groups if group.snapshot == "after")
    assert (after.viable_zones, after.pods) == (("zone-a",), 5)
    assert after.witness == {"coordinator": {"zone-a": 1}, "workers": {"zone-a": 4}}


def related(result: Result, rule: str) -> set[tuple[str, int]]:
    return {(each.file, each.span.line) for each in by_rule(result, rule).related}


def test_the_related_places_are_the_lines_that_together_cause_it(whole: Result) -> None:
    nodes, policies = NODES, POLICIES
    assert {(nodes, 20), ("before/training.yaml", 41)} <= related(whole, "no-viable-zone")  # taint, nodeSelector
    # Egress of inside-zone-a admits zone-a and DNS, ingress of inside-zone-b admits zone-b (P 0.3: both must allow).
    assert {(policies, 9), (policies, 19)} <= related(whole, "flow-denied")
    assert (policies, 8) in related(whole, "zone-label-contradicts-placement")
    assert ("affinity/training.yaml", 18) in related(whole, "affinity-deadlock")


def test_the_reasons_name_the_taint_the_selector_and_both_policies(whole: Result) -> None:
    reasons = by_rule(whole, "no-viable-zone").finding.evidence
    assert "dedicated=gpu:NoSchedule" in reasons["zone-a"]
    assert "coordinator" in reasons["zone-a"]
    assert "accelerator=a100" in reasons["zone-b"]
    (verdict,) = by_rule(whole, "flow-denied").finding.evidence.values()
    assert "inside-zone-a" in verdict
    assert "inside-zone-b" in verdict


def test_what_is_not_stated_is_listed(whole: Result) -> None:
    assert any("Cilium" in text for text in whole.assumptions)
    assert any("Kubernetes" in text for text in whole.assumptions)


# --- before/: two faults, fixed one by one ---


def test_without_the_boundary_only_the_zones_are_wrong_and_it_would_run_across_them(lab: Any) -> None:
    # No policy for a pod means permitted (decision 5); permitted over several zones is a warning (decision 2).
    result = lab("before").drop(POLICIES).lint()
    assert rules(result) == [("no-viable-zone", "warning")]
    assert answers(result) == ("refuted", "refuted", ())


@pytest.mark.parametrize(("kept", "direction", "line"), [("zone-a", "egress", 9), ("zone-b", "ingress", 6)])
def test_one_policy_of_the_two_still_denies_in_its_own_direction(
    lab: Any, kept: str, direction: str, line: int
) -> None:
    # A connection needs egress of its source and ingress of its target; a direction that nothing isolates is open
    # (P 0.3, P 1.2). inside-zone-a selects the workers, inside-zone-b the coordinator.
    here = lab("before")
    one, other = (here.root / POLICIES).read_text().split("---\n")
    (here.root / POLICIES).write_text(one if kept == "zone-a" else other)
    result = here.lint()
    assert rules(result) == [("flow-denied", "error"), ("no-viable-zone", "error")]
    (verdict,) = by_rule(result, "flow-denied").finding.evidence.values()
    assert f"inside-{kept}" in verdict
    assert direction in by_rule(result, "flow-denied").finding.message
    assert ({"ingress", "egress"} - {direction}).pop() not in by_rule(result, "flow-denied").finding.message
    # The entry that comes closest stands on the next line.
    places = {each for each in related(result, "flow-denied") if each[0] == POLICIES}
    assert places == {(POLICIES, line), (POLICIES, line + 1)}


def test_the_right_label_opens_the_flow_and_lies_about_the_zone(lab: Any) -> None:
    # The policies read labels, not nodes (P 0.3): permitted. The pod still lands in zone-b (S 1.2).
    # Now no state of the repository holds a pod that inside-zone-b selects.
    result = lab("before").replace(LABEL_B, LABEL_A).lint()
    assert rules(result) == [
        ("no-viable-zone", "warning"),
        ("policy-selects-nothing", "warning"),
        ("zone-label-contradicts-placement", "warning"),
    ]
    assert answers(result) == ("refuted", "refuted", ())


def test_the_toleration_alone_leaves_the_denied_flow(lab: Any) -> None:
    # Now zone-a takes every pod (S 1.2), so no-viable-zone would hold only by the denial: one root (decision 1).
    result = lab("before").tolerate().lint()
    assert rules(result) == [("flow-denied", "error")]
    assert answers(result) == ("refuted", "refuted", ())


@pytest.mark.parametrize("taints", ["taints: []", TAINT.replace("NoSchedule", "PreferNoSchedule")])
def test_untainted_nodes_are_as_good_as_a_toleration(lab: Any, taints: str) -> None:
    # PreferNoSchedule only scores (S 1.2).
    found = rules(lab("before").replace(TAINT, taints, NODES).lint())
    assert found == [("flow-denied", "error"), ("gpu-pool-untainted", "note")]


def test_toleration_and_label_give_a_viable_zone_and_leave_the_scheduler_free(lab: Any) -> None:
    result = lab("before").tolerate().replace(LABEL_B, LABEL_A).lint()
    assert rules(result) == [("policy-selects-nothing", "warning"), ("split-across-zones", "warning")]
    assert answers(result) == ("proved", "refuted", ("zone-a",))
    (group,) = result.groups
    assert group.counterexample == {"coordinator": {"zone-b": 1}, "workers": {"zone-a": 4}}


def test_a_toleration_of_another_value_tolerates_nothing(lab: Any) -> None:
    # Equal compares values (S 1.2.2); the zone stays impossible for the coordinator.
    wrong = TOLERATION.replace("value: gpu", "value: GPU")
    result = lab("before").replace(COORDINATOR, wrong + COORDINATOR).lint()
    assert rules(result) == [("flow-denied", "error"), ("no-viable-zone", "error")]


# --- after/: what each part of the fix is for ---


def test_without_the_toleration_the_pinned_coordinator_has_no_node(lab: Any) -> None:
    # Node affinity leaves zone-a, where every node is tainted (S 1.2, S 1.3); the topology rules are silent (dec. 1).
    result = lab("after").replace(TOLERATION, "", count=1).lint()
    assert rules(result) == [("untolerated-taint", "error")]
    assert found(result) == [("untolerated-taint", "after/training.yaml:18")]
    assert answers(result) == ("refuted", "refuted", ())


def test_without_the_node_affinity_the_spread_drives_the_coordinator_away(lab: Any) -> None:
    # Two eligible zones now. Placed first, the coordinator may be in zone-a (skew 1 - 0); placed after a worker it may
    # not (2 - 0 > 1), and zone-b permits it: a good placement exists, not every one is good (S 1.7).
    result = lab("after").replace(NODE_AFFINITY, "").lint()
    assert set(rules(result)) == {("spread-used-as-colocation", "warning")}
    assert answers(result) == ("proved", "refuted", ("zone-a",))
    drives = next(each.finding for each in result.findings if each.span.line == 22)
    assert "zone-a, zone-b" in drives.evidence.values()
    assert "does nothing" not in drives.message


def test_without_affinity_and_spread_the_scheduler_may_split(lab: Any) -> None:
    result = lab("after").replace(NODE_AFFINITY, "").replace(SPREAD, "").lint()
    assert rules(result) == [("split-across-zones", "warning")]
    assert answers(result) == ("proved", "refuted", ("zone-a",))


def test_the_wrong_label_is_cut_off_wherever_the_pods_land(lab: Any) -> None:
    result = lab("after").replace(LABEL_A, LABEL_B).lint()
    errors = [each for each in rules(result) if each[0] != "spread-used-as-colocation"]
    assert errors == [("flow-denied", "error"), ("zone-label-contradicts-placement", "warning")]
    assert answers(result) == ("refuted", "refuted", ())


def test_without_the_boundary_the_fixed_state_stays_proved(lab: Any) -> None:
    assert answers(lab("after").drop(POLICIES).lint()) == ("proved", "proved", ("zone-a",))


def test_without_an_inventory_nothing_is_proved_and_what_the_group_needs_is_said(lab: Any) -> None:
    result = lab("after").drop(NODES).lint()
    assert answers(result) == ("conditional", "conditional", ())
    assert not result.findings
    (group,) = [each for each in result.groups if each.name == GROUP]
    assert group.needs is not None
    assert {each.role: each.pods for each in group.needs.roles} == {each.name: each.pods for each in group.roles}
    assert group.needs.zones == ("zone-a",)  # the policies admit no other


def test_a_denied_flow_needs_no_inventory(lab: Any) -> None:
    # Denied for every combination of zones (decision 1): which zones there are does not matter.
    result = lab("before").drop(NODES).lint()
    assert rules(result) == [("flow-denied", "error")]
    assert answers(result) == ("refuted", "refuted", ())


def test_cordoned_nodes_take_no_pod(lab: Any) -> None:
    # spec.unschedulable counts by itself (S 1.1).
    result = lab("after").replace(TAINT, f"unschedulable: true\n      {TAINT}", NODES).lint()
    assert answers(result) == ("refuted", "refuted", ())


@pytest.mark.parametrize(
    ("gpus", "expected"),
    [("8", "proved"), ("7", "refuted"), ("4", "refuted")],  # four workers of four on two nodes (S 1.5)
)
def test_all_workers_must_fit_together(lab: Any, gpus: str, expected: str) -> None:
    result = lab("after").replace('nvidia.com/gpu: "8"', f'nvidia.com/gpu: "{gpus}"', NODES).lint()
    assert answers(result)[0] == expected


def test_a_worker_that_is_larger_than_every_node_is_the_only_root(lab: Any) -> None:
    result = lab("after").replace('nvidia.com/gpu: "8"', 'nvidia.com/gpu: "3"', NODES).lint()
    assert rules(result) == [("request-exceeds-node", "error")]
    assert answers(result) == ("refuted", "refuted", ())


def test_a_selector_that_no_node_has_is_the_only_root(lab: Any) -> None:
    result = lab("after").replace("accelerator: a100}", "accelerator: a100x}").lint()
    assert found(result) == [("no-matching-node", "after/training.yaml:52")]


def test_the_name_of_the_coordinator_needs_dns(lab: Any) -> None:
    # The workers use a Service name and are isolated on egress: TCP and UDP 53 to kube-dns are needed flows.
    result = lab("after").replace(DNS, "", POLICIES).lint()
    assert ("dns-egress-blocked", "error") in rules(result)
    assert by_rule(result, "dns-egress-blocked").finding.at.file == POLICIES
    assert answers(result) == ("refuted", "refuted", ())


def test_a_deny_beats_the_allow_of_the_same_pods(lab: Any) -> None:
    # At one level a deny wins whatever is more specific (P 0.3).
    allow = "  ingress:\n    - fromEndpoints: [{matchLabels: {net-zone: zone-a}}]\n"
    deny = "  ingressDeny:\n    - fromEndpoints: [{matchLabels: {part: worker}}]\n"
    result = lab("after").replace(allow, deny + allow, POLICIES).lint()
    assert ("flow-denied", "error") in rules(result)
    assert any(each[0] == POLICIES and each[1] == 8 for each in related(result, "flow-denied"))
    assert answers(result) == ("refuted", "refuted", ())


def test_without_the_service_the_two_objects_have_nothing_to_do_with_each_other(lab: Any) -> None:
    # Only the Service name in the workers' command joins them (decision 7).
    here = lab("after")
    text = (here.root / here.training).read_text()
    (here.root / here.training).write_text(text.partition("---\n")[2])
    assert GROUP not in {group.name for group in here.lint().groups}


# --- affinity/: the anchor in the wrong place ---


def test_an_anchor_that_may_land_in_both_zones_may_strand_its_followers(lab: Any) -> None:
    # The coordinator first in zone-b leaves the workers without a node; in zone-a all fit (S 1.6).
    result = lab("affinity").tolerate().lint()
    assert rules(result) == [("stranded-by-affinity", "error")]
    assert answers(result) == ("proved", "refuted", ("zone-a",))
    finding = by_rule(result, "stranded-by-affinity").finding
    assert finding.counterexample == {"coordinator": {"zone-b": 1}}
    assert finding.evidence["then waits"] == "workers"
    assert by_rule(result, "stranded-by-affinity").span.line == 47  # the affinity term, one line further down now


def test_an_anchor_pinned_to_the_workers_zone_fixes_it(lab: Any) -> None:
    pin = "      nodeSelector: {topology.kubernetes.io/zone: zone-a}\n"
    result = lab("affinity").tolerate().replace(COORDINATOR, pin + COORDINATOR).lint()
    assert not result.findings
    assert answers(result) == ("proved", "proved", ("zone-a",))


def test_without_the_pod_affinity_the_zones_themselves_are_the_fault(lab: Any) -> None:
    result = lab("affinity").replace(POD_AFFINITY, "").lint()
    assert rules(result) == [("no-viable-zone", "warning"), ("zone-label-contradicts-placement", "warning")]


def test_a_label_that_no_policy_reads_claims_nothing(lab: Any) -> None:
    assert rules(lab("affinity").drop(POLICIES).lint()) == [("affinity-deadlock", "error")]


def test_the_true_label_is_cut_off_and_the_deadlock_stays(lab: Any) -> None:
    result = lab("affinity").replace(LABEL_A, LABEL_B).lint()
    assert rules(result) == [("affinity-deadlock", "error"), ("flow-denied", "error")]


def test_a_preference_binds_no_pod(lab: Any) -> None:
    # preferredDuringScheduling only scores (S 1.6): the workers run in zone-a, the coordinator in zone-b.
    preferred = """      affinity:
        podAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                labelSelector: {matchLabels: {app: resnet, part: coordinator}}
                topologyKey: topology.kubernetes.io/zone
"""
    result = lab("affinity").replace(POD_AFFINITY, preferred).lint()
    assert ("affinity-deadlock", "error") not in rules(result)
    assert ("no-viable-zone", "warning") in rules(result)
    assert answers(result) == ("refuted", "refuted", ())


def test_an_affinity_to_pods_of_another_namespace_finds_no_pod(lab: Any) -> None:
    # Without namespaces or namespaceSelector a term looks into its own namespace (S 1.6); `other` holds no such pod.
    term = "              topologyKey: topology.kubernetes.io/zone\n"
    result = lab("affinity").replace(term, f"{term}              namespaces: [other]\n").lint()
    assert answers(result)[0] != "proved"
    assert ("affinity-deadlock", "error") not in rules(result)
