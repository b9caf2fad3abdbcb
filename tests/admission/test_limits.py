"""What the CRDs of operators demand, by release; expectations are those of the CRDs and of the recordings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint

from trainlint.cel.expression import expression
from trainlint.finding import Certainty, Finding
from trainlint.model.known import Answer

LIMITS = sorted(each.name for each in files("trainlint_schemas").joinpath("limits").iterdir())
POD = "spec: {containers: [{name: node, image: 'r.example/a:1'}]}"
KINDS = {
    "JobSet": f"""apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: run, namespace: ml}}
spec:
  MORE
  replicatedJobs:
  - {{name: a, template: {{spec: {{template: {{{POD}}}}}}}}}
  - {{name: b, template: {{spec: {{template: {{{POD}}}}}}}, dependsOn: [{{name: a, status: Ready}}]}}
""",
    "TrainJob": """apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: run, namespace: ml}
spec:
  runtimeRef: {name: torch-distributed}
  MORE
""",
    "RayCluster": f"""apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: run, namespace: ml}}
spec:
  MORE
  headGroupSpec: {{rayStartParams: {{}}, template: {{{POD}}}}}
""",
    "Volcano": f"""apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: run, namespace: ml}}
spec:
  MORE
  tasks: [{{name: a, replicas: 1, template: {{{POD}}}}}]
""",
}
STRATEGY = "failurePolicy: {restartStrategy: Sometimes}"
OPERATOR = """apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: system}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {containers: [{name: manager, image: "%s"}]}
"""


def refused(root: Path, kind: str, more: str, **others: str) -> list[Finding]:
    texts = {f"{name}.yaml": text for name, text in others.items()}
    result = lint(root, {"run.yaml": KINDS[kind].replace("MORE", more), **texts}, ignore=frozenset())
    return [each.finding for each in result.findings if each.finding.rule == "rejected-object"]


@pytest.mark.parametrize(
    ("kind", "more", "place", "since"),
    [
        (
            "JobSet",
            "failurePolicy: {restartStrategy: Sometimes}",
            "spec.failurePolicy.restartStrategy",
            "JobSet is 0.7",
        ),
        ("JobSet", "failurePolicy: {restartStrategy: Recreate}", "", ""),
        ("JobSet", "startupPolicy: {startupPolicyOrder: InOrder}", "spec.replicatedJobs.1.dependsOn", ""),
        ("JobSet", "startupPolicy: {startupPolicyOrder: AnyOrder}", "", ""),
        ("JobSet", "failurePolicy: {rules: [{action: FailJobSet}]}", "", ""),  # the webhook names the rule
        ("TrainJob", "activeDeadlineSeconds: 0", "spec.activeDeadlineSeconds", ""),
        ("TrainJob", "trainer: {image: '${IMAGE}'}", "", ""),
        ("TrainJob", "managedBy: example.com/mine", "spec.managedBy", ""),
        ("RayCluster", "managedBy: example.com/mine", "spec.managedBy", ""),
        ("RayCluster", "upgradeStrategy: {type: Sometimes}", "spec.upgradeStrategy.type", "KubeRay is 1"),
        ("Volcano", "networkTopology: {mode: medium}", "spec.networkTopology.mode", ""),
        ("Volcano", "networkTopology: {mode: hard}", "", ""),
        ("Volcano", "minSuccess: 0", "spec.minSuccess", ""),
    ],
)
def test_demands(tmp_path: Path, kind: str, more: str, place: str, since: str) -> None:
    found = refused(tmp_path, kind, more)
    assert [".".join(map(str, each.at.path)) for each in found] == ([place] if place else [])
    if place:
        assert any(each.startswith(since) for each in (*found[0].assumes, ""))
        assert bool(found[0].assumes) is (found[0].certainty is Certainty.LIKELY)


@pytest.mark.parametrize(
    ("image", "certainty"),
    [
        ("registry.k8s.io/jobset/jobset:v0.8.1", Certainty.PROVEN),
        ("registry.k8s.io/jobset/jobset:v0.7.0", Certainty.PROVEN),
        ("registry.k8s.io/jobset/jobset:v0.6.0", None),
        ("registry.k8s.io/jobset/jobset:main", Certainty.LIKELY),
        ("registry.k8s.io/lws/lws:v0.6.0", Certainty.LIKELY),
    ],
)
def test_the_release_that_is_installed_decides(tmp_path: Path, image: str, certainty: Certainty | None) -> None:
    found = refused(tmp_path, "JobSet", STRATEGY, manager=OPERATOR % image)
    assert [each.certainty for each in found] == ([] if certainty is None else [certainty])


def test_a_patch_need_not_have_what_is_required(tmp_path: Path) -> None:
    patch = "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: run}\nspec: {slotsPerWorker: 8}\n"
    result = lint(tmp_path, {"slots.yaml": patch}, ignore=frozenset())
    assert [each for each in result.findings if each.finding.rule == "rejected-object"] == []


def test_a_group_is_refuted_by_what_is_certain_and_unknown_by_what_is_likely(tmp_path: Path) -> None:
    job = KINDS["JobSet"].replace("r.example/a:1'", "r.example/a:1', resources: {limits: {nvidia.com/gpu: 1}}")
    policy = "successPolicy: {operator: Most}"
    (certain,) = lint(tmp_path / "a", {"run.yaml": job.replace("MORE", policy)}).groups
    (likely,) = lint(tmp_path / "b", {"run.yaml": job.replace("MORE", STRATEGY)}).groups
    assert (certain.exists, likely.exists) == (Answer.REFUTED, Answer.UNKNOWN)


def patterns(tree: Any) -> Iterator[str]:
    for key, each in tree.items() if isinstance(tree, dict) else ():
        if key == "pattern" and isinstance(each, str):
            yield each
        yield from patterns(each)


@pytest.mark.parametrize("name", LIMITS)
def test_every_pattern_of_a_crd_compiles_here(name: str) -> None:
    for text in patterns(json.loads(files("trainlint_schemas").joinpath("limits", name).read_text(encoding="utf-8"))):
        re.compile(text)


def test_a_trainjob_whose_runtime_is_not_in_git(tmp_path: Path) -> None:
    job = KINDS["TrainJob"].replace("torch-distributed", "ours").replace("MORE", "activeDeadlineSeconds: 0")
    result = lint(tmp_path, {"run.yaml": job}, ignore=frozenset())
    found = [each.finding for each in result.findings if each.finding.rule == "rejected-object"]
    assert [each.at.path for each in found] == [("spec", "activeDeadlineSeconds")]


QUEUES = """apiVersion: kueue.x-k8s.io/v1beta1
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}, {nodeLabel: example.com/rack}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: gpus}
spec: {topologyName: racks}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: team}
spec:
  queueingStrategy: Fairest
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{name: gpus, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: good}
spec:
  queueingStrategy: StrictFIFO
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: gpus, resources: [{name: cpu, nominalQuota: 4}]}]}]
"""


def test_objects_of_kueue(tmp_path: Path) -> None:
    result = lint(tmp_path, {"queues.yaml": QUEUES}, ignore=frozenset())
    found = [each.finding for each in result.findings if each.finding.rule == "rejected-object"]
    assert [(each.at.document, ".".join(map(str, each.at.path))) for each in found] == [
        (0, "spec.levels"),
        (1, "spec.topologyName"),
        (2, "spec.queueingStrategy"),
        (2, "spec.resourceGroups.0.flavors"),
    ]


def rules(tree: Mapping[str, Any]) -> Iterator[str]:
    for each in tree.get("rules", ()):
        yield each["rule"]
    for key in ("items", "additionalProperties"):
        if isinstance(tree.get(key), dict):
            yield from rules(tree[key])
    for each in tree.get("properties", {}).values():
        yield from rules(each)


@pytest.mark.parametrize("name", LIMITS)
def test_every_rule_of_a_crd_compiles_here(name: str) -> None:
    tree = json.loads(files("trainlint_schemas").joinpath("limits", name).read_text(encoding="utf-8"))
    for text in rules(tree):
        assert expression(text, (("self", "dyn"),)).fault is None, text
