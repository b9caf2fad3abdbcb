"""control-plane-flow-denied: every connection once where it is permitted and once where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import CILIUM, JOB, cnp, deployment, knp, told

from trainlint.finding import Certainty, Severity

RULE = "control-plane-flow-denied"
KUEUE = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: sys}
spec:
  selector: {matchLabels: {app: manager}}
  template:
    metadata: {labels: {app: manager}}
    spec: {containers: [{name: m, image: "registry.example/m:1", ports: [{containerPort: 9443, name: hook}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: hook, namespace: sys}
spec: {selector: {app: manager}, ports: [{port: 443, targetPort: hook}]}
"""


def hook(group: str = "kubeflow.org", more: str = "", kind: str = "Mutating") -> str:
    return (
        f"---\napiVersion: admissionregistration.k8s.io/v1\nkind: {kind}WebhookConfiguration\nmetadata: {{name: h}}\n"
        "webhooks:\n  - name: h.example.com\n    clientConfig: {service: {name: hook, namespace: sys}}\n"
        f"    rules: [{{apiGroups: [{group}], apiVersions: [v1], operations: [CREATE], resources: [pytorchjobs]}}]\n"
        f"{more}"
    )


def shut(*elements: str, namespace: str = "sys") -> str:
    return knp(
        f"  podSelector: {{}}\n  policyTypes: [Ingress]\n  ingress: [{', '.join(elements)}]\n", namespace=namespace
    )


METRICS = "{ports: [{port: 8443}]}"


@pytest.mark.parametrize("kind", ["Mutating", "Validating"])
def test_a_webhook_that_fails_closed_must_be_reached(tmp_path: Path, kind: str) -> None:
    (found,) = told(tmp_path, RULE, {"a.yaml": KUEUE + hook(kind=kind), "job.yaml": JOB, "p.yaml": shut(METRICS)})
    assert "9443" in found.finding.message
    assert "PyTorchJob ml/train cannot be created" in found.finding.message
    assert found.finding.certainty is Certainty.LIKELY


@pytest.mark.parametrize(
    ("webhook", "policy"),
    [
        (hook(), shut("{ports: [{port: 9443}]}")),
        (hook(), shut("{ports: [{port: hook}]}")),
        (hook(), shut("{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}")),
        (hook(), shut("{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}}]}")),
        (hook(), shut(METRICS, namespace="ml")),
        (hook("batch"), shut(METRICS)),
        (hook(more="    failurePolicy: Ignore\n"), shut(METRICS)),
        (hook(more="    matchConditions: [{name: c, expression: 'false'}]\n"), shut(METRICS)),
        (hook(more="    namespaceSelector: {matchLabels: {managed: 'true'}}\n"), shut(METRICS)),
        (hook(more="    objectSelector: {matchLabels: {managed: 'true'}}\n"), shut(METRICS)),
        (hook(), ""),
    ],
    ids=[
        "port",
        "name of the port",
        "perhaps by address",
        "through a tunnel in kube-system",
        "a policy elsewhere",
        "another kind",
        "fails open",
        "on a condition",
        "perhaps of other namespaces",
        "of other objects",
        "no policy",
    ],
)
def test_where_the_webhook_may_be_reached_or_does_not_count_it_is_silent(
    tmp_path: Path, webhook: str, policy: str
) -> None:
    assert told(tmp_path, RULE, {"a.yaml": KUEUE + webhook, "job.yaml": JOB, "p.yaml": policy}) == []


@pytest.mark.parametrize(
    ("entities", "count"),
    [("[kube-apiserver]", 0), ("[remote-node]", 0), ("[cluster]", 0), ("[world]", 0), ("[health]", 1)],
)
def test_under_cilium_the_api_server_is_an_entity(tmp_path: Path, entities: str, count: int) -> None:
    policy = cnp(f"  endpointSelector: {{}}\n  ingress: [{{fromEntities: {entities}}}]\n", namespace="sys")
    files = {"a.yaml": KUEUE + hook(), "job.yaml": JOB, "p.yaml": policy, "trainlint.yaml": CILIUM}
    assert len(told(tmp_path, RULE, files)) == count


OPERATOR = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kuberay-operator, namespace: ray}
spec:
  selector: {matchLabels: {app: op}}
  template:
    metadata: {labels: {app: op}}
    spec: {containers: [{name: op, image: "quay.io/kuberay/operator:v1.4.2"}]}
"""
BY_OPERATOR = "{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ray}}}], ports: [{port: %s}]}"
OWN = "{from: [{podSelector: {}}]}"


def ray(kind: str, spec: str = "", parameters: str = "{}", store: str = "") -> str:
    field = {"RayJob": "rayClusterSpec: ", "RayService": "rayClusterConfig: "}[kind]
    head = (
        f"{{rayStartParams: {parameters}, template: {{metadata: {{labels: {{app: head}}}}, "
        'spec: {containers: [{name: head, image: "rayproject/ray:2.49.0"}]}}}'
    )
    return (
        f"apiVersion: ray.io/v1\nkind: {kind}\nmetadata: {{name: r, namespace: ml}}\nspec:\n{spec}"
        f"  {field}{{{store}headGroupSpec: {head}}}\n"
    )


@pytest.mark.parametrize(
    ("text", "elements", "ports"),
    [
        (ray("RayJob"), [OWN], ["8265"]),
        (ray("RayJob"), [OWN, BY_OPERATOR % 8265], []),
        (ray("RayJob", parameters="{dashboard-port: '9000'}"), [OWN, BY_OPERATOR % 8265], ["9000"]),
        (ray("RayService"), [OWN], ["8265", "8000"]),
        (ray("RayService"), [OWN, BY_OPERATOR % 8265], ["8000"]),
        (ray("RayService", "  excludeHeadPodFromServeSvc: true\n"), [OWN, BY_OPERATOR % 8265], []),
        (ray("RayService"), [OWN, BY_OPERATOR % 8265, BY_OPERATOR % 8000], []),
    ],
)
def test_the_operator_asks_the_head(tmp_path: Path, text: str, elements: list[str], ports: list[str]) -> None:
    files = {"ray.yaml": text, "op.yaml": OPERATOR, "p.yaml": shut(*elements, namespace="ml")}
    found = [each.finding for each in told(tmp_path, RULE, files)]
    assert sorted(each.cause.rpartition(" ")[2] for each in found) == sorted(ports)
    assert all("ray/kuberay-operator" in each.message for each in found)


def test_without_the_operator_in_git_nothing_is_said(tmp_path: Path) -> None:
    assert told(tmp_path, RULE, {"ray.yaml": ray("RayJob"), "p.yaml": shut(OWN, namespace="ml")}) == []


STORE = deployment("redis", "app: redis") + (
    "---\napiVersion: v1\nkind: Service\nmetadata: {name: redis, namespace: ml}\n"
    "spec: {selector: {app: redis}, ports: [{port: 6379}]}\n"
)


@pytest.mark.parametrize("address", ["redis:6379", "redis", "redis://redis.ml.svc.cluster.local:6379"])
@pytest.mark.parametrize(("admitted", "count"), [("redis", 0), ("rediss", 1)])
def test_the_head_reaches_its_store(tmp_path: Path, address: str, admitted: str, count: int) -> None:
    policy = knp(
        "  podSelector: {matchLabels: {app: head}}\n  policyTypes: [Egress]\n"
        f"  egress: [{{to: [{{podSelector: {{matchLabels: {{app: {admitted}}}}}}}], ports: [{{port: 6379}}]}}]\n"
    )
    text = ray("RayJob", store=f'gcsFaultToleranceOptions: {{redisAddress: "{address}"}}, ')
    found = told(tmp_path, RULE, {"ray.yaml": text, "store.yaml": STORE, "p.yaml": policy})
    assert len(found) == count
    assert all("asks for app=rediss; ml/redis has app=redis" in each.finding.message for each in found)


def daemon(name: str, arguments: str = "") -> str:
    return (
        f"---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: {name}, namespace: ml}}\nspec:\n"
        f"  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n"
        f'    spec: {{containers: [{{name: c, image: "registry.example/{name}:1", args: [{arguments}]}}]}}\n'
    )


@pytest.mark.parametrize(("engine", "port", "count"), [("dcgm", 2112, 1), ("dcgm", 5555, 0), ("web", 2112, 0)])
def test_an_agent_reaches_its_engine(tmp_path: Path, engine: str, port: int, count: int) -> None:
    service = (
        f"---\napiVersion: v1\nkind: Service\nmetadata: {{name: {engine}, namespace: ml}}\n"
        f"spec: {{selector: {{app: {engine}}}, ports: [{{port: 5555}}]}}\n"
    )
    pods = daemon(engine) + service + daemon("agent", f'--engine-address, "{engine}.ml.svc:5555"')
    policy = shut(f"{{ports: [{{port: {port}}}]}}", namespace="ml")
    assert len(told(tmp_path, RULE, {"pods.yaml": pods, "p.yaml": policy})) == count


def closed(*elements: str, labels: str = "{}") -> str:
    return knp(f"  podSelector: {labels}\n  policyTypes: [Egress]\n  egress: [{', '.join(elements)}]\n")


TO_OWN = "{to: [{podSelector: {}}]}"


@pytest.mark.parametrize(
    ("elements", "count"),
    [
        ([TO_OWN], 1),
        ([TO_OWN, "{to: [{ipBlock: {cidr: 172.16.0.1/32}}], ports: [{port: 6443}]}"], 0),
        ([TO_OWN, "{ports: [{port: 443}, {port: 6443}]}"], 0),
    ],
)
def test_the_autoscaler_beside_the_head_asks_the_api_server(tmp_path: Path, elements: list[str], count: int) -> None:
    text = ray("RayJob", store="enableInTreeAutoscaling: true, ")
    found = told(tmp_path, RULE, {"ray.yaml": text, "p.yaml": closed(*elements)})
    assert len(found) == count
    assert all("cannot reach the API server" in each.finding.message for each in found)
    assert told(tmp_path, RULE, {"ray.yaml": ray("RayJob"), "p.yaml": closed(*elements)}) == []


@pytest.mark.parametrize(
    ("entities", "count"), [("[kube-apiserver]", 0), ("[remote-node]", 0), ("[all]", 0), ("[health]", 1)]
)
def test_under_cilium_the_autoscaler_is_admitted_by_an_entity(tmp_path: Path, entities: str, count: int) -> None:
    policy = cnp(f"  endpointSelector: {{}}\n  egress: [{{toEndpoints: [{{}}]}}, {{toEntities: {entities}}}]\n")
    text = ray("RayJob", store="enableInTreeAutoscaling: true, ")
    files = {"ray.yaml": text, "p.yaml": policy, "trainlint.yaml": CILIUM}
    assert len(told(tmp_path, RULE, files)) == count


LAUNCHER = """\
apiVersion: kubeflow.org/%s
kind: MPIJob
metadata: {name: m, namespace: ml}
spec:
  slotsPerWorker: 1
  mpiReplicaSpecs:
    Launcher: {replicas: 1, template: {spec: {containers: [{name: mpi, image: "registry.example/mpi:1"}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: mpi, image: "registry.example/mpi:1"}]}}}
"""


@pytest.mark.parametrize(("version", "count"), [("v1", 1), ("v2beta1", 0)])
def test_a_launcher_by_kubectl_asks_the_api_server(tmp_path: Path, version: str, count: int) -> None:
    """MPIJob v1 starts its ranks by kubectl exec, v2beta1 by ssh."""
    found = told(tmp_path, RULE, {"m.yaml": LAUNCHER % version, "p.yaml": closed(TO_OWN)})
    assert len(found) == count
    assert told(tmp_path, RULE, {"m.yaml": LAUNCHER % version, "p.yaml": closed(TO_OWN, "{}")}) == []


SUBMITTED = """---
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune, namespace: ml}
spec: {entrypoint: python x.py, clusterSelector: {ray.io/cluster: shared}}
---
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: shared, namespace: ml}
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      metadata: {labels: {app: head}}
      spec: {containers: [{name: head, image: "rayproject/ray:2.49.0"}]}
"""
BY_SUBMITTER = "{from: [{podSelector: {matchLabels: {ray.io/originated-from-crd: RayJob}}}], ports: [{port: %s}]}"


@pytest.mark.parametrize(("port", "count"), [("8265", 0), ("6379", 1)])
def test_the_submitter_reaches_the_head_of_a_cluster_that_is_there(tmp_path: Path, port: str, count: int) -> None:
    policy = knp(
        f"  podSelector: {{matchLabels: {{app: head}}}}\n  policyTypes: [Ingress]\n  ingress: [{BY_SUBMITTER % port}]\n"
    )
    found = told(tmp_path, RULE, {"ray.yaml": SUBMITTED, "p.yaml": policy})
    assert len(found) == count
    assert all("RayJob ml/tune is never submitted" in each.finding.message for each in found)


def storing(env: str) -> str:
    return JOB.replace("resources: {", f"env: [{env}], resources: {{")


@pytest.mark.parametrize(
    ("env", "elements", "count"),
    [
        ("{name: OUT, value: 's3://bucket/checkpoints'}", [TO_OWN], 1),
        ("{name: OUT, value: 'gs://bucket/checkpoints'}", [TO_OWN], 1),
        ("{name: DATA, value: 'https://data.example.com/set.tar'}", [TO_OWN], 1),
        ("{name: DATA, value: 'https://data.web.svc/set.tar'}", [TO_OWN], 0),
        ("{name: DATA, value: 'https://data/set.tar'}", [TO_OWN], 0),
        ("{name: OUT, value: 's3://$(BUCKET)/x'}", [TO_OWN], 0),
        ("{name: OUT, value: 's3://b/x'}, {name: AWS_ENDPOINT_URL, value: 'http://minio:9000'}", [TO_OWN], 0),
        ("{name: OUT, value: 's3://b/x'}", [TO_OWN, "{ports: [{port: 443}]}"], 0),
        ("{name: OUT, value: 's3://b/x'}", [TO_OWN, "{to: [{ipBlock: {cidr: 52.0.0.0/8}}]}"], 0),
    ],
)
def test_a_store_named_by_url_is_a_note(tmp_path: Path, env: str, elements: list[str], count: int) -> None:
    found = told(tmp_path, RULE, {"job.yaml": storing(env), "p.yaml": closed(*elements)})
    assert [each.finding.severity for each in found] == [Severity.NOTE] * count


@pytest.mark.parametrize(("name", "count"), [("data.example.com", 0), ("other.example.com", 1)])
def test_a_store_admitted_by_name(tmp_path: Path, name: str, count: int) -> None:
    dns = '{toEndpoints: [{}], toPorts: [{ports: [{port: "53"}], rules: {dns: [{matchPattern: "*"}]}}]}'
    policy = cnp(f"  endpointSelector: {{}}\n  egress: [{dns}, {{toFQDNs: [{{matchName: {name}}}]}}]\n")
    text = storing("{name: DATA, value: 'https://data.example.com/set.tar'}")
    assert len(told(tmp_path, RULE, {"job.yaml": text, "p.yaml": policy, "trainlint.yaml": CILIUM})) <= count


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (KUEUE, ""),
        (KUEUE.replace("{port: 443, ", "{port: 9443, "), "has no port 443"),
        (KUEUE.replace("targetPort: hook", "targetPort: hooks"), "declares the port hooks"),
        (KUEUE.replace("spec:\n  selector: {m", "spec:\n  replicas: 0\n  selector: {m"), "scaled to 0"),
        (
            KUEUE.replace("spec: {selector: {app: manager}", "spec: {selector: {app: managers}"),
            "asks for app: managers",
        ),
        (KUEUE.replace("spec: {selector: {app: manager}", "spec: {selector: {app: m, of: x}"), ""),
    ],
)
def test_a_webhook_that_leads_nowhere(tmp_path: Path, text: str, said: str) -> None:
    found = told(tmp_path, RULE, {"a.yaml": text + hook(), "job.yaml": JOB})
    assert len(found) == bool(said)
    assert all(said in each.finding.message for each in found)


@pytest.mark.parametrize(("labels", "count"), [("app: train", 1), ("app: web", 0)])
def test_a_webhook_of_the_pods_must_be_reached(tmp_path: Path, labels: str, count: int) -> None:
    webhook = hook(more=f"    objectSelector: {{matchLabels: {{{labels}}}}}\n").replace("[kubeflow.org]", '[""]')
    webhook = webhook.replace("[pytorchjobs]", "[pods]")
    files = {"a.yaml": KUEUE + webhook, "job.yaml": JOB, "p.yaml": shut(METRICS)}
    assert len(told(tmp_path, RULE, files)) == count
