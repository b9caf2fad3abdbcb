"""Whether DNS gives a pod the name that is used: Service, subdomain and selector must fit together (W 1.7, 9, 10)."""

from __future__ import annotations

from typing import Final

from trainlint.finding import Certainty, Fix, Location, Put
from trainlint.kube.names import distance
from trainlint.kube.values import is_placeholder
from trainlint.model.workload import PodSet, Service
from trainlint.workload.checks.fault import Fault
from trainlint.workload.checks.inside import is_operated
from trainlint.workload.checks.readiness import not_ready
from trainlint.workload.checks.used_name import UsedName, user_of
from trainlint.workload.expansion import named
from trainlint.workload.flows import maybe_many
from trainlint.workload.kinds import kind_of
from trainlint.workload.services import Directory
from trainlint.workload.volcano_plugins import VOLCANO_JOB, read_plugins

__all__ = ["unresolved"]

_SLIP: Final = 2
"""Letters by which a name that is mistyped differs at most."""


def unresolved(name: UsedName, directory: Directory, *, holds_services: bool) -> Fault | None:
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


def _bare(name: UsedName, directory: Directory) -> Fault | None:
    """A host name alone is no DNS name (only a Service of this name would be one)."""
    target = name.target
    if (target.namespace, name.pod) in directory.services or not name.address.rendezvous:
        return None
    if name.user is target and not maybe_many(target):  # the kubelet writes a pod's own name into its /etc/hosts
        return None
    operated = is_operated(name.workload)
    full = f"{name.pod}.{named(target.spec.subdomain) or 'SERVICE'}"
    return Fault(
        f"{name.user.name} looks for {name.pod}, and DNS does not know the host name of a pod alone: it is {full}",
        name.address.at,
        f"write {full}" if operated else f"write {full}, with a headless Service that selects the pods",
        evidence={"host": name.pod},
        cause=name.pod,
        certainty=Certainty.LIKELY,
    )


def _unserved(name: UsedName) -> Fault | None:
    """The pods have no names in DNS, as their object does not ask for them."""
    own = f"{name.pod}.{name.service or name.workload.owner.name}"
    if not name.service and not name.address.rendezvous:
        return None
    if name.workload.owner.kind == VOLCANO_JOB:
        written = name.workload.field.down("spec", "plugins")
        if "svc" in read_plugins(written):  # the template has a host name or a subdomain of its own
            return None
        plain = written["svc"].at if written.present else name.workload.field["spec"].at
        why, at, remedy = "only the svc plugin of Volcano makes that name, and the job has none", plain, "svc: []"
        fixes = (Fix("add the svc plugin", (Put(written["svc"].at, []),)),) if written.present else ()
    elif name.workload.owner.kind == "JobSet":
        written = name.workload.field.down("spec", "network", "enableDNSHostnames")
        why, at, remedy = "enableDNSHostnames is false, so its pods have no names in DNS", written.at, "true"
        fixes = (Fix("give the pods names in DNS", (Put(written.at, value=True),)),)
    else:
        return None
    return Fault(
        f"{name.user.name} looks for {name.address.host}; {own} would be a pod of {name.workload.owner.name}, but "
        f"{why}",
        at,
        f"write {remedy} here" + ("" if name.service else f", and {own} as the name"),
        (user_of(name),),
        {"host": name.address.host},
        name.service or name.pod,
        Certainty.LIKELY,
        fixes=fixes if name.service else (),
    )


def _other_subdomain(name: UsedName) -> Fault | None:
    """The operator decides the subdomain of the pods: under any other name DNS does not know them."""
    right = f"{name.pod}.{named(name.target.spec.subdomain)}"
    return Fault(
        f"{name.user.name} looks for {name.address.host}, and the pods of {name.target.name} have the subdomain "
        f"{named(name.target.spec.subdomain)}: DNS knows this one as {right}",
        name.address.at,
        f"write {right}",
        (("the pods", name.target.at),),
        {"host": name.address.host, "subdomain": named(name.target.spec.subdomain)},
        name.service,
        Certainty.LIKELY,
    )


def _elsewhere(name: UsedName, directory: Directory) -> Service | None:
    """A Service of this name in another namespace that would select the pods."""
    for (namespace, service_name), service in sorted(directory.services.items(), key=lambda each: each[0]):
        if service_name == name.service and namespace not in {"default", name.target.namespace} and service.selector:
            labels = name.target.labels
            if all(labels.get(key) == value for key, value in service.selector.items()):
                return service
    return None


def _no_service(name: UsedName, directory: Directory, elsewhere: Service | None) -> Fault:
    other = [elsewhere] if elsewhere else _behind(directory, name.target)
    called = f"; the headless Service that selects them is called {other[0].ref.name}" if other else ""
    if elsewhere:
        called = f" in the namespace {name.target.namespace}; there is one in {elsewhere.ref.namespace}"
    related = [user_of(name)]
    if other and other[0].at is not None:
        related.append(("the Service elsewhere" if elsewhere else "the Service under another name", other[0].at))
    return Fault(
        f"{name.user.name} looks for {name.pod}.{name.service}, and no Service {name.service} gives the "
        f"pods of {name.target.name} names{called}",
        _subdomain_at(name),
        f"make subdomain, host and Service agree: {other[0].ref.name if other else name.service}",
        tuple(related),
        {"host": name.address.host, "subdomain": name.target.spec.subdomain},
        name.service,
        Certainty.LIKELY,
        fixes=_called(name, other[0]) if len(other) == 1 and not elsewhere else (),
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


def _not_selected(name: UsedName, service: Service) -> Fault:
    wanted = ", ".join(f"{key}={value}" for key, value in (service.selector or {}).items())
    return Fault(
        f"{name.user.name} looks for {name.pod}.{name.service}, and the Service {name.service} does not select the "
        f"pods of {name.target.name} (it selects {wanted or 'nothing'}): the name does not exist",
        service.at.child("spec", "selector") if service.at and not service.generated else name.address.at,
        "select labels that the pods carry",
        (user_of(name), ("the pods", name.target.template)),
        {"host": name.address.host, "selector": wanted},
        name.service,
    )


def _unnumbered(name: UsedName, service: Service) -> Fault:
    return Fault(
        f"{name.user.name} looks for {name.pod}.{name.service}, and the pods of {name.target.name} have random names: "
        "completionMode is not Indexed",
        name.workload.field.down("spec", "completionMode").at,
        "set completionMode: Indexed (and completions)",
        (user_of(name), *((("the Service", service.at),) if service.at else ())),
        {"host": name.address.host},
        name.service,
        fixes=_indexed(name),
    )


def _indexed(name: UsedName) -> tuple[Fix, ...]:
    """Completions as many as pods at once, each with a number, where the Job says how many."""
    spec = name.workload.field["spec"]
    if name.workload.owner.kind != "Job" or not isinstance(name.target.replicas, int):
        return ()
    edits = [Put(spec["completionMode"].at, "Indexed", ("template",))]
    if not spec["completions"].present:
        edits.append(Put(spec["completions"].at, name.target.replicas, ("template",)))
    return (Fix("number the pods (completionMode: Indexed)", tuple(edits)),)


def _wrong_subdomain(name: UsedName, service: Service) -> Fault:
    own = name.target.spec.subdomain
    said = f"have the subdomain {own}" if own else "have no subdomain"
    return Fault(
        f"{name.user.name} looks for {name.pod}.{name.service}, and the pods of {name.target.name} {said}: DNS gives "
        "the name of a pod only under the Service that its subdomain names",
        _subdomain_at(name),
        f"set subdomain: {name.service} in the pod template",
        (user_of(name), *((("the Service", service.at),) if service.at else ())),
        {"host": name.address.host, "subdomain": own},
        name.service,
        fixes=(Fix(f"set the subdomain of {name.target.name} to {name.service}", _subdomain(name, name.service)),),
    )
