"""Policy verdicts alone: policies and distinct pods in many namespaces, all pairs of one namespace asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from trainlint.finding import Location
from trainlint.model.pod import PodSpec
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.policy import Endpoint, PolicyContext, endpoint, read_policies
from trainlint.source.document import Document

__all__ = ["Timing", "asked", "documents", "pods", "time_verdicts"]

NAMESPACES = 100
LABEL_SETS = 2000
PORT = 23456
SETTINGS = Settings(cni=Cni("cilium", "1.20", {}, stated=True))
HERE = Location("pods.yaml", 0)

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Timing:
    """CPU seconds of each step; ``allowed`` of ``verdicts`` say that something was decided at all."""

    policies: int
    reading: float
    pods: float
    asking: float
    verdicts: int
    allowed: int

    @property
    def total(self) -> float:
        return self.reading + self.pods + self.asking


def _namespace(number: int) -> str:
    return f"team-{number % NAMESPACES}"


def _meta(number: int, *, clusterwide: bool = False) -> Data:
    return {"name": f"policy-{number}", **({} if clusterwide else {"namespace": _namespace(number)})}


def _policy(number: int) -> Data:
    """One of five shapes that repositories are full of."""
    job = {"job": f"job-{number // NAMESPACES % 20}", "part": f"part-{number % 7}"}
    same = {"job": job["job"]}
    ports = [{"ports": [{"port": str(PORT), "protocol": "TCP"}, {"port": "32768", "endPort": 60999}]}]
    match (number + number // NAMESPACES) % 5:
        case 0:
            spec: Data = {
                "endpointSelector": {"matchLabels": same},
                "ingress": [{"fromEndpoints": [{"matchLabels": same}]}],
            }
            spec["egress"] = [{"toEndpoints": [{"matchLabels": same}]}, {"toEntities": ["kube-apiserver"]}]
        case 1:
            spec = {"endpointSelector": {"matchLabels": job}, "ingress": [{"fromEndpoints": [{}], "toPorts": ports}]}
        case 2:
            spec = {"podSelector": {"matchLabels": same}, "policyTypes": ["Ingress"]}
            spec["ingress"] = [{"from": [{"podSelector": {}}, {"namespaceSelector": {"matchLabels": {"team": "ml"}}}]}]
            return {
                "apiVersion": "networking.k8s.io/v1",
                "kind": "NetworkPolicy",
                "metadata": _meta(number),
                "spec": spec,
            }
        case 3:
            spec = {"endpointSelector": {"matchLabels": {"class": f"class-{number % 50}"}}}
            spec |= {"ingressDeny": [{"fromEndpoints": [{"matchLabels": {"quarantine": "true"}}]}]}
            spec |= {"enableDefaultDeny": {"ingress": False}}
            return {
                "apiVersion": "cilium.io/v2",
                "kind": "CiliumClusterwideNetworkPolicy",
                "metadata": _meta(number, clusterwide=True),
                "spec": spec,
            }
        case _:
            expression = {"key": "part", "operator": "In", "values": [f"part-{number % 7}", "part-none"]}
            spec = {"endpointSelector": {"matchExpressions": [expression]}, "egress": [{"toCIDR": ["10.0.0.0/8"]}]}
            spec["egress"].append({"toEndpoints": [{"matchLabels": {"job": job["job"]}}], "toPorts": ports})
    kind = {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy"}
    return {**kind, "metadata": _meta(number), "spec": spec}


def documents(policies: int) -> list[Document]:
    """So many policies, each a document."""
    return [Document("policies.yaml", number, 1, "", _policy(number)) for number in range(policies)]


def pods() -> list[PodSet]:
    """Pods with 2,000 distinct sets of labels, 20 in each namespace."""
    return [
        PodSet(
            owner=ObjectRef("Job", _namespace(number), f"job-{number}"),
            role="",
            replicas=8,
            labels={
                "job": f"job-{number // NAMESPACES}",
                "part": f"part-{number % 7}",
                "class": f"class-{number % 50}",
                "member": str(number),
            },
            spec=PodSpec(),
            at=HERE,
            template=HERE,
        )
        for number in range(LABEL_SETS)
    ]


def asked(ends: list[Endpoint]) -> Iterator[tuple[Endpoint, Endpoint]]:
    """All pairs of one namespace."""
    return permutations([end for end in ends if end.namespace == _namespace(0)], 2)


def time_verdicts(policies: int) -> Timing:
    """Read, make the ends, and ask; the making of the documents is not counted."""
    written, pod_sets = documents(policies), pods()
    known = {_namespace(number): {"team": "ml"} for number in range(NAMESPACES)}
    start = time.process_time()
    found = read_policies((each.root for each in written), PolicyContext(SETTINGS, known))
    reading = time.process_time() - start
    start = time.process_time()
    ends = [endpoint(each, SETTINGS, known) for each in pod_sets]
    making = time.process_time() - start
    start = time.process_time()
    verdicts = [found.verdict(source, target, "TCP", PORT) for source, target in asked(ends)]
    asking = time.process_time() - start
    allowed = sum(verdict.answer == "allow" for verdict in verdicts)
    return Timing(len(written), reading, making, asking, len(verdicts), allowed)
