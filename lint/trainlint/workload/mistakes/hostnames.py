"""Names of pods that DNS does not give, because Service, subdomain and selector do not fit together (W 1.7, 9, 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Fix, Location, Put
from trainlint.kube.values import is_placeholder, read_text
from trainlint.launch.addresses import Address, addresses
from trainlint.model.workload import PodSet, Service, Workload, Workloads
from trainlint.source.document import Field
from trainlint.workload.expansion import named
from trainlint.workload.flows import maybe_many
from trainlint.workload.mistakes.fault import Fault
from trainlint.workload.services import Directory, directory_of
from trainlint.workload.written import containers_of

__all__ = ["Misnamed", "all_misnamed", "misnamed_pods"]

_CLUSTER: Final = re.compile(r"\.svc(?:\.cluster\.local)?\.?$")
_NUMBERED: Final = re.compile(r"^(?P<name>.+)-\d+$")
_NAMED_BY_KUBELET: Final = frozenset({"Job", "StatefulSet", "Pod", "JobSet", "LeaderWorkerSet", "Deployment"})
"""Kinds whose pods get DNS names from a headless Service alone; other operators make Services or host lists."""


@fact
class Misnamed:
    """A host that the pods of an object use and that DNS does not know, and what is wrong."""

    host: str
    fault: Fault


@fact
class _Name:
    """A name of a pod that is used: the pod's part, the Service's part, who uses it, whose pod it is."""

    pod: str
    service: str
    address: Address
    workload: Workload
    target: PodSet


def all_misnamed(workloads: Workloads, opened: Callable[[str], str]) -> Iterator[Misnamed]:
    """The misnamed pods of every object; ``opened`` says what may add objects to a namespace (decision 5)."""
    directory = directory_of(workloads)
    written = {each.ref.namespace for each in workloads.services if not each.generated}
    for workload in workloads.objects:
        namespace = workload.owner.namespace
        closed = namespace in written and not opened(namespace)
        yield from misnamed_pods(workload, directory, holds_services=closed)


def misnamed_pods(workload: Workload, directory: Directory, *, holds_services: bool) -> Iterator[Misnamed]:
    """The names of its own pods that an object uses in vain; one fault for each Service's name.

    ``holds_services`` says that the snapshot holds Services of this namespace and nothing may add others, so that one
    that is not there does not exist.
    """
    if workload.owner.kind not in _NAMED_BY_KUBELET:
        return
    said = set()
    for pods in workload.pod_sets:
        if pods.replicas == 0:
            continue
        for container in (*pods.spec.containers, *pods.spec.init_containers):
            for address in addresses(container):
                name = _own_name(address, workload)
                if name is None or name.service in said or address.carrier.startswith("http"):
                    continue
                fault = _judge(name, directory, holds_services=holds_services)
                if fault is not None:
                    said.add(name.service)
                    yield Misnamed(address.host, fault)


def _own_name(address: Address, workload: Workload) -> _Name | None:
    """The name as that of a pod of the object, by its first label."""
    labels = _CLUSTER.sub("", address.host).split(".")
    if len(labels) > 3 or "$" in address.text:
        return None
    if len(labels) == 3 and labels[2] != workload.owner.namespace:
        return None
    for pods in workload.pod_sets:
        pattern = re.escape(pods.hostname).replace(r"\{\}", r"\d+")
        numbered = _NUMBERED.match(labels[0])
        unnamed = not pods.hostname and workload.owner.kind == "Job" and maybe_many(pods)
        if (pattern and re.fullmatch(pattern, labels[0])) or (
            unnamed and numbered is not None and numbered["name"] == workload.owner.name
        ):
            return _Name(labels[0], labels[1] if len(labels) > 1 else "", address, workload, pods)
    return None


def _judge(name: _Name, directory: Directory, *, holds_services: bool) -> Fault | None:
    target = name.target
    service = directory.services.get((target.namespace, name.service)) if name.service else None
    if not name.service:
        return None if not holds_services else _bare(name, directory)
    if is_placeholder(target.spec.subdomain):
        return None
    if service is None:
        elsewhere = _elsewhere(name, directory)
        return _no_service(name, directory, elsewhere) if holds_services or elsewhere else None
    if service.selector is not None and not _selects(directory, service, target):
        return _not_selected(name, service)
    if not target.hostname:
        return _unnumbered(name, service)
    if named(target.spec.subdomain) != name.service and target.spec.subdomain != name.service:
        return _wrong_subdomain(name, service)
    return _not_ready(name, service)


def _selects(directory: Directory, service: Service, target: PodSet) -> bool:
    return any(directory.pod_sets[index] is target for index in directory.selected(service))


def _subdomain_at(name: _Name) -> Location:
    if name.workload.owner.kind == "StatefulSet":
        return name.workload.field.down("spec", "serviceName").at
    if name.workload.owner.kind == "JobSet":
        return name.workload.field.down("spec", "network", "subdomain").at
    return (name.target.spec.at or name.target.template).child("subdomain")


def _used(name: _Name) -> tuple[str, Location]:
    return "who uses the name", name.address.at


def _behind(directory: Directory, target: PodSet) -> list[Service]:
    """The headless Services of the namespace that do select the pods."""
    return [
        service
        for (namespace, _), service in sorted(directory.services.items())
        if namespace == target.namespace and service.headless and _selects(directory, service, target)
    ]


def _bare(name: _Name, directory: Directory) -> Fault | None:
    """A host name alone is no DNS name (only a Service of this name would be one)."""
    target = name.target
    if (target.namespace, name.pod) in directory.services or not name.address.rendezvous:
        return None
    if not maybe_many(target) and len(name.workload.pod_sets) < 2:
        return None
    return Fault(
        f"{target.name} looks for {name.pod}, and DNS does not know the host name of a pod alone: it is "
        f"{name.pod}.{target.spec.subdomain or 'SERVICE'}",
        name.address.at,
        f"write {name.pod}.{target.spec.subdomain or 'SERVICE'}, with a headless Service that selects the pods",
        evidence={"host": name.pod},
        cause=name.pod,
        certainty=Certainty.LIKELY,
    )


def _elsewhere(name: _Name, directory: Directory) -> Service | None:
    """A Service of this name in another namespace that would select the pods."""
    for (namespace, service_name), service in sorted(directory.services.items(), key=lambda each: each[0]):
        if service_name == name.service and namespace not in {"default", name.target.namespace} and service.selector:
            labels = name.target.labels
            if all(labels.get(key) == value for key, value in service.selector.items()):
                return service
    return None


def _no_service(name: _Name, directory: Directory, elsewhere: Service | None) -> Fault:
    other = [elsewhere] if elsewhere else _behind(directory, name.target)
    called = f"; the headless Service that selects them is called {other[0].ref.name}" if other else ""
    if elsewhere:
        called = f" in the namespace {name.target.namespace}; there is one in {elsewhere.ref.namespace}"
    related = [_used(name)]
    if other and other[0].at is not None:
        related.append(("the Service elsewhere" if elsewhere else "the Service under another name", other[0].at))
    return Fault(
        f"{name.target.name} looks for {name.pod}.{name.service}, and no Service {name.service} gives its pods names"
        f"{called}",
        _subdomain_at(name),
        f"make subdomain, host and Service agree: {other[0].ref.name if other else name.service}",
        tuple(related),
        {"host": name.address.host, "subdomain": name.target.spec.subdomain},
        name.service,
        Certainty.LIKELY,
        fixes=_called(name, other[0]) if len(other) == 1 and not elsewhere else (),
    )


def _called(name: _Name, service: Service) -> tuple[Fix, ...]:
    """The Service gets the name that is looked for: where its own name is not, it is of no use to the pods."""
    if service.at is None or service.generated:
        return ()
    title = f"call the Service {service.ref.name} {name.service}"
    return (Fix(title, (Put(service.at.child("metadata", "name"), name.service), *_subdomain(name))),)


def _subdomain(name: _Name) -> tuple[Put, ...]:
    own = name.target.spec.subdomain
    return () if own == name.service else (Put(_subdomain_at(name), name.service, ("initContainers", "containers")),)


def _not_selected(name: _Name, service: Service) -> Fault:
    wanted = ", ".join(f"{key}={value}" for key, value in (service.selector or {}).items())
    return Fault(
        f"{name.target.name} looks for {name.pod}.{name.service}, and the Service {name.service} does not select its "
        f"pods (it selects {wanted or 'nothing'}): the name does not exist",
        service.at.child("spec", "selector") if service.at and not service.generated else name.address.at,
        "select labels that the pods carry",
        (_used(name), ("the pods", name.target.template)),
        {"host": name.address.host, "selector": wanted},
        name.service,
    )


def _unnumbered(name: _Name, service: Service) -> Fault:
    return Fault(
        f"{name.target.name} looks for {name.pod}.{name.service}, and its pods have random names: completionMode is "
        "not Indexed",
        name.workload.field.down("spec", "completionMode").at,
        "set completionMode: Indexed (and completions)",
        (_used(name), *((("the Service", service.at),) if service.at else ())),
        {"host": name.address.host},
        name.service,
        fixes=_indexed(name),
    )


def _indexed(name: _Name) -> tuple[Fix, ...]:
    """Completions as many as pods at once, each with a number, where the Job says how many."""
    spec = name.workload.field["spec"]
    if name.workload.owner.kind != "Job" or not isinstance(name.target.replicas, int):
        return ()
    edits = [Put(spec["completionMode"].at, "Indexed", ("template",))]
    if not spec["completions"].present:
        edits.append(Put(spec["completions"].at, name.target.replicas, ("template",)))
    return (Fix("number the pods (completionMode: Indexed)", tuple(edits)),)


def _wrong_subdomain(name: _Name, service: Service) -> Fault:
    own = name.target.spec.subdomain
    said = f"have the subdomain {own}" if own else "have no subdomain"
    return Fault(
        f"{name.target.name} looks for {name.pod}.{name.service}, and its pods {said}: DNS gives the name of a pod "
        "only under the Service that its subdomain names",
        _subdomain_at(name),
        f"set subdomain: {name.service} in the pod template",
        (_used(name), *((("the Service", service.at),) if service.at else ())),
        {"host": name.address.host, "subdomain": own},
        name.service,
        fixes=(Fix(f"set the subdomain of {name.target.name} to {name.service}", _subdomain(name)),),
    )


def _not_ready(name: _Name, service: Service) -> Fault | None:
    """Pods that must be ready before they have a name, and that only become ready when all have met (W 1.8)."""
    if service.publish_not_ready or service.generated or not name.address.rendezvous or service.at is None:
        return None
    for container in containers_of(name.workload, name.target):
        probe = container["readinessProbe"]
        if probe.mapping is not None and not _listens(probe, name.address.port, container):
            return Fault(
                f"pods of {name.target.name} look for {name.pod}.{name.service} before they are ready, and the Service "
                f"{name.service} gives names only to pods that are: each waits for the other",
                service.at.child("spec", "publishNotReadyAddresses"),
                "set publishNotReadyAddresses: true",
                (_used(name), ("what makes the pod ready", probe.at)),
                {"host": name.address.host},
                name.service,
                Certainty.LIKELY,
                fixes=(
                    Fix(
                        f"let {name.service} name pods that are not ready yet",
                        (Put(service.at.child("spec", "publishNotReadyAddresses"), value=True),),
                    ),
                ),
            )
    return None


def _listens(probe: Field, port: int | None, container: Field) -> bool:
    """Whether the probe only asks for the port where ranks meet, which opens before they do."""
    asked = probe.down("tcpSocket", "port")
    if not asked.present:
        return False
    numbers: Mapping[str, str] = {
        read_text(each["name"]): read_text(each["containerPort"]) for each in container["ports"].elements()
    }
    text = read_text(asked)
    return numbers.get(text, text) == str(port)
