"""Full names of pods that are longer than a node takes: with setHostnameAsFQDN the kubelet does not start them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.admission.flaws import ObjectFlaw
from trainlint.admission.ground import AdmissionGround, RefusedPart
from trainlint.admission.problem import Problem
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because
from trainlint.model.refuser import Refuser
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.checks.subdomain_names import last_name
from trainlint.workload.pod_manifest import template_of

__all__ = ["of_full_names"]

_LIMIT: Final = 64
"""Of a host name in Linux (kubernetes:pkg/kubelet/util: truncatePodHostnameIfNeeded, GeneratePodHostNameAndDomain)."""
_DOMAIN: Final = "cluster.local"


def of_full_names(workload: Workload) -> Iterator[tuple[PodSet, Problem]]:
    """The first role whose full names are too long, where its template asks the node to take them."""
    for pods in workload.pod_sets:
        spec = template_of(workload, pods)["spec"]
        if spec["setHostnameAsFQDN"].value is not True or not pods.hostname or not pods.spec.subdomain:
            continue
        if is_placeholder(pods.hostname.replace("{}", "")) or is_placeholder(pods.spec.subdomain):
            continue
        namespace = "" if is_placeholder(pods.namespace) else pods.namespace
        name = f"{last_name(pods)}.{pods.spec.subdomain}.{namespace}.svc.{_DOMAIN}"
        if len(name) <= _LIMIT:
            continue
        at, domain = spec["setHostnameAsFQDN"], Because(AdmissionGround.CLUSTER_DOMAIN, (_DOMAIN,))
        certain = len(name) - len(_DOMAIN) - len(namespace) >= _LIMIT
        yield (
            pods,
            Problem(
                at.path[len(workload.field.path) :],
                Because(ObjectFlaw.FULL_NAME, (pods.name, name, len(name), _LIMIT)),
                "full name",
                Because(Refuser.KUBELET),
                Because(RefusedPart.START_OF_PODS),
                evidence={"name": name, "length": len(name), "limit": _LIMIT},
                assumes=() if certain else (domain, Because(AdmissionGround.NAMESPACE, (namespace,))),
            ),
        )
        return
