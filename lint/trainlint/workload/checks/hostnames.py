"""The host names of its own pods that an object uses, and that DNS does not give them (W 1.7, 9, 10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from trainlint.fact import fact
from trainlint.launch.addresses import Address, addresses
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.workload import ObjectRef, PodSet, Workload, Workloads
from trainlint.workload.checks.host_name_fault import HostNameFault
from trainlint.workload.checks.resolution import unresolved
from trainlint.workload.checks.subdomain_names import CLUSTER_SUFFIX, pod_pattern
from trainlint.workload.checks.used_name import UsedName
from trainlint.workload.flows import maybe_many
from trainlint.workload.kinds import kind_of
from trainlint.workload.services import Directory, directory_of
from trainlint.workload.volcano_plugins import VOLCANO_JOB
from trainlint.workload.workload_kind import HostNames

__all__ = ["MisnamedHost", "all_misnamed", "misnamed_pods"]

_NUMBERED: Final = lazy_pattern(r"^(?P<name>.+)-\d+$")


@fact
class MisnamedHost:
    """A host that the pods of an object use and that DNS does not know, and what is wrong."""

    owner: ObjectRef
    host: str
    fault: HostNameFault


def all_misnamed(workloads: Workloads, opened: Callable[[str], bool]) -> Iterator[MisnamedHost]:
    """The misnamed pods of every object; ``opened`` says what may add objects to a namespace (decision 5)."""
    directory = directory_of(workloads)
    written = {each.ref.namespace for each in workloads.services if not each.generated}
    for workload in workloads.objects:
        namespace = workload.owner.namespace
        closed = namespace in written and not opened(namespace)
        yield from misnamed_pods(workload, directory, holds_services=closed)


def misnamed_pods(workload: Workload, directory: Directory, *, holds_services: bool) -> Iterator[MisnamedHost]:
    """The names of its own pods that an object uses in vain; one fault for each Service's name.

    ``holds_services`` says that the snapshot holds Services of this namespace and nothing may add others, so that one
    that is not there does not exist.
    """
    kind = kind_of(workload)
    if kind is None or kind.host_names is HostNames.OTHER:  # these operators make Services or lists of hosts
        return
    said = set()
    for pods in workload.pod_sets:
        if pods.replicas == 0:
            continue
        for container in (*pods.spec.containers, *pods.spec.init_containers):
            for address in addresses(container):
                name = _own_name(address, pods, workload)
                if name is None or name.service in said or address.carrier.startswith("http"):
                    continue
                fault = unresolved(name, directory, holds_services=holds_services)
                if fault is not None:
                    said.add(name.service)
                    yield MisnamedHost(workload.owner, address.host, fault)


def _own_name(address: Address, user: PodSet, workload: Workload) -> UsedName | None:
    """The name as that of a pod of the object, by its first label."""
    labels = CLUSTER_SUFFIX.sub("", address.host).split(".")
    if len(labels) > 3 or "$" in address.text:
        return None
    if len(labels) == 3 and labels[2] != workload.owner.namespace:
        return None
    for pods in workload.pod_sets:
        called = pods
        if not pods.hostname and workload.owner.kind == VOLCANO_JOB:  # without the svc plugin it is no host name
            called = replace(pods, hostname=f"{workload.owner.name}-{pods.role}-{{}}")
        numbered = _NUMBERED.match(labels[0])
        unnamed = not pods.hostname and workload.owner.kind == "Job" and maybe_many(pods)
        if (called.hostname and pod_pattern(called).fullmatch(labels[0])) or (
            unnamed and numbered is not None and numbered["name"] == workload.owner.name
        ):
            return UsedName(labels[0], labels[1] if len(labels) > 1 else "", address, workload, user, pods)
    return None
