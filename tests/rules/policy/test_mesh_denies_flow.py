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
        (strict(), namespace("istio-injection: disabled, istio.io/dataplane-mode: none")),
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
        "out of ambient",
        "no Namespace",
        "none",
    ],
)
def test_where_the_connection_may_be_accepted_it_is_silent(tmp_path: Path, mesh: str, of: str) -> None:
    assert told(tmp_path, RULE, {"a.yaml": KUEUE + hook() + of, "job.yaml": JOB, "mesh.yaml": mesh}) == []


def test_the_proxy_of_the_node_asks_for_mutual_tls_too(tmp_path: Path) -> None:
    """In ambient mode ztunnel refuses plain connections under STRICT; annotations of sidecars do not count for it."""
    of = namespace("istio.io/dataplane-mode: ambient")
    (found,) = told(tmp_path, RULE, {"a.yaml": KUEUE + hook() + of, "job.yaml": JOB, "mesh.yaml": strict()})
    assert "portLevelMtls" in found.finding.remedy


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


@pytest.mark.parametrize(("excluded", "count"), [("2379", 1), ("2380", 0), ("", 0)])
def test_a_port_past_the_proxy_of_the_caller_is_plain(tmp_path: Path, excluded: str, count: int) -> None:
    """excludeOutboundPorts: the caller has a proxy, and the connection does not pass it."""
    outside = f'{{traffic.sidecar.istio.io/excludeOutboundPorts: "{excluded}"}}'
    text = STORE.replace('{app: train, sidecar.istio.io/inject: "false"}', f"{{app: train}}, annotations: {outside}")
    assert len(told(tmp_path, RULE, {"a.yaml": text + namespace(name="ml"), "mesh.yaml": strict()})) == count


def authorization(spec: str, where: str = "ml", name: str = "only", more: str = "") -> str:
    head = "---\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\n"
    return f"{head}metadata: {{name: {name}, namespace: {where}{more}}}\nspec: {{{spec}}}\n"


OF_STORE = "selector: {matchLabels: {app: store}}"


def allowing(source: str, to: str = "", selector: str = OF_STORE) -> str:
    return authorization(f"{selector}, rules: [{{from: [{{source: {{{source}}}}}]{to}}}]")


def denying(rule: str) -> str:
    return authorization(f"{OF_STORE}, action: DENY, rules: [{{{rule}}}]", name="no")


EVERYTHING = authorization("rules: [{}]", name="all")


@pytest.mark.parametrize(
    ("policies", "count"),
    [
        ("", 0),
        (authorization(""), 1),  # "allow nothing"
        (authorization(OF_STORE), 1),
        (authorization("selector: {matchLabels: {app: web}}"), 0),
        (authorization("", "web"), 0),
        (authorization("", "istio-system"), 1),
        (authorization("") + EVERYTHING, 0),  # one rule of all ALLOW policies is enough
        (allowing("namespaces: [ml]"), 1),  # a plain caller has no namespace
        (allowing('principals: ["*"]'), 1),
        (allowing("notPrincipals: [cluster.local/ns/web/sa/web]"), 0),
        (allowing("ipBlocks: [10.0.0.0/8]"), 0),  # perhaps the ranks' addresses
        (allowing("", ", to: [{operation: {ports: ['2379']}}]"), 0),
        (allowing("", ", to: [{operation: {ports: ['8080']}}]"), 1),
        (allowing("", ", to: [{operation: {notPorts: ['2379']}}]"), 1),
        (allowing("", ", to: [{operation: {methods: [GET]}}]"), 0),
        (denying("to: [{operation: {ports: ['2379']}}]"), 1),
        (denying("to: [{operation: {ports: ['8080']}}]"), 0),
        (denying("from: [{source: {namespaces: [ml]}}]"), 0),
        (denying("from: [{source: {notNamespaces: [ml]}}]"), 1),
        (denying("when: [{key: destination.port, values: ['2379']}]"), 1),
        (denying("when: [{key: source.ip, values: [10.0.0.0/8]}]"), 0),
        (denying("to: [{operation: {ports: ['2379']}}]") + EVERYTHING, 1),  # DENY comes before ALLOW
        (authorization("action: DENY"), 0),  # a DENY without rules matches nothing
        (authorization(f"{OF_STORE}, action: AUDIT, rules: [{{}}]"), 0),
        (authorization(f"{OF_STORE}, action: CUSTOM, provider: {{name: p}}, rules: [{{}}]"), 0),
        (authorization("", more=", annotations: {istio.io/dry-run: 'true'}"), 0),
        (authorization("targetRefs: [{kind: Gateway, group: gateway.networking.k8s.io, name: w}]"), 0),
    ],
)
def test_authorization_of_a_caller_without_a_proxy(tmp_path: Path, policies: str, count: int) -> None:
    """Order and matching of istio.io/latest/docs/reference/config/security/authorization-policy."""
    found = told(tmp_path, RULE, {"a.yaml": STORE + namespace(name="ml"), "mesh.yaml": policies})
    assert len(found) == count
    assert all("the mesh refuses" in each.finding.message for each in found)


@pytest.mark.parametrize(
    ("policies", "count"),
    [
        (allowing("namespaces: [ml]"), 0),
        (allowing("namespaces: [web]"), 1),
        (allowing("namespaces: ['m*']"), 0),
        (allowing("principals: [cluster.local/ns/ml/sa/default]"), 0),
        (allowing("principals: [other.domain/ns/ml/sa/default]"), 0),
        (allowing("principals: [other.domain/ns/web/sa/default]"), 1),
        (allowing("principals: ['*/ns/ml/sa/default']"), 0),
        (allowing("principals: [cluster.local/ns/web/sa/web]"), 1),
        (allowing("serviceAccounts: [default]"), 0),
        (allowing("serviceAccounts: [web/default]"), 1),
        (denying("from: [{source: {namespaces: [ml]}}]"), 0),  # perhaps past the proxy: then it has no namespace
    ],
)
def test_authorization_of_a_caller_in_the_mesh(tmp_path: Path, policies: str, count: int) -> None:
    text = STORE.replace(', sidecar.istio.io/inject: "false"', "")
    assert len(told(tmp_path, RULE, {"a.yaml": text + namespace(name="ml"), "mesh.yaml": policies})) == count


def test_a_namespace_without_injection_wins_over_its_pods(tmp_path: Path) -> None:
    """Istio calls no webhook for namespaces with istio-injection: disabled, whatever the pods ask for."""
    text = STORE.replace("{app: store}}\n    spec", "{app: store, sidecar.istio.io/inject: 'true'}}\n    spec")
    for value, count in (("enabled", 1), ("disabled", 0)):
        files = {"a.yaml": text + namespace(f"istio-injection: {value}", "ml"), "mesh.yaml": strict()}
        assert len(told(tmp_path, RULE, files)) == count


SERVER = """---
apiVersion: policy.linkerd.io/v1beta3
kind: Server
metadata: {name: store, namespace: ml%s}
spec: {podSelector: {matchLabels: {app: store}}, port: 2379%s}
"""
BY_NETWORK = """---
apiVersion: policy.linkerd.io/v1alpha1
kind: AuthorizationPolicy
metadata: {name: ranks, namespace: ml}
spec:
  targetRef: {group: policy.linkerd.io, kind: Server, name: %s}
  requiredAuthenticationRefs: [{name: net, kind: %s, group: policy.linkerd.io}]
"""
NAMESPACE = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ml, annotations: {linkerd.io/inject: enabled}}\n"


@pytest.mark.parametrize(
    ("policies", "count"),
    [
        (SERVER % ("", ""), 1),
        (SERVER % ("", ", accessPolicy: all-unauthenticated"), 0),
        ((SERVER % ("", "")).replace("2379", "2380"), 0),
        ((SERVER % ("", "")).replace("app: store", "app: web"), 0),
        (SERVER % ("", "") + BY_NETWORK % ("store", "NetworkAuthentication"), 0),
        (SERVER % ("", "") + BY_NETWORK % ("store", "MeshTLSAuthentication"), 1),
        (SERVER % ("", "") + BY_NETWORK % ("other", "NetworkAuthentication"), 1),
    ],
)
def test_a_server_of_linkerd_refuses_what_is_not_authorized(tmp_path: Path, policies: str, count: int) -> None:
    """linkerd.io/2/reference/authorization-policy: a Server denies by default; kubelet probes aside."""
    text = STORE.replace(
        '{labels: {app: train, sidecar.istio.io/inject: "false"}}',
        "{labels: {app: train}, annotations: {linkerd.io/inject: disabled}}",
    )
    assert len(told(tmp_path, RULE, {"a.yaml": text + NAMESPACE, "mesh.yaml": policies})) == count
    skipped = text.replace(
        "metadata: {labels: {app: store}}",
        "metadata: {labels: {app: store}, annotations: {config.linkerd.io/skip-inbound-ports: 2370-2380}}",
    )
    assert told(tmp_path, RULE, {"a.yaml": skipped + NAMESPACE, "mesh.yaml": policies}) == []
