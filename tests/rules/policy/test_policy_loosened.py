"""policy-loosened: compares what is permitted before and after a change (decision 6), and where it points."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import JOB, cnp, deployment, knp, places, told_of_change

RULE = "policy-loosened"
SELF = "podSelector: {matchLabels: {app: train}}"
GUARD = knp(
    f"  {SELF}\n  policyTypes: [Ingress]\n  ingress:\n    - from:\n        - {SELF}\n",
)
OTHER = deployment("web", "app: web")
BEFORE = {"job.yaml": JOB, "web.yaml": OTHER, "p.yaml": GUARD}


def change(root: Path, **after: str | None) -> list[str]:
    """Places of findings after files were replaced (``None``: removed)."""
    named = {name.replace("_", "."): text for name, text in after.items()}
    kept = {name: text for name, text in {**BEFORE, **named}.items() if text is not None}
    return places(told_of_change(root, RULE, BEFORE, kept))


def test_nothing_is_told_of_a_change_that_opens_nothing(tmp_path: Path) -> None:
    assert change(tmp_path, web_yaml=OTHER.replace("web:1", "web:2")) == []


def test_another_peer_is_told_at_the_entry_that_admits_it(tmp_path: Path) -> None:
    wider = GUARD + "        - podSelector: {matchLabels: {app: web}}\n"
    found = told_of_change(tmp_path, RULE, BEFORE, {**BEFORE, "p.yaml": wider})
    assert places(found) == ["p.yaml:8"]
    assert "ml/web" in found[0].finding.evidence["newly reach it"]
    assert "TCP 1-65535" in found[0].finding.evidence["on"]


def test_a_narrower_policy_is_silent(tmp_path: Path) -> None:
    assert change(tmp_path, p_yaml=GUARD + "      ports: [{port: 23456}]\n") == []


def test_a_dropped_port_list_names_the_ports(tmp_path: Path) -> None:
    narrow = knp(
        f"  {SELF}\n  policyTypes: [Ingress]\n  ingress:\n    - from: [{{podSelector: {{}}}}]\n"
        "      ports: [{port: 8080}]\n"
    )
    wide = narrow.replace("      ports: [{port: 8080}]\n", "")
    before = {**BEFORE, "p.yaml": narrow}
    (found,) = told_of_change(tmp_path, RULE, before, {**before, "p.yaml": wide})
    assert places([found]) == ["p.yaml:8"]
    assert "TCP 1-8079, 8081-65535" in found.finding.message


def test_a_removed_policy_is_told_at_its_place_in_the_base_revision(tmp_path: Path) -> None:
    (found,) = told_of_change(tmp_path, RULE, BEFORE, {"job.yaml": JOB, "web.yaml": OTHER})
    assert found.base
    assert found.finding.at.file == "p.yaml"
    assert "world" in found.finding.evidence["newly reach it"]


def test_a_label_that_takes_the_pods_out_of_the_policy_is_told_at_the_template(tmp_path: Path) -> None:
    renamed = JOB.replace("{app: train}", "{app: training}")
    found = told_of_change(tmp_path, RULE, BEFORE, {**BEFORE, "job.yaml": renamed})
    assert places(found) == ["job.yaml:9"]


def test_default_deny_switched_off_is_told_at_the_policy(tmp_path: Path) -> None:
    guard = cnp(
        "  endpointSelector: {matchLabels: {app: train}}\n  enableDefaultDeny: {ingress: true}\n"
        "  ingress:\n    - fromEndpoints: [{matchLabels: {app: train}}]\n"
    )
    off = guard.replace("{ingress: true}", "{ingress: false}")
    before = {**BEFORE, "p.yaml": guard}
    found = told_of_change(tmp_path, RULE, before, {**before, "p.yaml": off})
    assert {each.finding.at.file for each in found} == {"p.yaml"}
    assert not any(each.base for each in found)


def test_a_removed_deny_is_told_at_what_is_left_of_its_policy(tmp_path: Path) -> None:
    deny = "  ingressDeny:\n    - fromEndpoints: [{matchLabels: {app: web}}]\n"
    head = "  endpointSelector: {matchLabels: {app: train}}\n  ingress:\n    - fromEndpoints: [{}]\n"
    before = {**BEFORE, "p.yaml": cnp(head + deny)}
    (found,) = told_of_change(tmp_path, RULE, before, {**before, "p.yaml": cnp(head)})
    assert found.finding.at.file == "p.yaml"
    assert not found.base
    assert "web" in found.finding.message


def test_an_added_namespace_lets_its_pods_in(tmp_path: Path) -> None:
    by_team = knp(
        f"  {SELF}\n  policyTypes: [Ingress]\n  ingress:\n"
        "    - from: [{namespaceSelector: {matchLabels: {team: ml}}, podSelector: {}}]\n"
    )
    namespaces = "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {team: %s}}\n"
    before = {
        **BEFORE,
        "p.yaml": by_team,
        "ml.yaml": namespaces % ("ml", "ml"),
        "web.yaml": deployment("web", "app: web", "web"),
        "ns.yaml": namespaces % ("web", "web"),
    }
    found = told_of_change(tmp_path, RULE, before, {**before, "ns.yaml": namespaces % ("web", "ml")})
    assert found
    assert any("web/web" in each.finding.message for each in found)


def test_a_new_namespace_that_an_old_policy_admits_is_no_change_of_the_policy(tmp_path: Path) -> None:
    by_team = knp(
        f"  {SELF}\n  policyTypes: [Ingress]\n  ingress:\n"
        "    - from: [{namespaceSelector: {matchLabels: {team: ml}}}]\n"
    )
    new = "apiVersion: v1\nkind: Namespace\nmetadata: {name: new, labels: {team: ml}}\n" + deployment(
        "n", "app: n", "new"
    )
    before = {**BEFORE, "p.yaml": by_team}
    assert told_of_change(tmp_path, RULE, before, {**before, "new.yaml": new}) == []


@pytest.mark.parametrize(
    ("peer", "named"),
    [
        ("namespaceSelector: {}", "pods of other namespaces"),
        ("namespaceSelector: {matchLabels: {team: web}}", "pods of namespaces with team=web"),
        ("ipBlock: {cidr: 0.0.0.0/0}", "world"),
    ],
)
def test_a_peer_beyond_what_is_in_git_is_named_as_the_policy_names_it(tmp_path: Path, peer: str, named: str) -> None:
    before = {"job.yaml": JOB, "p.yaml": GUARD}
    (found,) = told_of_change(tmp_path, RULE, before, {**before, "p.yaml": f"{GUARD}        - {peer}\n"})
    assert named in found.finding.evidence["newly reach it"]


def test_a_label_of_another_workload_that_lets_it_in_is_told_there(tmp_path: Path) -> None:
    by_label = GUARD + "        - podSelector: {matchLabels: {access: allowed}}\n"
    before = {**BEFORE, "p.yaml": by_label}
    after = {**before, "web.yaml": OTHER.replace("labels: {app: web}", "labels: {app: web, access: allowed}")}
    (found,) = told_of_change(tmp_path, RULE, before, after)
    assert found.finding.at.file == "web.yaml"


def test_flows_that_the_group_itself_needs_are_left_out(tmp_path: Path) -> None:
    blocked = GUARD.replace(f"        - {SELF}\n", "        - podSelector: {matchLabels: {app: absent}}\n")
    before = {**BEFORE, "p.yaml": blocked}
    assert places(told_of_change(tmp_path, RULE, before, BEFORE)) == []


def test_pods_outside_every_training_group_may_be_opened(tmp_path: Path) -> None:
    guard = knp("  podSelector: {matchLabels: {app: web}}\n  ingress: []\n", name="web")
    before = {**BEFORE, "w.yaml": guard}
    assert told_of_change(tmp_path, RULE, before, BEFORE) == []


def test_the_same_effect_in_other_words_is_silent(tmp_path: Path) -> None:
    words = GUARD.replace(
        f"        - {SELF}\n",
        "        - podSelector: {matchExpressions: [{key: app, operator: In, values: [train]}]}\n",
    )
    assert change(tmp_path, p_yaml=words) == []


def test_a_second_policy_that_admits_more_is_told_at_that_one(tmp_path: Path) -> None:
    second = knp(f"  {SELF}\n  policyTypes: [Ingress]\n  ingress: [{{from: [{{podSelector: {{}}}}]}}]\n", name="open")
    assert change(tmp_path, q_yaml=second) == ["q.yaml:7"]


def test_each_of_several_groups_is_told(tmp_path: Path) -> None:
    second = JOB.replace("name: train, namespace", "name: eval, namespace").replace("{app: train}", "{app: eval}")
    both = "podSelector: {matchExpressions: [{key: app, operator: In, values: [train, eval]}]}"
    guard = knp(f"  {both}\n  policyTypes: [Ingress]\n  ingress:\n    - from: [{{{both}}}]\n")
    wide = guard.replace(f"from: [{{{both}}}]", "from: [{podSelector: {}}]")
    before = {**BEFORE, "eval.yaml": second, "p.yaml": guard}
    found = told_of_change(tmp_path, RULE, before, {**before, "p.yaml": wide})
    assert sorted(each.finding.cause for each in found) == ["ml/eval", "ml/train"]


def test_a_new_group_is_no_loosening(tmp_path: Path) -> None:
    before = {"web.yaml": OTHER, "p.yaml": GUARD}
    assert told_of_change(tmp_path, RULE, before, BEFORE) == []


@pytest.mark.parametrize("port", ["8080", "metrics"])
def test_a_port_that_is_added_is_told(tmp_path: Path, port: str) -> None:
    named = JOB.replace(
        'image: "registry.example/train:1"',
        'image: "registry.example/train:1", ports: [{name: metrics, containerPort: 9400}]',
    )
    narrow = knp(
        f"  {SELF}\n  policyTypes: [Ingress]\n  ingress:\n    - from: [{{podSelector: {{}}}}]\n"
        "      ports: [{port: 23456}]\n"
    )
    before = {**BEFORE, "job.yaml": named, "p.yaml": narrow}
    wide = narrow.replace("[{port: 23456}]", f"[{{port: 23456}}, {{port: {port}}}]")
    (found,) = told_of_change(tmp_path, RULE, before, {**before, "p.yaml": wide})
    assert f"TCP {'9400' if port == 'metrics' else port}" in found.finding.message
