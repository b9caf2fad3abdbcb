"""Short ways to write policies, settings and ends of connections for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.pod import Container, ContainerPort, PodSpec
from trainlint.model.policy import Verdict
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import ObjectRef, PodSet, PortRange
from trainlint.policy import Endpoint, PolicyContext, PolicySet, endpoint, read_policies
from trainlint.source.document import Document, Field

NAMESPACES = {"a": {"team": "ml"}, "b": {"team": "ml"}, "c": {}}
HERE = Location("job.yaml", 0)

Data = dict[str, Any]


def cilium(version: str = "1.20", kubernetes: str = "1.34", **options: str) -> Settings:
    """Settings of a Cilium cluster; ``_`` in the names of options stands for ``-``."""
    named = {name.replace("_", "-"): value for name, value in options.items()}
    return Settings(kubernetes=kubernetes, cni=Cni("cilium", version, named, stated=True))


def other(name: str = "calico") -> Settings:
    """Settings of a cluster with another network plugin."""
    return Settings(cni=Cni(name, "", {}, stated=True))


def roots(objects: Iterable[Any]) -> list[Field]:
    """Cursors at objects, each a document of the file ``policy.yaml``."""
    return [Document("policy.yaml", index, 1, "", each).root for index, each in enumerate(objects)]


def read(text: str, settings: Settings | None = None, **context: Any) -> PolicySet:
    """The policies of some YAML."""
    context.setdefault("namespaces", NAMESPACES)
    return read_policies(roots(yaml.safe_load_all(text)), PolicyContext(settings or cilium(), **context))


def cnp(spec: str, namespace: str = "a", name: str = "p") -> str:
    """A CiliumNetworkPolicy around a spec in YAML flow style."""
    head = f"{{apiVersion: cilium.io/v2, kind: CiliumNetworkPolicy, metadata: {{name: {name}, namespace: {namespace}}}"
    return f"---\n{head}, spec: {spec}}}\n"


def ccnp(spec: str, name: str = "cp") -> str:
    """A CiliumClusterwideNetworkPolicy around a spec."""
    head = f"{{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, metadata: {{name: {name}}}"
    return f"---\n{head}, spec: {spec}}}\n"


def knp(spec: str, namespace: str = "a", name: str = "k") -> str:
    """A NetworkPolicy around a spec."""
    head = (
        f"{{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: {name}, namespace: {namespace}}}"
    )
    return f"---\n{head}, spec: {spec}}}\n"


def pod_set(
    namespace: str,
    labels: Mapping[str, Known[str]] | None = None,
    *,
    host_network: bool = False,
    ports: Mapping[str, int] | None = None,
    service_account: str = "",
) -> PodSet:
    """A pod set with these labels; ``ports`` are its named TCP ports."""
    declared = tuple(ContainerPort(number, name) for name, number in (ports or {}).items())
    spec = PodSpec((Container(ports=declared),), host_network=host_network, service_account=service_account)
    name = "-".join(value for value in (labels or {}).values() if isinstance(value, str)) or "bare"
    owner = ObjectRef("Job", namespace, name)
    return PodSet(owner=owner, role="", replicas=1, labels=labels or {}, spec=spec, at=HERE, template=HERE)


def pod(
    namespace: str,
    app: str = "",
    settings: Settings | None = None,
    *,
    labels: Mapping[str, Known[str]] | None = None,
    namespaces: Mapping[str, Mapping[str, str]] = NAMESPACES,
    **where: Any,
) -> Endpoint:
    """A pod with the label ``app`` and more; ``where`` places it (zone, region, node) or describes its spec."""
    placed = {key: where.pop(key) for key in ("zone", "region", "node") if key in where}
    both = {**({"app": app} if app else {}), **(labels or {})}
    return endpoint(pod_set(namespace, both, **where), settings or cilium(), namespaces, **placed)


def ask(
    policies: PolicySet, source: Endpoint, target: Endpoint, port: PortRange | int | None = 8080, protocol: str = "TCP"
) -> Verdict:
    """The verdict on TCP port 8080 unless told otherwise."""
    return policies.verdict(source, target, protocol, port)
