"""What is offered where policies keep a job apart, on one small repository with one thing wrong each time.

The expectations are decision 14 of the rules: the nearest entry is fixed, a default deny never is, a missing allow is
a small policy of its own, and no label makes pods look like another workload.
"""

from __future__ import annotations

from pathlib import Path

import yaml
from tests.engine.worlds import write

from trainlint.engine.check import check
from trainlint.engine.request import Repairs
from trainlint.finding import Safety
from trainlint.result import Repair

STORE = """apiVersion: v1
kind: Service
metadata: {name: store, namespace: infra}
spec: {selector: {app: store}, ports: [{port: 2379}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: infra}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers: [{name: store, image: "registry.example/store:1", ports: [{containerPort: 2379}]}]
"""
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  backoffLimit: 0
  template:
    metadata: {labels: {app: train, team: red}}
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --rdzv-backend=etcd-v2, "--rdzv-endpoint=store.infra.svc:2379", x.py]
          resources: {limits: {nvidia.com/gpu: "1"}}
"""
OTHER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: trainer, namespace: ml}
spec:
  selector: {matchLabels: {app: trainer}}
  template:
    metadata: {labels: {app: trainer, team: blue}}
    spec: {containers: [{name: t, image: "registry.example/t:1"}]}
"""


def policy(spec: str, name: str = "store", namespace: str = "infra") -> str:
    head = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
    return f"{head}metadata: {{name: {name}, namespace: {namespace}}}\nspec:\n{spec}"


def repair(root: Path, policies: str, *more: str) -> Repair | None:
    files = {"store.yaml": STORE, "job.yaml": JOB, "policies.yaml": policies}
    files |= {f"more-{number}.yaml": each for number, each in enumerate(more)}
    write(root, files)
    result = check([root], repairs=Repairs.EACH)
    assert result.failures == ()
    found = [each for each in result.repairs or () if each.group == "infra/store+ml/train"]
    return found[0] if found else None


def changed(found: Repair | None) -> dict[str, list[dict[str, object]]]:
    assert found is not None
    return {each.file: list(yaml.safe_load_all(each.after)) for each in found.changes}


def spec_of(found: Repair | None, number: int = 0) -> dict[str, object]:
    spec = changed(found)["policies.yaml"][number]["spec"]
    assert isinstance(spec, dict)
    return spec


ML = {"matchLabels": {"kubernetes.io/metadata.name": "ml"}}


def test_the_namespace_that_is_missing_is_written_into_the_entry(tmp_path: Path) -> None:
    spec = "  podSelector: {matchLabels: {app: store}}\n  ingress:\n"
    spec += "    - from:\n        - podSelector: {matchLabels: {app: train}}\n      ports: [{port: 2379}]\n"
    found = repair(tmp_path, policy(spec))
    peer = {"namespaceSelector": ML, "podSelector": {"matchLabels": {"app": "train"}}}
    assert spec_of(found)["ingress"] == [{"from": [peer], "ports": [{"port": 2379}]}]
    assert found is not None
    assert found.opens == ("ml/train to infra/store on TCP 2379",)


def test_a_port_that_is_missing_is_added_to_the_entry(tmp_path: Path) -> None:
    spec = "  podSelector: {matchLabels: {app: store}}\n  ingress:\n    - from:\n"
    spec += "        - namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}\n"
    spec += "          podSelector: {matchLabels: {app: train}}\n"
    spec += "      ports:\n        - protocol: TCP\n          port: 2380\n"
    found = repair(tmp_path, policy(spec))
    ports = [{"protocol": "TCP", "port": 2380}, {"protocol": "TCP", "port": 2379}]
    assert spec_of(found)["ingress"][0]["ports"] == ports  # type: ignore[index]


def test_a_peer_that_others_are_admitted_by_stays(tmp_path: Path) -> None:
    """trainer is a workload of its own: to write train in its place would shut it out."""
    spec = "  podSelector: {matchLabels: {app: store}}\n  ingress:\n    - from:\n"
    spec += "        - namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}\n"
    spec += "          podSelector: {matchLabels: {app: trainer}}\n      ports: [{port: 2379}]\n"
    found = repair(tmp_path, policy(spec), OTHER)
    text = yaml.safe_dump_all(each for documents in changed(found).values() for each in documents)
    assert "app: trainer" in text
    assert found is not None
    assert found.opens == ("ml/train to infra/store on TCP 2379",)
    assert "job.yaml" not in changed(found)


def test_a_default_deny_stays_and_a_small_policy_is_written(tmp_path: Path) -> None:
    found = repair(tmp_path, policy("  podSelector: {}\n  policyTypes: [Ingress]\n", "default-deny"))
    deny, own = changed(found)["policies.yaml"]
    assert deny["spec"] == {"podSelector": {}, "policyTypes": ["Ingress"]}
    assert own["kind"] == "NetworkPolicy"
    assert own["metadata"] == {"name": "store-from-train", "namespace": "infra"}
    assert own["spec"] == {
        "podSelector": {"matchLabels": {"app": "store"}},
        "policyTypes": ["Ingress"],
        "ingress": [
            {
                "from": [{"namespaceSelector": ML, "podSelector": {"matchLabels": {"app": "train"}}}],
                "ports": [{"port": 2379, "protocol": "TCP"}],
            }
        ],
    }


def test_a_default_deny_for_egress_leaves_dns_and_the_store_to_small_policies(tmp_path: Path) -> None:
    deny = policy("  podSelector: {}\n  policyTypes: [Egress]\n", "default-deny", "ml")
    write(tmp_path, {"store.yaml": STORE, "job.yaml": JOB, "policies.yaml": deny})
    result = check([tmp_path], repairs=Repairs.EACH)
    assert result.repairs
    for each in result.repairs:
        documents = [one for change in each.changes for one in yaml.safe_load_all(change.after)]
        (same,) = [one for one in documents if one["metadata"]["name"] == "default-deny"]
        assert same["spec"] == {"podSelector": {}, "policyTypes": ["Egress"]}
    opened = {text for each in result.repairs for text in each.opens}
    assert {"ml/train to the cluster's DNS on TCP and UDP 53"} <= {
        text.replace("kube-system/coredns, ", "") for text in opened
    }


def test_pods_never_get_the_label_of_another_workload(tmp_path: Path) -> None:
    """team: blue would open the store; but a Service of trainer takes pods with team: blue for its own."""
    spec = "  podSelector: {matchLabels: {app: store}}\n  ingress:\n    - from:\n"
    spec += "        - namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}\n"
    spec += "          podSelector: {matchLabels: {team: blue}}\n      ports: [{port: 2379}]\n"
    service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: blue, namespace: ml}\n"
    service += "spec: {selector: {team: blue}, ports: [{port: 80}]}\n"
    found = repair(tmp_path, policy(spec), OTHER + service)
    assert found is not None
    assert "job.yaml" not in changed(found)
    assert found.safety is Safety.OPENING


def test_labels_of_operators_are_never_set(tmp_path: Path) -> None:
    spec = "  podSelector: {matchLabels: {app: store}}\n  ingress:\n    - from:\n"
    spec += "        - namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}\n"
    spec += "          podSelector: {matchLabels: {training.kubeflow.org/job-name: llama}}\n"
    spec += "      ports: [{port: 2379}]\n"
    found = repair(tmp_path, policy(spec))
    assert found is None or "job.yaml" not in changed(found)


def test_what_an_entry_denies_is_left_to_people(tmp_path: Path) -> None:
    deny = "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: no-red, namespace: infra}\nspec:\n"
    deny += "  endpointSelector: {matchLabels: {app: store}}\n"
    deny += "  ingressDeny: [{fromEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: ml, team: red}}]}]\n"
    assert repair(tmp_path, deny) is None
