"""The NetworkPolicies that KubeRay makes of ``networkPolicy`` (ray-project/kuberay:ray-operator/controllers/ray/
networkpolicy_controller.go, alpha in 1.7).

One is for the head and one for each worker group. All pods of the cluster may talk to each other, the submitter of a
RayJob reaches the dashboard, and the rules that users write are appended. Neither DNS nor the operator is admitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.known import Known, Undetermined
from trainlint.model.policy import MADE_BY, MADE_RULES
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field

__all__ = ["ray_policies"]

_CLUSTER: Final = "ray.io/cluster"
_MODES: Final = {"DenyAll": ("Ingress", "Egress"), "DenyAllIngress": ("Ingress",), "DenyAllEgress": ("Egress",)}
_RULES: Final = {"Ingress": ("ingress", "ingressRules", "from"), "Egress": ("egress", "egressRules", "to")}


def ray_policies(
    spec: Field, owner: ObjectRef, name: Known[str], dashboard: int, *, submitted: bool
) -> Iterator[Field]:
    """The policies of one cluster; nothing where it asks for none.

    ``submitted`` says that the pod of a submitter Job calls the dashboard.
    """
    written = spec["networkPolicy"]
    label = name.symbol if isinstance(name, Undetermined) else name
    mode = read_text(written["mode"]) or "DenyAll"
    if written.mapping is None or not label or is_placeholder(mode):
        return
    types = _MODES.get(mode, ())
    made_by = f"the NetworkPolicy that KubeRay makes of {owner} (networkPolicy, mode {mode})"
    calls: list[Mapping[str, Any]] = []
    if submitted:
        pods = {"ray.io/originated-from-cr-name": owner.name, "ray.io/originated-from-crd": "RayJob"}
        calls = [{"from": [_pods(pods)], "ports": [{"protocol": "TCP", "port": dashboard}]}]
    head = {_CLUSTER: label, "ray.io/node-type": "head"}
    yield _policy(written, owner, f"{label}-head", made_by, types, head, "head", calls)
    for group in spec["workerGroupSpecs"].elements():
        group_name = read_text(group["groupName"])
        own = {_CLUSTER: label, "ray.io/node-type": "worker", "ray.io/group": group_name}
        of_group = f"{label}-workers-{group_name}"
        yield _policy(written, owner, of_group, made_by, types, own, _part(written, group_name), ())


def _part(written: Field, group_name: str) -> str:
    """Where the rules of a worker group are: an entry of its own replaces those of all workers."""
    for index, each in enumerate(written["workerGroups"].elements()):
        if read_text(each["groupName"]) == group_name:
            return f"workerGroups/{index}"
    return "worker"


def _pods(labels: Mapping[str, str]) -> dict[str, Any]:
    return {"podSelector": {"matchLabels": dict(labels)}}


def _policy(
    written: Field,
    owner: ObjectRef,
    name: str,
    made_by: str,
    types: Sequence[str],
    pods: Mapping[str, str],
    part: str,
    calls: Sequence[Mapping[str, Any]],
) -> Field:
    """One policy as an object; its annotations say where the rules of users stand and after how many others."""
    spec: dict[str, Any] = {**_pods(pods), "policyTypes": list(types)}
    annotations = {MADE_BY: made_by}
    steps = [int(step) if step.isdecimal() else step for step in part.split("/")]
    for each in types:
        direction, rules, way = _RULES[each]
        base = [{way: [_pods({_CLUSTER: pods[_CLUSTER]})]}, *(calls if each == "Ingress" else ())]
        own = written.down(*steps, rules).value
        spec[direction] = [*base, *(own if isinstance(own, list) else ())]
        annotations[f"{MADE_RULES}{direction}"] = f"{part}/{rules}:{len(base)}"
    return Field(
        written.document,
        written.path,
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": {"name": name, "namespace": owner.namespace, "annotations": annotations},
            "spec": spec,
        },
    )
