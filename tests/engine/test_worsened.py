"""``--base``: an answer about a group that gets worse is reported at the line of the change that makes it so.

What is a worse answer follows from the meaning of the answers (docs/design.md): proved is better than conditional, that
better than unknown; a need is greater where a cluster that satisfied it does not satisfy it any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.engine.worlds import lint, write
from tests.source.repositories import repository

RULE = "answer-worsened"

JOB = """\
apiVersion: v1
kind: Service
metadata: {name: train, namespace: ml}
spec: {clusterIP: None, selector: {app: train}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 4
  template:
    metadata: {labels: {app: train}}
    spec:
      subdomain: train
      restartPolicy: Never
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      containers:
        - name: train
          image: registry.example/train:1
          command: [python, x.py]
          resources: {limits: {nvidia.com/gpu: "8"}}
"""
NODES = """\
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: nodes}
complete: true
pools:
  - name: gpu
    count: 8
    labels: {topology.kubernetes.io/zone: zone-a}
    allocatable: {cpu: "96", memory: 1000Gi, pods: "110", nvidia.com/gpu: "8"}
"""
PODS = "      subdomain: train\n"
VOLUME = "      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
SAME = "labelSelector: {matchLabels: {app: train}}"
NEAR = f"{{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: %s, {SAME}}}]}}"
TERM = "nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: In, values: [h100]}]}]"
TERMS = f"{{requiredDuringSchedulingIgnoredDuringExecution: {{{TERM}}}}}"
TORCHRUN = '[torchrun, --nnodes=4, --rdzv-backend=c10d, "--rdzv-endpoint=train-0.train.ml.svc:29500", x.py]'
RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: ray, namespace: ml}
spec:
  headGroupSpec:
    rayStartParams: {}
    template: {spec: {containers: [{name: head, image: "rayproject/ray:2.9.0", resources: {limits: {cpu: 4}}}]}}
  workerGroupSpecs:
    - groupName: a
      replicas: 2
      minReplicas: 2
      maxReplicas: 2
      rayStartParams: {}
      template: {spec: {containers: [{name: w, image: "ray:2.9.0", resources: {limits: {nvidia.com/gpu: 8}}}]}}
"""
WORKERS = RAY[RAY.index("    - groupName") :].replace("groupName: a", "groupName: b").replace("licas: 2", "licas: 3")
WORKERS = WORKERS.replace("gpu: 8", "gpu: 1")
PAIR = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: pair, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: "i:1", resources: {limits: {nvidia.com/gpu: 4}}}]}}
    Worker:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: "i:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
"""


def worse(root: Path, before: Mapping[str, str], after: Mapping[str, str], **options: Any) -> list[tuple[str, str]]:
    """What is said of a change, and where: the file and the text of the line, ``-`` before one that is gone."""
    repository(root, before)
    for name in before.keys() - after.keys():
        (root / name).unlink()
    write(root, after)
    result = lint(root, base="HEAD", **options)
    found = [each for each in result.findings if each.finding.rule == RULE]
    return [
        (f"{'-' if each.base else ''}{each.finding.at.file}: {each.lines[0].strip()}", each.finding.message)
        for each in found
    ]


def edited(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


def of_job(root: Path, old: str, new: str, before: str = JOB) -> list[tuple[str, str]]:
    """What is said where the job alone is changed, beside an image that is another one too."""
    after = edited(edited(before, old, new), "train:1", "train:2")
    return worse(root, {"job.yaml": before}, {"job.yaml": after})


def test_nodes_that_git_does_not_list_any_more(tmp_path: Path) -> None:
    after = edited(JOB, "train:1", "train:2")
    assert worse(tmp_path / "r", {"job.yaml": JOB, "nodes.yaml": NODES}, {"job.yaml": after}) == [
        (
            "-nodes.yaml: apiVersion: trainlint.io/v1alpha1",
            (
                "this change makes ml/train wait for 4 x 8 nvidia.com/gpu in one zone, which Git does not show; "
                "before, it was proved to run in zone-a"
            ),
        )
    ]


def test_the_groups_that_one_removed_list_was_for_are_one_finding(tmp_path: Path) -> None:
    jobs = {"job.yaml": JOB, "other.yaml": JOB.replace("name: train,", "name: other,")}
    ((place, message),) = worse(tmp_path / "r", {**jobs, "nodes.yaml": NODES}, jobs)
    assert place.startswith("-nodes.yaml")
    assert message.endswith("; likewise ml/other")


def test_a_list_of_nodes_that_is_not_complete_any_more(tmp_path: Path) -> None:
    before, after = edited(NODES, "count: 8", "count: 4"), edited(NODES, "count: 8", "count: 2")
    after = edited(after, "complete: true", "complete: false")
    found = worse(tmp_path / "r", {"job.yaml": JOB, "nodes.yaml": before}, {"job.yaml": JOB, "nodes.yaml": after})
    assert [place for place, _ in found] == ["nodes.yaml: complete: false"]
    assert "wait for 4 x 8 nvidia.com/gpu" in found[0][1]


def test_nodes_that_the_settings_open(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {topology.kubernetes.io/zone: zone-a}}\n"
    status = "status: {allocatable: {cpu: '96', memory: 1000Gi, pods: '110', nvidia.com/gpu: '8'}}\n"
    files = {"job.yaml": JOB, "nodes.yaml": "---\n".join(node % f"n{each}" + status for each in range(4))}
    settings = "clusters: [{name: lab, nodes: closed}]\n"
    opened = edited(settings, "closed", "open")
    found = worse(tmp_path / "r", {**files, "trainlint.yaml": settings}, {**files, "trainlint.yaml": opened})
    assert found == [
        (
            "trainlint.yaml: clusters: [{name: lab, nodes: open}]",
            (
                "with this change nothing keeps ml/train together, so it is placed well only where all its nodes are "
                "in one zone; before, every placement was good"
            ),
        )
    ]


CLASS = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: ebs.csi.aws.com
volumeBindingMode: WaitForFirstConsumer
"""
CLAIM = """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: ml}
spec: {accessModes: [ReadWriteMany], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
"""


def test_a_proved_group_that_waits_for_an_object(tmp_path: Path) -> None:
    job = edited(JOB, PODS, f"{PODS}{VOLUME}") + CLAIM
    files = {"job.yaml": job, "nodes.yaml": NODES}
    assert worse(tmp_path / "r", {**files, "class.yaml": CLASS}, files) == [
        (
            "-class.yaml: apiVersion: storage.k8s.io/v1",
            (
                "this change makes ml/train wait for StorageClass fast, a volume for claim data, which Git does not "
                "show; before, it was proved to run in zone-a"
            ),
        )
    ]


GROWN = [
    pytest.param(
        "completions: 4\n  parallelism: 4",
        "completions: 8\n  parallelism: 8",
        "completions: 8",
        "8 pods of train with 8 nvidia.com/gpu each, 4 before",
        id="pods",
    ),
    pytest.param(
        '"8"',
        '"16"',
        'resources: {limits: {nvidia.com/gpu: "16"}}',
        "16 nvidia.com/gpu for each pod of train, 8 before",
        id="amount",
    ),
    pytest.param(
        PODS,
        f"{PODS}      nodeSelector: {{accelerator: h100}}\n",
        "nodeSelector: {accelerator: h100}",
        "nodes with accelerator=h100 for train, any before",
        id="label",
    ),
    pytest.param(
        PODS,
        f"{PODS}      nodeSelector: {{topology.kubernetes.io/zone: zone-a}}\n",
        "nodeSelector: {topology.kubernetes.io/zone: zone-a}",
        "nodes with topology.kubernetes.io/zone=zone-a for train, any before",
        id="zone",
    ),
    pytest.param(
        "tolerations: [{key: nvidia.com/gpu, operator: Exists}]",
        "tolerations: []",
        "tolerations: []",
        "nodes without the taint nvidia.com/gpu for train, which tolerated it before",
        id="taint",
    ),
    pytest.param(
        PODS,
        f"{PODS}      priorityClassName: high\n",
        "priorityClassName: high",
        "PriorityClass high, which Git does not hold",
        id="object",
    ),
    pytest.param(
        "metadata: {name: train, namespace: ml}\nspec:\n  completionMode",
        "metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: gpus}}\nspec:\n  completionMode",
        "metadata: {name: train, namespace: ml, labels: {kueue.x-k8s.io/queue-name: gpus}}",
        "LocalQueue ml/gpus, which Git does not hold",
        id="queue",
    ),
    pytest.param(
        PODS,
        f"{PODS}      resourceClaims: [{{name: link, resourceClaimTemplateName: link}}]\n",
        "resourceClaims: [{name: link, resourceClaimTemplateName: link}]",
        "ResourceClaimTemplate ml/link for train, not before",
        id="device",
    ),
    pytest.param(
        PODS,
        f"{PODS}      affinity: {{podAntiAffinity: {NEAR % 'kubernetes.io/hostname'}}}\n",
        f"affinity: {{podAntiAffinity: {NEAR % 'kubernetes.io/hostname'}}}",
        "a node of its own for each pod of train, not before",
        id="apart",
    ),
    pytest.param(
        PODS,
        f"{PODS}      affinity: {{podAffinity: {NEAR % 'rack'}}}\n",
        f"affinity: {{podAffinity: {NEAR % 'rack'}}}",
        "one rack for all pods, not before",
        id="domain",
    ),
]


@pytest.mark.parametrize(("old", "new", "line", "more"), GROWN)
def test_a_need_that_grows(tmp_path: Path, old: str, new: str, line: str, more: str) -> None:
    """At the line that makes it grow, not at the image that is changed as well."""
    assert of_job(tmp_path / "r", old, new) == [(f"job.yaml: {line}", f"with this change ml/train needs more: {more}")]


@pytest.mark.parametrize(("old", "new", "line", "more"), [each for each in GROWN if each.id != "zone"])
def test_a_need_that_shrinks_is_silent(tmp_path: Path, old: str, new: str, line: str, more: str) -> None:
    after = edited(JOB, old, new)
    assert of_job(tmp_path / "r", new, old, after) == []


def test_pods_that_were_kept_in_one_zone(tmp_path: Path) -> None:
    before = edited(JOB, PODS, f"{PODS}      nodeSelector: {{topology.kubernetes.io/zone: zone-a}}\n")
    ((place, message),) = worse(tmp_path / "r", {"job.yaml": before}, {"job.yaml": JOB})
    assert place == "job.yaml: spec:"
    assert message.startswith("with this change nothing keeps ml/train together")


def test_a_role_that_is_new(tmp_path: Path) -> None:
    ((place, message),) = worse(tmp_path / "r", {"ray.yaml": RAY}, {"ray.yaml": RAY + WORKERS})
    assert place == "ray.yaml: - groupName: b"
    assert message == "with this change ml/ray needs more: 3 pods of ray/b with 1 nvidia.com/gpu each, none before"


def test_a_role_that_is_renamed_is_silent(tmp_path: Path) -> None:
    assert worse(tmp_path / "r", {"ray.yaml": RAY}, {"ray.yaml": edited(RAY, "groupName: a", "groupName: c")}) == []


def test_two_growths_stand_at_two_lines(tmp_path: Path) -> None:
    after = edited(edited(JOB, "s: 4", "s: 8"), PODS, f"{PODS}      nodeSelector: {{accelerator: h100}}\n")
    after = edited(after, "parallelism: 4", "parallelism: 8")
    found = worse(tmp_path / "r", {"job.yaml": JOB}, {"job.yaml": after})
    assert {place for place, _ in found} == {"job.yaml: completions: 8", "job.yaml: nodeSelector: {accelerator: h100}"}


def test_a_default_of_the_namespace_that_grows(tmp_path: Path) -> None:
    limits = (
        "apiVersion: v1\nkind: LimitRange\nmetadata: {name: usual, namespace: ml}\nspec:\n  limits:\n"
        '    - type: Container\n      defaultRequest: {cpu: "4"}\n'
    )
    after = {"job.yaml": edited(JOB, "train:1", "train:2"), "limits.yaml": edited(limits, '"4"', '"8"')}
    assert worse(tmp_path / "r", {"job.yaml": JOB, "limits.yaml": limits}, after) == [
        (
            'limits.yaml: defaultRequest: {cpu: "8"}',
            "with this change ml/train needs more: 8 cpu for each pod of train, 4 before",
        )
    ]


def test_an_object_that_git_does_not_hold_any_more(tmp_path: Path) -> None:
    job = edited(JOB, PODS, f"{PODS}      priorityClassName: high\n")
    high = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 5\n"
    ((place, message),) = worse(tmp_path / "r", {"job.yaml": job, "high.yaml": high}, {"job.yaml": job})
    assert place == "-high.yaml: apiVersion: scheduling.k8s.io/v1"
    assert message == "with this change ml/train needs more: PriorityClass high, which Git does not hold"


def test_a_value_that_is_not_known_any_more(tmp_path: Path) -> None:
    after = edited(edited(JOB, '"8"', '"${GPUS}"'), "train:1", "train:2")
    files = {"nodes.yaml": NODES}
    assert worse(tmp_path / "r", {**files, "job.yaml": JOB}, {**files, "job.yaml": after}) == [
        (
            'job.yaml: resources: {limits: {nvidia.com/gpu: "${GPUS}"}}',
            (
                "this change makes it unknown whether ml/train can run (limits.nvidia.com/gpu is the placeholder "
                "'${GPUS}'); before, it was proved to run in zone-a"
            ),
        )
    ]


def test_what_one_line_makes_a_group_need_is_one_finding(tmp_path: Path) -> None:
    line = "nodeSelector: {accelerator: '${GPU}'}"
    assert of_job(tmp_path / "r", PODS, f"{PODS}      {line}\n") == [
        (
            f"job.yaml: {line}",
            (
                "with this change ml/train needs more: nodes with the label accelerator for train, any before; "
                "it needs nodes with the value of accelerator for which a placeholder stands"
            ),
        )
    ]


def test_every_placement_only_if_all_nodes_are_in_one_zone(tmp_path: Path) -> None:
    near = f"      affinity: {{podAffinity: {NEAR % 'topology.kubernetes.io/zone'}}}\n"
    ((place, message),) = of_job(tmp_path / "r", f"{PODS}{near}", PODS, edited(JOB, PODS, f"{PODS}{near}"))
    assert place == "job.yaml: spec:"
    assert message.startswith("with this change nothing keeps ml/train together")


def test_a_placement_that_fills_the_nodes(tmp_path: Path) -> None:
    """A pod of 4 GPUs may take half of the only node that has the 8 of the other pod."""
    two = edited(NODES, "count: 8", "count: 2")
    small = f"{edited(NODES, 'count: 8', 'count: 1')}{NODES[NODES.index('  - name') :]}"
    small = small.replace("count: 8", "count: 1")[::-1].replace('"8"'[::-1], '"4"'[::-1], 1)[::-1]
    small = small.replace("name: gpu\n", "name: small\n", 1)
    ((place, message),) = worse(tmp_path / "r", {"job.yaml": PAIR, "n.yaml": two}, {"job.yaml": PAIR, "n.yaml": small})
    assert place.startswith("n.yaml: ")
    assert message.startswith("this change lets the scheduler place ml/pair so that it cannot run")


POLICY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: net, namespace: ml}
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {matchLabels: {app: train}}}]
"""


def test_connections_of_which_it_is_not_known_any_more(tmp_path: Path) -> None:
    """No document says which labels the namespace has."""
    after = edited(POLICY, "podSelector: {matchLabels: {app: train}}", "namespaceSelector: {matchLabels: {team: ml}}")
    found = worse(tmp_path / "r", {"job.yaml": JOB, "net.yaml": POLICY}, {"job.yaml": JOB, "net.yaml": after})
    assert found == [
        (
            "net.yaml: - from: [{namespaceSelector: {matchLabels: {team: ml}}}]",
            (
                "this change makes it unknown whether the pods of ml/train may reach each other (NetworkPolicy ml/net "
                "asks for the label team of namespace ml, which is not in Git); before, all connections that they need "
                "were permitted"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"other.yaml": POLICY}, {"other.yaml": POLICY, "job.yaml": JOB}),
        ({"job.yaml": JOB}, {"job.yaml": JOB.replace("s: 4", "s: 8").replace("{name: train, n", "{name: other, n")}),
        ({"job.yaml": JOB, "nodes.yaml": NODES}, {"job.yaml": JOB.replace('"8"', '"16"'), "nodes.yaml": NODES}),
        ({"job.yaml": JOB}, {"job.yaml": JOB, "nodes.yaml": NODES}),
        ({"job.yaml": JOB, "nodes.yaml": NODES}, {"elsewhere/job.yaml": JOB, "nodes.yaml": NODES}),
        (
            {"job.yaml": JOB.replace(PODS, f"{PODS}      nodeSelector: {{gpu: h100}}\n")},
            {"job.yaml": JOB.replace(PODS, f"{PODS}      affinity: {{nodeAffinity: {TERMS}}}\n")},
        ),
    ],
    ids=["new", "renamed", "refuted", "better", "moved", "the same in other words"],
)
def test_what_is_silent(tmp_path: Path, before: dict[str, str], after: dict[str, str]) -> None:
    assert worse(tmp_path / "r", before, after) == []


def test_silent_where_another_rule_reports_why_it_is_not_known(tmp_path: Path) -> None:
    after = edited(JOB, "s: 4", "s: 8").replace("parallelism: 4", "parallelism: 8")
    after = edited(after, "[python, x.py]", TORCHRUN)
    before = edited(JOB, "[python, x.py]", TORCHRUN)
    root = tmp_path / "r"
    assert worse(root, {"job.yaml": before}, {"job.yaml": after}, ignore=frozenset()) == []
    rules = {each.finding.rule for each in lint(root, base="HEAD", ignore=frozenset()).findings}
    assert "process-count-mismatch" in rules


@pytest.mark.needs("kustomize")
def test_an_overlay_that_makes_it_so(tmp_path: Path) -> None:
    overlay = (
        "resources: [job.yaml]\npatches:\n  - target: {kind: Job}\n    patch: |\n"
        "      - {op: replace, path: /spec/parallelism, value: 4}\n"
        "      - {op: replace, path: /spec/completions, value: 4}\n"
    )
    after = {
        "job.yaml": edited(JOB, "train:1", "train:2"),
        "kustomization.yaml": overlay.replace("value: 4", "value: 8"),
    }
    found = worse(tmp_path / "r", {"job.yaml": JOB, "kustomization.yaml": overlay}, after)
    assert [place for place, _ in found] == ["kustomization.yaml: patch: |"]


@pytest.mark.needs("helm")
def test_a_value_of_a_chart_that_makes_it_so(tmp_path: Path) -> None:
    template = JOB.replace("s: 4", "s: {{ .Values.pods }}").replace("m: 4", "m: {{ .Values.pods }}")
    chart = {
        "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
        "c/templates/job.yaml": edited(template, "train:1", "train:{{ .Values.tag }}"),
    }
    before, after = ({**chart, "c/values.yaml": f"tag: {tag}\npods: {pods}\n"} for tag, pods in ((1, 4), (2, 8)))
    assert [place for place, _ in worse(tmp_path / "r", before, after)] == ["c/values.yaml: pods: 8"]


def test_nothing_is_compared_without_a_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("needs were compared")

    monkeypatch.setattr("trainlint.engine.compare.judge_change", never)
    root = write(tmp_path / "r", {"job.yaml": JOB})
    assert [each for each in lint(root).findings if each.finding.rule == RULE] == []


def test_nothing_is_tried_where_nothing_is_worse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a part of the change was tried")

    monkeypatch.setattr("trainlint.engine.blame.read_state", never)
    assert of_job(tmp_path / "r", "s: 4", "s: 4") == []
