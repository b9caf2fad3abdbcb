"""mesh-denies-flow: mutual TLS by mesh, namespace, workload and port; who has a proxy (Istio's PeerAuthentication)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rules.policy.repositories import JOB, told
from tests.rules.policy.test_control_plane import KUEUE, hook

RULE, SIDECAR = "mesh-denies-flow", "mesh-sidecar-on-training"


def namespace(labels: str = "istio-injection: enabled", name: str = "sys") -> str:
    return f"---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {{{labels}}}}}\n"


def strict(spec: str = "mtls: {mode: STRICT}", where: str = "istio-system", name: str = "default") -> str:
    head = "---\napiVersion: security.istio.io/v1\nkind: PeerAuthentication\n"
    return f"{head}metadata: {{name: {name}, namespace: {where}}}\nspec: {{{spec}}}\n"


OF_MANAGER = "selector: {matchLabels: {app: manager}}"


@pytest.mark.parametrize(
    "mesh",
    [
        strict(),
        strict(where="sys"),
        strict(f"{OF_MANAGER}, mtls: {{mode: STRICT}}", "sys"),
        strict("mtls: {mode: PERMISSIVE}") + strict(where="sys"),
        strict(f"{OF_MANAGER}, portLevelMtls: {{9443: {{mode: STRICT}}}}", "sys"),
        strict() + strict(f"{OF_MANAGER}, mtls: {{mode: UNSET}}", "sys", "own"),
    ],
)
def test_the_api_server_has_no_proxy(tmp_path: Path, mesh: str) -> None:
    (found,) = told(tmp_path, RULE, {"a.yaml": KUEUE + hook() + namespace(), "job.yaml": JOB, "mesh.yaml": mesh})
    assert found.finding.at.file == "mesh.yaml"
    assert "9443" in found.finding.message


@pytest.mark.parametrize(
    ("mesh", "of"),
    [
        (strict("mtls: {mode: PERMISSIVE}"), namespace()),
        (strict(where="elsewhere"), namespace()),
        (strict() + strict("mtls: {mode: PERMISSIVE}", "sys"), namespace()),
        (strict() + strict(f"{OF_MANAGER}, portLevelMtls: {{9443: {{mode: DISABLE}}}}", "sys", "own"), namespace()),
        (strict() + strict("mtls: {mode: PERMISSIVE}", name="other"), namespace()),
        (strict(), namespace("istio-injection: disabled")),
        (strict(), namespace("istio.io/dataplane-mode: ambient")),
        (strict(), ""),
        ("", namespace()),
    ],
    ids=[
        "permissive",
        "elsewhere",
        "namespace wins",
        "port wins",
        "two",
        "no proxy",
        "ambient",
        "no Namespace",
        "none",
    ],
)
def test_where_the_connection_may_be_accepted_it_is_silent(tmp_path: Path, mesh: str, of: str) -> None:
    assert told(tmp_path, RULE, {"a.yaml": KUEUE + hook() + of, "job.yaml": JOB, "mesh.yaml": mesh}) == []


STORE = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: ml}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: store, image: "registry.example/etcd:3", ports: [{containerPort: 2379}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: store, namespace: ml}
spec: {selector: {app: store}, ports: [{port: 2379}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {app: train, sidecar.istio.io/inject: "false"}}
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example/train:1
          command: [torchrun, --nnodes=2, --rdzv-backend=etcd-v2, "--rdzv-endpoint=store.ml.svc:2379", x.py]
          resources: {limits: {nvidia.com/gpu: "1"}}
"""


@pytest.mark.parametrize(("mesh", "count"), [(strict(), 1), (strict("mtls: {mode: PERMISSIVE}"), 0), ("", 0)])
def test_ranks_outside_reach_a_store_inside_a_permissive_mesh_only(tmp_path: Path, mesh: str, count: int) -> None:
    files = {"a.yaml": STORE + namespace(name="ml"), "mesh.yaml": mesh}
    assert len(told(tmp_path, RULE, files)) == count
    assert told(tmp_path, SIDECAR, files) == []
