"""Calico's policies in a repository: which findings they give, which repairs they do not, and how Calico is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, cni, told
from tests.rules.policy.test_flow_rules import FLOW, job, spoken

CALICO = cni("calico")
JOB = "training.kubeflow.org/job-name"
DENY = """apiVersion: projectcalico.org/v3
kind: GlobalNetworkPolicy
metadata: {name: closed}
spec:
  namespaceSelector: projectcalico.org/name == 'ml'
  types: [Ingress]
"""
ADMIT = """apiVersion: projectcalico.org/v3
kind: NetworkPolicy
metadata: {{name: ranks, namespace: ml}}
spec:
  order: 10
  selector: {selector}
  ingress:
    - action: Allow
      source: {{selector: {source}}}
"""
RANKS = f"{JOB} == 'train'"
INSTALLATION = (
    "apiVersion: operator.tigera.io/v1\nkind: Installation\nmetadata: {name: default}\nspec: {cni: {type: AmazonVPC}}\n"
)
AGENT = """apiVersion: apps/v1
kind: DaemonSet
metadata: {name: calico-node, namespace: kube-system}
spec: {template: {spec: {containers: [{name: calico-node, image: quay.io/calico/node:v3.31.0}]}}}
"""


def admit(selector: str = RANKS, source: str = RANKS) -> str:
    return ADMIT.format(selector=selector, source=source)


def test_a_default_deny_of_calico_denies_the_ranks_unless_a_policy_before_it_admits_them(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    files = {"job.yaml": job(), "deny.yaml": DENY, "trainlint.yaml": CALICO}
    assert spoken(tmp_path / "one", files) == {FLOW}
    assert spoken(tmp_path / "two", {**files, "admit.yaml": admit()}) == set()


def test_the_near_miss_names_the_selector_and_its_line(tmp_path: Path) -> None:
    files = {
        "job.yaml": job(),
        "deny.yaml": DENY,
        "admit.yaml": admit(source=f"{JOB} == 'trian'"),
        "trainlint.yaml": CALICO,
    }
    found = told(tmp_path, FLOW, files)
    texts = [each.finding.message for each in found]
    assert len(found) == 1
    assert any("Calico" in text for text in texts)
    assert {"deny.yaml", "admit.yaml"} & {each.file for each in found[0].related}


@pytest.mark.parametrize("sign", [INSTALLATION, AGENT])
def test_what_installs_calico_says_that_its_policies_count(tmp_path: Path, sign: str) -> None:
    assert spoken(tmp_path, {"job.yaml": job(), "deny.yaml": DENY, "calico.yaml": sign}) == {FLOW}


def test_without_a_sign_of_calico_nothing_is_certain(tmp_path: Path) -> None:
    assert spoken(tmp_path, {"job.yaml": job(), "deny.yaml": DENY}) == set()


def test_beside_cilium_they_are_unenforced(tmp_path: Path) -> None:
    files = {"job.yaml": job(), "deny.yaml": DENY, "trainlint.yaml": CILIUM}
    (found,) = told(tmp_path, "policy-not-enforced", files)
    assert "only Calico enforces Calico GlobalNetworkPolicy" in found.finding.message


def test_a_selector_that_does_not_parse_is_refused(tmp_path: Path) -> None:
    files = {"deny.yaml": DENY.replace("== 'ml'", "= 'ml'"), "trainlint.yaml": CALICO}
    (found,) = told(tmp_path, "rejected-policy", files)
    assert found.span.line == 5
    assert "= stands alone" in found.finding.message


def test_a_selector_that_takes_no_pod_is_told_and_never_written_over(tmp_path: Path) -> None:
    for selector in (f"{JOB} == 'trian'", f"{JOB} == 'trian' || has(nowhere)"):
        files = {"job.yaml": job(), "p.yaml": admit(selector), "trainlint.yaml": CALICO}
        (found,) = told(tmp_path, "policy-selects-nothing", files)
        assert "Calico NetworkPolicy ml/ranks selects no pod" in found.finding.message
        assert not list(found.finding.fixes() if callable(found.finding.fixes) else found.finding.fixes)


def test_an_empty_list_of_prefixes_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    text = admit().replace(f"{{selector: {RANKS}}}", "{nets: []}")
    (found,) = told(tmp_path, "vacuous-peer", {"job.yaml": job(), "p.yaml": text, "trainlint.yaml": CALICO})
    assert "every address" in found.finding.message
