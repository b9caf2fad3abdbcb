"""Names inside an object's own subdomain: its operator alone makes them, so Git says which there are (W 5, 6, 8)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Certainty, Location
from trainlint.kube.values import is_placeholder
from trainlint.launch.addresses import Address, addresses
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.workload import PodSet, Workload
from trainlint.workload.checks.contract_fault import ContractFault
from trainlint.workload.kinds import kind_of
from trainlint.workload.services import Directory
from trainlint.workload.workload_kind import HostNames

__all__ = ["CLUSTER_SUFFIX", "AbsentPod", "absent_pods", "is_operated", "last_name", "pod_pattern"]

_ALIKE: Final = 0.85
CLUSTER_SUFFIX: Final = lazy_pattern(r"\.svc(?:\.cluster\.local)?\.?$")


@fact
class AbsentPod(ContractFault):
    """Pods of ``user`` look for a pod that their object does not have.

    ``names`` are the first and the last host name of each role, ``nearest`` the one that looks most like the name.
    """

    user: str
    host: str
    pod: str
    subdomain: str
    job: str
    names: tuple[tuple[str, str], ...]
    nearest: str
    places: tuple[tuple[str, Location], ...]


def is_operated(workload: Workload) -> bool:
    """Whether the operator makes host names, subdomain and Service: others can add nothing to the subdomain."""
    kind = kind_of(workload)
    return kind is not None and kind.host_names is HostNames.OPERATOR


def absent_pods(workload: Workload, directory: Directory) -> Iterator[AbsentPod]:
    """A pod that the object looks for in its own subdomain and does not have; one fault for each such name."""
    if not is_operated(workload):
        return
    own = {pods.spec.subdomain for pods in workload.pod_sets if pods.hostname}
    if len(own) != 1 or not (subdomain := own.pop()) or "{}" in subdomain or is_placeholder(subdomain):
        return
    if any(is_placeholder(pods.hostname.replace("{}", "")) or not pods.hostname for pods in workload.pod_sets):
        return
    said = set()
    for pods in workload.pod_sets:
        for container in (*pods.spec.containers, *pods.spec.init_containers) if pods.replicas != 0 else ():
            for address in addresses(container):
                name = _pod_part(address, subdomain, workload)
                if not name or name in said or any(_has(each, name) for each in workload.pod_sets):
                    continue
                if not _of_another(address, workload, directory):
                    said.add(name)
                    yield _absent(name, subdomain, address, pods, workload)


def _of_another(address: Address, workload: Workload, directory: Directory) -> bool:
    """Whether the name leads to pods of another object, or to a Service."""
    found = directory.resolve(address, workload.owner.namespace)
    if found is None:
        return False
    return not found.pod or any(directory.pod_sets[index].owner != workload.owner for index in found.targets)


def _pod_part(address: Address, subdomain: str, workload: Workload) -> str:
    """The first label of a name in the subdomain; empty for other names."""
    labels = CLUSTER_SUFFIX.sub("", address.host).split(".")
    if len(labels) not in {2, 3} or labels[1] != subdomain.lower() or "$" in address.text:
        return ""
    return labels[0] if len(labels) == 2 or labels[2] == workload.owner.namespace else ""


def pod_pattern(pods: PodSet) -> re.Pattern[str]:
    """What the pods' host names look like in DNS, with each number as a group."""
    return re.compile(re.escape(pods.hostname.lower()).replace(r"\{\}", r"(\d+)"))


def _has(pods: PodSet, name: str) -> bool:
    """Whether a pod of the set may have the name: numbers are compared where the counts are known."""
    found = pod_pattern(pods).fullmatch(name)
    if found is None:
        return False
    return all(most is None or int(number) <= most for number, most in zip(found.groups(), _last(pods), strict=True))


def _last(pods: PodSet) -> tuple[int | None, ...]:
    """The largest of each number in the host names; ``None`` where it is not known, or may grow."""
    counts = (pods.replicas, pods.blocks, pods.instances)
    parts = pods.hostname.count("{}")
    if not all(isinstance(count, int) for count in counts):
        return (None,) * parts
    count, blocks, instances = (max(int(each), 1) for each in counts if isinstance(each, int))
    count = max(count, pods.max_replicas or 0)
    if pods.owner.kind == "LeaderWorkerSet":
        return (instances - 1, count)[:parts]  # workers count from 1, the leader is 0
    return (blocks - 1, max(count // blocks, 1) - 1) if parts == 2 else (count - 1,) * parts


def last_name(pods: PodSet) -> str:
    """The host name with the largest numbers: that of the last pod of the last block."""
    text = pods.hostname
    for number in _last(pods):
        text = text.replace("{}", str(number or 0), 1)
    return text


def _absent(name: str, subdomain: str, address: Address, user: PodSet, workload: Workload) -> AbsentPod:
    pod_sets = [pods for pods in workload.pod_sets if pods.replicas != 0]
    firsts = [_first_name(pods) for pods in pod_sets]
    nearest = next(iter(difflib.get_close_matches(name, firsts, 1, _ALIKE)), firsts[0])
    return AbsentPod(
        address.at,
        user.name,
        address.host,
        name,
        subdomain,
        workload.owner.name,
        tuple((first, last_name(pods)) for first, pods in zip(firsts, pod_sets, strict=True)),
        nearest,
        tuple((pods.role, pods.at) for pods in pod_sets),
        certainty=Certainty.LIKELY,
    )


def _first_name(pods: PodSet) -> str:
    """The host name with the smallest numbers; workers of a LeaderWorkerSet count from 1."""
    worker = pods.owner.kind == "LeaderWorkerSet" and pods.role == "worker"
    return pods.hostname.replace("{}", "0", 1).replace("{}", "1" if worker else "0")
