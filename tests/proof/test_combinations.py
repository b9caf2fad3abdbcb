"""Flavors that hold every pod set of a job and not all of them, and those that Kueue does not come to.

The inputs of the second kind are recordings: tests/conformance/data/kueue/admission-cycles.jsonl.gz.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.worlds import lint

RULE = "kueue-never-admits"
HEAD = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "


def flavor(name: str, spec: str = "") -> str:
    return f"{HEAD}ResourceFlavor\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"


def topology(*levels: str) -> str:
    listed = ", ".join(f"{{nodeLabel: {each}}}" for each in levels)
    return f"{HEAD}Topology\nmetadata: {{name: topo}}\nspec: {{levels: [{listed}]}}\n---\n"


def queue(*groups: str, spec: str = "") -> str:
    listed = "".join(f"    - {each}\n" for each in groups)
    local = f"{HEAD}LocalQueue\nmetadata: {{name: q, namespace: ml}}\nspec: {{clusterQueue: cq}}\n---\n"
    head = f"{HEAD}ClusterQueue\nmetadata: {{name: cq}}\nspec:\n  namespaceSelector: {{}}\n{spec}  resourceGroups:\n"
    return f"{head}{listed}---\n{local}"


def group(covered: str, **flavors: str) -> str:
    listed = []
    for name, quotas in flavors.items():
        pairs = (each.split("=") for each in quotas.split())
        listed.append(
            f"{{name: {name}, resources: [{', '.join(f'{{name: {key}, nominalQuota: {n}}}' for key, n in pairs)}]}}"
        )
    return f"{{coveredResources: [{covered}], flavors: [{', '.join(listed)}]}}"


def job(*roles: tuple[int, str, str], annotations: str = "") -> str:
    text = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\n"
    text += "metadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: q}}\nspec:\n  replicatedJobs:\n"
    for number, (pods, requests, spec) in enumerate(roles):
        container = f"{{name: c, image: x, resources: {{limits: {{{requests}}}}}}}"
        template = f"{{metadata: {{annotations: {{{annotations}}}}}, spec: {{{spec}containers: [{container}]}}}}"
        text += f"  - {{name: p{number}, template: {{spec: {{parallelism: {pods}, template: {template}}}}}}}\n"
    return text


def found(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    result = lint(tmp_path, {"all.yaml": text})
    return [(str(each.finding.severity), each.finding.message) for each in result.findings if each.finding.rule == RULE]


GPU = "nvidia.com/gpu"
FLAVORS = flavor("a", "nodeLabels: {pool: a}") + flavor("b", "nodeLabels: {pool: b}")


@pytest.mark.parametrize(("least", "never"), [(3, True), (4, False)])
def test_pod_sets_that_are_pinned_to_one_flavor_share_its_quota(tmp_path: Path, least: int, never: bool) -> None:
    text = FLAVORS + queue(group(GPU, a=f"{GPU}={least}", b=f"{GPU}=8"))
    pinned = "nodeSelector: {pool: a}, "
    ours = found(tmp_path, text + job((2, f"{GPU}: 1", pinned), (2, f"{GPU}: 1", pinned)))
    assert bool(ours) is never
    assert all("together" in message for _, message in ours)


def test_a_quota_that_is_not_known_is_no_reason(tmp_path: Path) -> None:
    text = FLAVORS + queue(group(GPU, a=f"{GPU}=3", b=f"{GPU}=${{N}}"))
    pinned = "nodeSelector: {pool: a}, "
    assert found(tmp_path, text + job((2, f"{GPU}: 1", pinned), (2, f"{GPU}: 1", pinned))) == []


def test_a_pod_set_without_requests_is_never_placed_where_every_flavor_has_a_topology(tmp_path: Path) -> None:
    tas = topology("rack", "kubernetes.io/hostname") + flavor("a", "topologyName: topo")
    text = tas + queue(group(GPU, a=f"{GPU}=8"))
    ((_, message),) = found(tmp_path / "a", text + job((1, "", ""), (2, f"{GPU}: 1", "")))
    assert "requests nothing" in message
    assert found(tmp_path / "b", text + job((1, f"{GPU}: 0", ""), (2, f"{GPU}: 1", ""))) == []
    plain = flavor("a") + queue(group(GPU, a=f"{GPU}=8"))
    assert found(tmp_path / "c", plain + job((1, "", ""), (2, f"{GPU}: 1", ""))) == []


def test_cpu_of_a_plain_flavor_and_gpus_of_one_with_a_topology_never_go_together(tmp_path: Path) -> None:
    tas = topology("rack", "kubernetes.io/hostname") + flavor("a", "topologyName: topo") + flavor("b")
    text = tas + queue(group("cpu", b="cpu=8"), group(GPU, a=f"{GPU}=8"))
    assert len(found(tmp_path / "a", text + job((1, f"cpu: 1, {GPU}: 1", "")))) == 1
    one = tas + queue(group(f"cpu, {GPU}", a=f"cpu=8 {GPU}=8"))
    assert found(tmp_path / "b", one + job((1, f"cpu: 1, {GPU}: 1", ""))) == []


def test_a_level_of_slices_that_the_topology_lacks(tmp_path: Path) -> None:
    tas = topology("rack", "kubernetes.io/hostname") + flavor("a", "topologyName: topo")
    text = tas + queue(group(GPU, a=f"{GPU}=8"))
    asked = 'kueue.x-k8s.io/podset-slice-required-topology: LEVEL, kueue.x-k8s.io/podset-slice-size: "2"'
    for level, never in (("block", True), ("rack", False)):
        ours = found(tmp_path / level, text + job((2, f"{GPU}: 1", ""), annotations=asked.replace("LEVEL", level)))
        assert bool(ours) is never


def test_flavors_that_kueue_does_not_come_to_are_a_warning(tmp_path: Path) -> None:
    """The shape of adm-cycles-0024, recorded as never admitted although a combination fits."""
    flavors = flavor("a") + flavor("b") + flavor("c", "nodeLabels: {pool: y}")
    flavors += flavor("d", "nodeLabels: {pool: x}") + flavor("e", "nodeLabels: {pool: x}")
    text = flavors + queue(group("cpu", a="cpu=6", b="cpu=3"), group(GPU, c=f"{GPU}=8", d=f"{GPU}=4", e=f"{GPU}=2"))
    pods = job((2, f"cpu: 1, {GPU}: 2", "nodeSelector: {pool: x}, "), (2, f"cpu: 3, {GPU}: 3", ""))
    ((severity, message),) = found(tmp_path, text + pods)
    assert severity == "warning"
    assert "does not find that out" in message
