"""Whether DNS gives a pod the name that is used: Service, subdomain and selector must fit together (W 1.7, 9, 10)."""

from __future__ import annotations

from typing import Final

from trainlint.finding import Certainty, Fix, Location, Put
from trainlint.kube.names import distance
from trainlint.kube.values import is_placeholder
from trainlint.model.workload import PodSet, Service
from trainlint.workload.checks.host_name_fault import (
    BareName,
    HostNameFault,
    MissingService,
    NamelessPods,
    NumberlessPods,
    OtherSubdomain,
    UnselectedPods,
    WrongSubdomain,
)
from trainlint.workload.checks.readiness import not_ready
from trainlint.workload.checks.subdomain_names import is_operated
from trainlint.workload.checks.used_name import UsedName, described
from trainlint.workload.expansion import named
from trainlint.workload.flows import maybe_many
from trainlint.workload.kinds import kind_of
from trainlint.workload.services import Directory
from trainlint.workload.volcano_plugins import VOLCANO_JOB, read_plugins

__all__ = ["unresolved"]

_SLIP: Final = 2
"""Letters by which a name that is mistyped differs at most."""


def unresolved(name: UsedName, directory: Directory, *, holds_services: bool) -> HostNameFault | None:
    """Why DNS does not know the name, or knows it too late; ``None`` where it does, or that is unknown.

    ``holds_services`` says that all Services of the namespace are in the snapshot.
    """
    target = name.target
    service = directory.services.get((target.namespace, name.service)) if name.service else None
    if is_operated(name.workload) and not is_placeholder(target.spec.subdomain):
        if directory.resolve(name.address, target.namespace) is not None:
            return None
        if not target.spec.subdomain or not target.hostname:
            return _unserved(name)
        if name.service and name.service != named(target.spec.subdomain) and service is None:
            return _other_subdomain(name)
    if not name.service:
        return _bare(name, directory) if holds_services or is_operated(name.workload) else None
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
    return not_ready(name, service)


def _selects(directory: Directory, service: Service, target: PodSet) -> bool:
    return any(directory.pod_sets[index] is target for index in directory.selected(service))


def _subdomain_at(name: UsedName) -> Location:
    kind = kind_of(name.workload)
    if kind is not None and kind.subdomain:
        return name.workload.field.down(*kind.subdomain).at
    return (name.target.spec.at or name.target.template).child("subdomain")


def _behind(directory: Directory, target: PodSet) -> list[Service]:
    """The headless Services of the namespace that do select the pods."""
    return [
        service
        for (namespace, _), service in sorted(directory.services.items())
        if namespace == target.namespace and service.headless and _selects(directory, service, target)
    ]


def _bare(name: UsedName, directory: Directory) -> HostNameFault | None:
    """A host name alone is no DNS name (only a Service of this name would be one)."""
    target = name.target
    if (target.namespace, name.pod) in directory.services or not name.address.rendezvous:
        return None
    if name.user is target and not maybe_many(target):  # the kubelet writes a pod's own name into its /etc/hosts
        return None
    operated = is_operated(name.workload)
    full = f"{name.pod}.{named(target.spec.subdomain) or 'SERVICE'}"
    return BareName(name.address.at, *described(name), full, operated, certainty=Certainty.LIKELY)


def _unserved(name: UsedName) -> HostNameFault | None:
    """The pods have no names in DNS, as their object does not ask for them."""
    own = f"{name.pod}.{name.service or name.workload.owner.name}"
    if not name.service and not name.address.rendezvous:
        return None
    if name.workload.owner.kind == VOLCANO_JOB:
        written = name.workload.field.down("spec", "plugins")
        if "svc" in read_plugins(written):  # the template has a host name or a subdomain of its own
            return None
        at = written["svc"].at if written.present else name.workload.field["spec"].at
        fixes = (Fix("add the svc plugin", (Put(written["svc"].at, []),)),) if written.present else ()
    elif name.workload.owner.kind == "JobSet":
        written = name.workload.field.down("spec", "network", "enableDNSHostnames")
        at = written.at
        fixes = (Fix("give the pods names in DNS", (Put(written.at, value=True),)),)
    else:
        return None
    return NamelessPods(
        at,
        *described(name),
        name.workload.owner.name,
        own,
        name.workload.owner.kind == VOLCANO_JOB,
        certainty=Certainty.LIKELY,
        fixes=fixes if name.service else (),
    )


def _other_subdomain(name: UsedName) -> HostNameFault | None:
    """The operator decides the subdomain of the pods: under any other name DNS does not know them."""
    return OtherSubdomain(
        name.address.at,
        *described(name),
        name.target.name,
        named(name.target.spec.subdomain),
        name.target.at,
        certainty=Certainty.LIKELY,
    )


def _elsewhere(name: UsedName, directory: Directory) -> Service | None:
    """A Service of this name in another namespace that would select the pods."""
    for (namespace, service_name), service in sorted(directory.services.items(), key=lambda each: each[0]):
        if service_name == name.service and namespace not in {"default", name.target.namespace} and service.selector:
            labels = name.target.labels
            if all(labels.get(key) == value for key, value in service.selector.items()):
                return service
    return None


def _no_service(name: UsedName, directory: Directory, elsewhere: Service | None) -> MissingService:
    others = [elsewhere] if elsewhere else _behind(directory, name.target)
    other = others[0] if others else None
    return MissingService(
        _subdomain_at(name),
        *described(name),
        name.target.name,
        name.target.namespace,
        name.target.spec.subdomain,
        other.ref.name if other else "",
        elsewhere.ref.namespace if elsewhere else "",
        other.at if other else None,
        certainty=Certainty.LIKELY,
        fixes=_called(name, others[0]) if len(others) == 1 and not elsewhere else (),
    )


def _called(name: UsedName, service: Service) -> tuple[Fix, ...]:
    """The Service gets the name that the pods' own subdomain has too: as it is called, it is of no use to them. Where
    only the caller says it, or a letter is wrong, the caller writes the Service's name.
    """
    if service.at is None:
        return ()
    slip = distance(name.service, service.ref.name) <= _SLIP
    if name.target.spec.subdomain == name.service and not slip and not service.generated:
        title = f"call the Service {service.ref.name} {name.service}"
        return (Fix(title, (Put(service.at.child("metadata", "name"), name.service),)),)
    edits = (*_host(name, service.ref.name), *_subdomain(name, service.ref.name))
    return (Fix(f"look for {name.pod}.{service.ref.name}", edits),) if edits else ()


def _host(name: UsedName, service: str) -> tuple[Put, ...]:
    """The address with the Service's name in it, where it is written as text of the same document."""
    at, root = name.address.at, name.workload.field.document.root
    if (at.file, at.document) != (root.at.file, root.at.document):
        return ()
    text = root.down(*at.path).value
    wrong, right = f"{name.pod}.{name.service}", f"{name.pod}.{service}"
    if not isinstance(text, str) or text.count(wrong) != 1:
        return ()
    return (Put(at, text.replace(wrong, right)),)


def _subdomain(name: UsedName, service: str) -> tuple[Put, ...]:
    own = name.target.spec.subdomain
    return () if own == service else (Put(_subdomain_at(name), service, ("initContainers", "containers")),)


def _not_selected(name: UsedName, service: Service) -> UnselectedPods:
    return UnselectedPods(
        service.at.child("spec", "selector") if service.at and not service.generated else name.address.at,
        *described(name),
        name.target.name,
        ", ".join(f"{key}={value}" for key, value in (service.selector or {}).items()),
        name.target.template,
    )


def _unnumbered(name: UsedName, service: Service) -> NumberlessPods:
    at = name.workload.field.down("spec", "completionMode").at
    return NumberlessPods(at, *described(name), name.target.name, service.at, fixes=_indexed(name))


def _indexed(name: UsedName) -> tuple[Fix, ...]:
    """Completions as many as pods at once, each with a number, where the Job says how many."""
    spec = name.workload.field["spec"]
    if name.workload.owner.kind != "Job" or not isinstance(name.target.replicas, int):
        return ()
    edits = [Put(spec["completionMode"].at, "Indexed", ("template",))]
    if not spec["completions"].present:
        edits.append(Put(spec["completions"].at, name.target.replicas, ("template",)))
    return (Fix("number the pods (completionMode: Indexed)", tuple(edits)),)


def _wrong_subdomain(name: UsedName, service: Service) -> WrongSubdomain:
    fix = Fix(f"set the subdomain of {name.target.name} to {name.service}", _subdomain(name, name.service))
    return WrongSubdomain(
        _subdomain_at(name),
        *described(name),
        name.target.name,
        name.target.spec.subdomain,
        service.at,
        fixes=(fix,),
    )
