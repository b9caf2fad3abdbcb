"""``trainlint why`` on real files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from trainlint.cli.main import cli
from trainlint_schemas import schema

WORKLOADS = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata: {labels: {app: train, part: master}}
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
    Worker:
      replicas: 3
      template:
        metadata: {labels: {app: train, part: worker}}
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: store, namespace: data}
spec:
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {hostNetwork: true, containers: [{name: store, image: "registry.example/store:1"}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: data}
"""
POLICIES = """\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: master, namespace: ml}
spec:
  endpointSelector: {matchLabels: {part: master}}
  ingress:
    - fromEndpoints:
        - matchLabels: {part: trainer}
      toPorts: [{ports: [{port: "23456", protocol: TCP}]}]
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "repository"
    root.mkdir()
    (root / "jobs.yaml").write_text(WORKLOADS, encoding="utf-8")
    (root / "policies.yaml").write_text(POLICIES, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def why(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["why", *arguments], prog_name="trainlint")


def text(*arguments: str) -> str:
    outcome = why(*arguments)
    assert outcome.exit_code == 0, outcome.output
    assert all(len(line) <= 80 for line in outcome.stdout.splitlines()), outcome.stdout
    return outcome.stdout


def closed(node: Any) -> Any:
    """The schema without room for members that it does not name."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if "properties" in node:
            node["unevaluatedProperties"] = False
    elif isinstance(node, list):
        node = [closed(item) for item in node]
    return node


def strict_schema() -> dict[str, Any]:
    strict: dict[str, Any] = closed(copy.deepcopy(schema("why")))
    strict["$defs"]["entry"].pop("unevaluatedProperties")  # A near miss extends it.
    return strict


def answers(*arguments: str) -> list[dict[str, Any]]:
    outcome = why(*arguments, "--output", "json")
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    Draft202012Validator(strict_schema()).validate(found)
    listed: list[dict[str, Any]] = found["answers"]
    return listed


def complaint(*arguments: str) -> str:
    outcome = why(*arguments)
    assert outcome.exit_code == 2, outcome.output
    return outcome.stderr


DENIED = """\
ml/train/Worker -> ml/train/Master, TCP port 23456: denied

at ml/train/Worker, egress is allowed: no policy restricts it

at ml/train/Master, ingress is denied: CiliumNetworkPolicy ml/master admits only
what it lists, and it does not list this
  nearly matched: CiliumNetworkPolicy ml/master, policies.yaml:7:7
  --> policies.yaml:8:25
   |
 8 |         - matchLabels: {part: trainer}
   |                         -------------
   | asks for part=trainer; ml/train/Worker has part=worker

smallest change that opens it (tried on the policies as they are):
  set the label part: trainer on the pods of ml/train/Worker
  --> jobs.yaml:14:20
   |
14 |         metadata: {labels: {app: train, part: worker}}
   |                    ----------------------------------
   |

assumes: Cilium 1.20: its policies are in use, its version is not stated;
Kubernetes 1.37: no version is stated
"""


def test_a_denied_connection_shows_what_nearly_matched_and_the_smallest_change(world: Path) -> None:
    assert text("ml/train/Worker", "ml/train/Master", "--port", "23456") == DENIED


def test_the_proposed_change_really_opens_the_connection(world: Path) -> None:
    (repair,) = answers("ml/train/Worker", "ml/train/Master", "--port", "23456")[0]["repairs"]
    assert repair["verdict"] == "allow"
    assert [each["location"]["line"] for each in repair["changes"]] == [14]
    (world / "jobs.yaml").write_text(WORKLOADS.replace("part: worker", "part: trainer"), encoding="utf-8")
    assert answers("ml/train/Worker", "ml/train/Master", "--port", "23456")[0]["verdict"] == "allow"


def test_an_allowed_connection_shows_the_entry_that_allows_it(world: Path) -> None:
    shown = text("ml:part=trainer", "ml/train/Master", "--port", "23456")
    assert "ml:part=trainer -> ml/train/Master, TCP port 23456: allowed" in shown
    assert "--> policies.yaml:7:7" in shown
    assert "allows it (CiliumNetworkPolicy ml/master)" in shown
    assert "smallest change" not in shown


def test_without_a_port_the_open_ports_are_named(world: Path) -> None:
    shown = text("ml:part=trainer", "ml/train/Master")
    assert "every TCP port: denied" in shown
    assert "open are only TCP 23456" in shown
    (answer,) = answers("ml:part=trainer", "ml/train/Master")
    assert answer["open"] == [{"first": 23456, "last": 23456}]


def test_a_port_that_is_not_listed_is_added_to_the_entry(world: Path) -> None:
    shown = text("ml:part=trainer", "ml/train/Master", "--port", "29500")
    assert "lists TCP 23456 and not TCP 29500" in shown
    assert "add the port TCP 29500 to this element of CiliumNetworkPolicy ml/master" in " ".join(shown.split())


def test_where_nothing_helps_that_is_said(world: Path) -> None:
    shown = text("world", "ml/train/Master", "--port", "23456")
    assert "no change of labels, and no port added to an entry, opens this connection" in " ".join(shown.split())
    assert answers("world", "ml/train/Master", "--port", "23456")[0]["repairs"] == []


def test_labels_by_which_an_object_finds_its_own_pods_are_not_proposed_for_change(world: Path) -> None:
    """A Deployment whose template lacks a label of its selector is refused by the API server."""
    web = WORKLOADS.split("---\n")[1].replace("store", "web").replace("hostNetwork: true, ", "")
    web = web.replace("namespace: data", "namespace: ml")
    policy = POLICIES.replace("part: trainer", "app: trainer")
    (world / "web.yaml").write_text(web, encoding="utf-8")
    (world / "policies.yaml").write_text(policy, encoding="utf-8")
    assert answers("ml/web", "ml/train/Master", "--port", "23456")[0]["repairs"] == []
    (world / "policies.yaml").write_text(policy.replace("app: trainer", "access: yes-please"), encoding="utf-8")
    (repair,) = answers("ml/web", "ml/train/Master", "--port", "23456")[0]["repairs"]
    assert repair["changes"][0]["text"] == "set the label access: yes-please on the pods of ml/web"


def test_labels_that_the_operator_sets_are_not_proposed_for_change(world: Path) -> None:
    policy = POLICIES.replace("part: trainer", "training.kubeflow.org/job-name: other")
    (world / "policies.yaml").write_text(policy, encoding="utf-8")
    assert answers("ml/train/Worker", "ml/train/Master", "--port", "23456")[0]["repairs"] == []


def test_a_deny_is_shown_with_what_it_overrules(world: Path) -> None:
    guard = POLICIES.replace("name: master", "name: guard").replace("ingress:", "ingressDeny:")
    (world / "guard.yaml").write_text(guard, encoding="utf-8")
    shown = " ".join(text("ml:part=trainer", "ml/train/Master", "--port", "23456").split())
    assert "ingress is denied by CiliumNetworkPolicy ml/guard" in shown
    assert "denies it (CiliumNetworkPolicy ml/guard)" in shown
    assert "allows it, and a deny wins (CiliumNetworkPolicy ml/master)" in shown


@pytest.mark.parametrize(
    ("name", "full"),
    [("train/Master", "ml/train/Master"), ("PyTorchJob:ml/train/Master", "ml/train/Master"), ("store", "data/store")],
)
def test_shorter_names_and_names_with_a_kind_are_understood(world: Path, name: str, full: str) -> None:
    assert answers("world", name)[0]["target"] == full


@pytest.mark.parametrize(
    "end", ["world", "host", "remote-node", "kube-apiserver", "192.0.2.1", "2001:db8::1", "health"]
)
def test_entities_and_addresses_are_ends(world: Path, end: str) -> None:
    (answer,) = answers(end, "ml/train/Master", "--port", "23456")
    # The own node always gets in (P 0.3); no other end is listed.
    assert answer["verdict"] == ("allow" if end == "host" else "deny")
    assert answer["source"] == end


def test_dns_is_an_end_by_its_name(world: Path) -> None:
    (answer,) = answers("ml/train/Worker", "kube-dns", "--port", "53", "--protocol", "udp")
    assert answer["verdict"] == "allow"
    assert answer["ingress"]["at"] == "kube-dns"


def test_pods_on_the_host_network_get_an_answer_for_each_placement_that_differs(world: Path) -> None:
    found = answers("data/store", "ml/train/Master", "--port", "23456")
    assert [(each["placement"], each["verdict"]) for each in found] == [
        ("the pods on two nodes", "deny"),
        ("both pods on one node", "allow"),
    ]
    assert "policies see data/store as a node" in " ".join(
        text("data/store", "ml/train/Master", "--port", "23456").split()
    )


def test_several_states_of_the_repository_get_an_answer_each_where_they_differ(world: Path) -> None:
    for state, part in (("before", "worker"), ("after", "trainer")):
        (world / state).mkdir()
        job = WORKLOADS.replace("part: worker", f"part: {part}")
        (world / state / "jobs.yaml").write_text(job, encoding="utf-8")
    (world / "jobs.yaml").unlink()
    found = answers("ml/train/Worker", "ml/train/Master", "--port", "23456")
    assert {tuple(each["snapshots"]): each["verdict"] for each in found} == {("before",): "deny", ("after",): "allow"}
    shown = text("ml/train/Worker", "ml/train/Master", "--port", "23456")
    assert "in snapshot before" in shown
    assert "in snapshot after" in shown
    (both,) = answers("ml:part=trainer", "ml:part=master", "--port", "23456")
    assert sorted(both["snapshots"]) == ["after", "before"]


def test_a_refused_policy_is_named_because_it_is_not_in_force(world: Path) -> None:
    broken = POLICIES.replace("- matchLabels: {part: trainer}", "- matchLabels: {'bad key': trainer}")
    (world / "policies.yaml").write_text(broken, encoding="utf-8")
    shown = " ".join(text("ml/train/Worker", "ml/train/Master", "--port", "23456").split())
    assert "ingress is allowed: no policy restricts it" in shown
    assert "not in force: CiliumNetworkPolicy ml/master is refused and protects nothing" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ml/train/Wroker", "world"), "did you mean 'ml/train/Worker'"),
        (("ml/train", "world"), "may be any of ml/train/Master, ml/train/Worker"),
        (("zzz", "world"), "the workloads are data/store, ml/train/Master, ml/train/Worker"),
        (("10.0.0.0/8", "world"), "is a range of addresses: give one address"),
        (("ml:app", "world"), "there is no workload"),
        (("ml:app=not valid", "world"), "'app=not valid' is no label"),
        (("ml:=x", "world"), "is no label: the name is empty"),
        ((":app=x", "world"), "is no name of a namespace"),
        (("world", "ml/train/Master", "--port", "http"), "--port: 'http' is neither a port nor a range"),
        (("world", "ml/train/Master", "--port", "70000"), "between 1 and 65535"),
        (("world", "ml/train/Master", "--port", "9-5"), "between 1 and 65535"),
        (("world", "ml/train/Master", "--port", "300", "--protocol", "ICMP"), "neither a message type nor a range"),
        (("world", "ml/train/Master", "--protocol", "tls"), "is not one of"),
        (("world", "ml/train/Master", "--from-zone", "z1"), "runs in no zone that could be given"),
        (("world", "ml/train/Master", "nowhere"), "does not exist"),
        (("world",), "Missing argument 'TO'"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(world: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in " ".join(complaint(*arguments).split())


def test_two_workloads_of_one_name_are_told_apart_by_their_kinds(world: Path) -> None:
    job = WORKLOADS.split("---\n")[1].replace("apps/v1", "batch/v1").replace("kind: Deployment", "kind: Job")
    (world / "jobs.yaml").write_text(f"{WORKLOADS}---\n{job}", encoding="utf-8")
    assert "may be any of Deployment:data/store, Job:data/store" in complaint("data/store", "world")
    assert answers("Job:data/store", "world")[0]["source"] == "data/store"


NODES = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1}}
status: {addresses: [{type: InternalIP, address: 10.9.0.1}], allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {topology.kubernetes.io/zone: z2}}
status: {addresses: [{type: InternalIP, address: 10.9.0.2}], allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
"""
BY_ZONE = """\
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: master, namespace: ml}
spec:
  endpointSelector: {matchLabels: {part: master}}
  ingress: [{fromEndpoints: [{matchLabels: {topology.kubernetes.io/zone: z1}}]}]
"""
OLD = "clusters: [{name: c, kubernetes: '1.35', cni: {name: cilium, version: '1.18.6'}}]\n"


def test_zones_decide_where_policies_see_them(world: Path) -> None:
    """P 5.1: Cilium up to 1.18.6 under Kubernetes from 1.35."""
    (world / "nodes.yaml").write_text(NODES, encoding="utf-8")
    (world / "policies.yaml").write_text(BY_ZONE, encoding="utf-8")
    (world / "trainlint.yaml").write_text(OLD, encoding="utf-8")
    ends = ("ml/train/Worker", "ml/train/Master", "--port", "23456")
    assert answers(*ends, "--from-zone", "z1")[0]["verdict"] == "allow"
    assert answers(*ends, "--from-zone", "z2")[0]["verdict"] == "deny"
    assert answers(*ends)[0]["verdict"] == "unknown"
    assert "no zone is given" in text(*ends)
    assert "there are no nodes in zone 'z3'; did you mean" in complaint(*ends, "--from-zone", "z3")


@pytest.mark.parametrize(("version", "verdict"), [("1.19", "deny"), ("1.20", "allow")])
def test_names_of_ports_are_those_of_all_pods_in_git_before_1_20(world: Path, version: str, verdict: str) -> None:
    """P 6.43."""
    named = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web-{number}, namespace: ml, labels: {{app: web}}}}\n"
        f"spec: {{containers: [{{name: w, ports: [{{name: http, containerPort: {number}}}]}}]}}\n"
        for number in (80, 8080)
    )
    policy = POLICIES.partition("  ingress:")[0] + "  egress: [{toPorts: [{ports: [{port: http}]}]}]\n"
    (world / "web.yaml").write_text(named, encoding="utf-8")
    (world / "policies.yaml").write_text(policy, encoding="utf-8")
    settings = f"clusters: [{{name: c, cni: {{name: cilium, version: '{version}'}}}}]\n"
    (world / "trainlint.yaml").write_text(settings, encoding="utf-8")
    assert answers("ml/train/Master", "ml/web-80", "--port", "80")[0]["verdict"] == verdict
    (world / "web.yaml").write_text(named.partition("---\n")[2].partition("---\n")[0], encoding="utf-8")
    assert answers("ml/train/Master", "ml/web-80", "--port", "80")[0]["verdict"] == "allow"


def test_an_address_of_the_cluster_is_no_end_because_policies_see_who_has_it(world: Path) -> None:
    (world / "nodes.yaml").write_text(NODES, encoding="utf-8")
    assert "10.9.0.1 lies in a node's address" in " ".join(complaint("10.9.0.1", "ml/train/Master").split())


def test_a_policy_of_another_engine_leaves_the_answer_unknown(world: Path) -> None:
    foreign = "apiVersion: projectcalico.org/v3\nkind: NetworkPolicy\nmetadata: {name: c, namespace: ml}\nspec: {}\n"
    (world / "calico.yaml").write_text(foreign, encoding="utf-8")
    shown = " ".join(text("ml/train/Master", "ml/train/Worker").split())
    assert "not known" in shown
    assert "what Calico NetworkPolicy ml/c decides: only its own engine can tell" in shown


def test_the_answer_can_be_written_to_a_file_and_coloured(world: Path) -> None:
    outcome = why("world", "ml/train/Master", "--output", "json=answer.json", "--color", "always")
    assert outcome.exit_code == 0
    assert "\x1b[" in outcome.stdout
    assert json.loads((world / "answer.json").read_text(encoding="utf-8"))["schema"] == 1


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema("why"))


OF_MASTER = POLICIES.partition("  ingress:")[0]
BY_PORT = OF_MASTER + (
    "  ingress:\n"
    "    - fromEndpoints: [{matchLabels: {part: worker}}]\n"
    "      toPorts:\n"
    "        - ports:\n"
    "            - {port: '80'}\n"
    "            - {port: '443'}\n"
)
BY_MESSAGE = BY_PORT.partition("      toPorts:")[0] + "      icmps: [{fields: [{type: 8}]}]\n"
BY_NAMESPACE = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: k, namespace: ml}
spec:
  podSelector: {matchLabels: {part: master}}
  ingress:
    - from: [{namespaceSelector: {matchLabels: {team: ml}}}]
      ports:
        - {port: 80}
        - {port: 90}
"""
QUARANTINE = (
    OF_MASTER
    + "  ingress: [{fromEntities: [all]}]\n  ingressDeny: [{fromEndpoints: [{matchLabels: {part: worker}}]}]\n"
)
NAMESPACE = "---\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: ml\n  labels: {of: people}\n"
CILIUM = "CiliumNetworkPolicy ml/master"


@pytest.mark.parametrize(
    ("policies", "more", "arguments", "changes"),
    [
        (BY_PORT, "", ("--port", "443"), None),
        (BY_PORT, "", ("--port", "444"), [(f"add the port TCP 444 to this element of {CILIUM}", 11)]),
        (BY_PORT, "", ("--port", "444-446"), [(f"add the port TCP 444-446 to this element of {CILIUM}", 11)]),
        (
            BY_PORT,
            "",
            ("--port", "53", "--protocol", "UDP"),
            [(f"add the port UDP 53 to this element of {CILIUM}", 11)],
        ),
        (BY_PORT, "", (), [(f"take the port list out of this element of {CILIUM}", 11)]),
        (BY_MESSAGE, "", ("--port", "444"), [(f"add the port TCP 444 to this element of {CILIUM}", 8)]),
        (
            BY_NAMESPACE,
            "",
            ("--port", "91"),
            [
                ("set the label team: ml on namespace ml", None),
                ("add the port TCP 91 to this element of NetworkPolicy ml/k", 10),
            ],
        ),
        (BY_NAMESPACE, NAMESPACE, ("--port", "90"), [("set the label team: ml on namespace ml", 34)]),
        (QUARANTINE, "", (), None),
    ],
)
def test_a_repair_is_told_change_by_change_with_its_line(
    world: Path, policies: str, more: str, arguments: tuple[str, ...], changes: list[tuple[str, int | None]] | None
) -> None:
    """Ports are added behind the last one of the element, labels where they are written."""
    (world / "jobs.yaml").write_text(WORKLOADS + more, encoding="utf-8")
    (world / "policies.yaml").write_text(policies, encoding="utf-8")
    (answer,) = answers("ml/train/Worker", "ml/train/Master", *arguments)
    told = [
        [(each["text"], (each["location"] or {"line": None})["line"]) for each in repair["changes"]]
        for repair in answer.get("repairs", ())
    ]
    assert told == ([changes] if changes else [])


@pytest.mark.parametrize(("namespace", "told"), [("ml", True), ("elsewhere", False)])
def test_a_policy_that_is_refused_is_named_where_it_is_about_an_end(world: Path, namespace: str, told: bool) -> None:
    refused = BY_PORT.replace("'80'", "'99999'").replace("namespace: ml", f"namespace: {namespace}")
    (world / "policies.yaml").write_text(refused, encoding="utf-8")
    (answer,) = answers("ml/train/Worker", "ml/train/Master", "--port", "80")
    assert answer["verdict"] == "allow"
    assert [each["text"].partition(":")[0] for each in answer["not_in_force"]] == (
        [f"{CILIUM} is refused and protects nothing"] if told else []
    )
