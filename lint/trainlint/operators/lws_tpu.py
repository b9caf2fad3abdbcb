"""The TPU variables that LeaderWorkerSet's webhook adds (W 6)."""

from __future__ import annotations

from typing import Final

from trainlint.operators.manifest import (
    Manifest,
    annotations_of,
    containers_of,
    items,
    labels_of,
    mapping,
    name_of,
    set_env,
    text,
)

__all__ = ["LEADER_HAS_TPUS", "add_tpu_env", "has_tpus"]

LEADER_HAS_TPUS: Final = "leaderworkerset.sigs.k8s.io/leader-requests-tpus"
_PREFIX: Final = "leaderworkerset.sigs.k8s.io/"
_TPU: Final = "google.com/tpu"
_FIRST_PORT: Final = 8476


def _asks(container: Manifest) -> bool:
    resources = mapping(container.get("resources"))
    return any(str(mapping(resources.get(key)).get(_TPU, "0")) != "0" for key in ("limits", "requests"))


def _asking(spec: Manifest) -> list[Manifest]:
    return [each for each in (*containers_of(spec), *items(spec.get("initContainers"))) if _asks(each)]


def has_tpus(spec: Manifest) -> bool:
    """Whether a container or init container asks for TPUs."""
    return bool(_asking(spec))


def _value(container: Manifest, name: str) -> str | None:
    return next((text(each.get("value")) for each in items(container.get("env")) if each.get("name") == name), None)


def add_tpu_env(pod: Manifest, size: int) -> None:
    """Addresses and numbers of the TPU hosts of the group or subgroup, unless the user wrote them."""
    containers = _asking(pod["spec"])
    own = ("TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID")
    if any(_value(containers[0], each) is not None for each in own):
        return
    if f"{_PREFIX}subgroup-size" in annotations_of(pod):
        _of_subgroup(pod, containers[0])
    else:
        _of_group(pod, containers, size)


def _of_group(pod: Manifest, containers: list[Manifest], size: int) -> None:
    leads = labels_of(pod)[f"{_PREFIX}worker-index"] == "0"
    with_leader = leads or annotations_of(pod).get(LEADER_HAS_TPUS) == "true"
    leader, index = (name_of(pod), 0) if leads else _parent(pod)
    index -= not with_leader
    domain = pod["spec"]["subdomain"]
    ports = [_value(each, "TPU_PROCESS_PORT") or str(_FIRST_PORT + at) for at, each in enumerate(containers)]
    hosts = [f"{leader}.{domain}"] * with_leader + [f"{leader}-{each}.{domain}" for each in range(1, size)]
    names = [host for host in hosts for _ in ports]
    addresses = [f"{host}:{port}" for host in hosts for port in ports]
    for at, container in enumerate(containers):
        _add(container, names, index * len(containers) + at, leader, addresses, ports[at])


def _parent(pod: Manifest) -> tuple[str, int]:
    parent, _, number = name_of(pod).rpartition("-")
    return parent, int(number)


def _of_subgroup(pod: Manifest, container: Manifest) -> None:
    labels, annotations = labels_of(pod), annotations_of(pod)
    size = int(annotations[f"{_PREFIX}subgroup-size"])
    group, index = int(labels[f"{_PREFIX}subgroup-index"]), int(labels[f"{_PREFIX}worker-index"])
    leader_has = annotations.get(LEADER_HAS_TPUS) == "true"
    number = index % size
    if index != 0 and not leader_has:
        number, group = (index - 1) % size, (index - 1) // size
    first, last = size * group + 1, size * (group + 1)
    domain = pod["spec"]["subdomain"]
    leader = name_of(pod) if index == 0 else _parent(pod)[0]
    hosts: list[str] = []
    if index == 0 or (leader_has and group == 0):
        hosts.append(f"{leader}.{domain}")
        last -= 1
    elif leader_has:
        first, last = first - 1, last - 1
    hosts += [f"{leader}-{each}.{domain}" for each in range(first, last + 1)]
    port = _value(container, "TPU_PROCESS_PORT") or str(_FIRST_PORT)
    _add(container, hosts, number, leader, [f"{each}:{port}" for each in hosts], port)


def _add(container: Manifest, hosts: list[str], number: int, leader: str, addresses: list[str], port: str) -> None:
    known = _value(container, "TPU_PROCESS_PORT") is not None
    set_env(
        container,
        {"name": "TPU_WORKER_HOSTNAMES", "value": ",".join(hosts)},
        {"name": "TPU_WORKER_ID", "value": str(number)},
        {"name": "TPU_NAME", "value": leader},
        {"name": "TPU_PROCESS_ADDRESSES", "value": ",".join(addresses)},
        *([] if known else [{"name": "TPU_PROCESS_PORT", "value": port}]),
    )
