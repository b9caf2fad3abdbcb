"""The variables that the training operator v1 adds to the containers of each kind of job (W 2)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from trainlint.operators.manifest import (
    Manifest,
    below,
    containers_of,
    count,
    items,
    mapping,
    name_of,
    namespace_of,
    set_env,
    text,
)

__all__ = ["ENV_OF", "Roles"]

Roles = Mapping[str, Manifest]
Env = Callable[[Manifest, Roles, str, int, Manifest], None]

_UNBUFFERED: Final = {"name": "PYTHONUNBUFFERED", "value": "1"}


def _entry(name: str, value: Any) -> Manifest:
    return {"name": name, "value": str(value)} if value != "" else {"name": name}


def _total(roles: Roles) -> int:
    return sum(spec["replicas"] for spec in roles.values())


def _port(roles: Roles, role: str, container: str, name: str) -> int | None:
    """The number of the port of this name in the main container of a role."""
    for each in containers_of(mapping(below(roles.get(role), "template", "spec"))):
        for port in items(each.get("ports")):
            if each.get("name") == container and port.get("name") == name:
                return count(port.get("containerPort"), 0)
    return None


def _pytorch(item: Manifest, roles: Roles, role: str, number: int, pod: Manifest) -> None:
    spec = mapping(item.get("spec"))
    elastic = spec.get("elasticPolicy")
    elastic = elastic if isinstance(elastic, dict) else None
    processes = spec.get("nprocPerNode")
    if processes is None and (elastic is None or elastic.get("nProcPerNode") is None):
        processes = "auto"
    entries = [_UNBUFFERED]
    if "Master" in roles:
        port = _port(roles, "Master", "pytorch", "pytorchjob-port")
        address, rank = f"{name_of(item)}-master-0", number + (role == "Worker")
        each = int(text(processes)) if text(processes).removeprefix("-").isdecimal() else 1
        entries += [
            _entry("MASTER_PORT", port),
            _entry("PET_MASTER_PORT", port),
            _entry("MASTER_ADDR", address),
            _entry("PET_MASTER_ADDR", address),
            _entry("WORLD_SIZE", _total(roles) * each),
            _entry("RANK", rank),
            _entry("PET_NODE_RANK", rank),
        ]
    if processes is not None:
        entries.append(_entry("PET_NPROC_PER_NODE", processes))
    entries += _elastic(item, elastic, roles) if elastic is not None else [_entry("PET_NNODES", _total(roles))]
    for container in containers_of(pod):
        set_env(container, *entries)


def _elastic(item: Manifest, elastic: Manifest, roles: Roles) -> list[Manifest]:
    workers = mapping(roles.get("Worker")).get("replicas", 1)
    least, most = (elastic.get(each) for each in ("minReplicas", "maxReplicas"))
    least, most = (
        next(each for each in pair if each is not None) for pair in ((least, most, workers), (most, least, workers))
    )
    port = elastic.get("rdzvPort")
    port = _port(roles, "Worker", "pytorch", "pytorchjob-port") if port is None else port
    host = elastic.get("rdzvHost")
    host = f"{name_of(item)}-worker-0" if host is None else host
    backend = elastic.get("rdzvBackend")
    found = [
        _entry("PET_RDZV_ENDPOINT", f"{host}:{port}"),
        _entry("PET_RDZV_BACKEND", "c10d" if backend is None else backend),
        _entry("PET_NNODES", f"{least}:{most}"),
    ]
    for name, key in (("MAX_RESTARTS", "maxRestarts"), ("NPROC_PER_NODE", "nProcPerNode"), ("RDZV_ID", "rdzvId")):
        if elastic.get(key) is not None:
            found.append(_entry(f"PET_{name}", elastic[key]))
    if conf := items(elastic.get("rdzvConf")):
        pairs = (f"{text(each.get('key'))}={text(each.get('value'))}" for each in conf)
        found.append(_entry("PET_RDZV_CONF", ",".join(pairs)))
    if elastic.get("standalone") is True:
        found.append(_entry("PET_STANDALONE", ""))
    return found


def _tensorflow(item: Manifest, roles: Roles, role: str, number: int, pod: Manifest) -> None:
    if _total({name: each for name, each in roles.items() if name in _TF_ROLES}) == 1:
        return
    hosts = {name.lower(): _tf_hosts(item, roles, name) for name in roles}
    task = {"type": role.lower(), "index": number}
    config: Manifest
    if below(item, "spec", "enableDynamicWorker") is True:
        config = {"cluster": _sparse(hosts, role.lower(), number), "task": task}
    else:
        config = {"cluster": dict(sorted(hosts.items())), "task": task, "environment": "cloud"}
    for container in containers_of(pod):
        if container.get("name") == "tensorflow":
            set_env(container, _entry("TF_CONFIG", json.dumps(config, separators=(",", ":"))))
            return


_TF_ROLES: Final = ("Chief", "Evaluator", "Master", "PS", "Worker")


def _tf_hosts(item: Manifest, roles: Roles, role: str) -> list[str]:
    port = _port(roles, role, "tensorflow", "tfjob-port")
    end = f"{namespace_of(item)}.svc:{port}"
    return [f"{name_of(item)}-{role.lower()}-{number}.{end}" for number in range(roles[role]["replicas"])]


def _sparse(hosts: Mapping[str, list[str]], role: str, number: int) -> Manifest:
    """A worker sees the parameter servers and itself, a parameter server only itself."""
    worker: Manifest = {}
    servers: list[str] | None = []
    if role == "ps":
        servers = hosts[role][number : number + 1]
    elif role == "worker":
        servers, worker = hosts.get("ps"), {str(number): hosts[role][number]}
    return {"worker": worker, "ps": servers}


def _xgboost(item: Manifest, roles: Roles, role: str, number: int, pod: Manifest) -> None:
    rank = number + (roles["Master"]["replicas"] if role == "Worker" and "Master" in roles else 0)
    total = _total(roles)
    entries = [
        _entry("MASTER_PORT", _port(roles, "Master", "xgboost", "xgboostjob-port")),
        _entry("MASTER_ADDR", f"{name_of(item)}-master-0"),
        _entry("WORLD_SIZE", total),
        _entry("RANK", rank),
        _UNBUFFERED,
    ]
    if total > 1:
        addresses = (f"{name_of(item)}-worker-{each}" for each in range(total - 1))
        entries += [
            _entry("WORKER_PORT", _port(roles, "Worker", "xgboost", "xgboostjob-port")),
            _entry("WORKER_ADDRS", ",".join(addresses)),
        ]
    for container in containers_of(pod):
        set_env(container, *entries)


def _paddle(item: Manifest, roles: Roles, role: str, number: int, pod: Manifest) -> None:
    leader = "Master" if "Master" in roles else "Worker"
    port = _port(roles, leader, "paddle", "master")
    entries = [_UNBUFFERED, _entry("PADDLE_JOB_ID", name_of(item)), _entry("PADDLE_NNODES", _total(roles))]
    if number == 0 and role == leader:
        entries.append({"name": "POD_IP_DUMMY", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}})
        entries.append(_entry("PADDLE_MASTER", f"$(POD_IP_DUMMY):{port}"))
    else:
        entries.append(_entry("PADDLE_MASTER", f"{name_of(item)}-{leader.lower()}-0:{port}"))
    if leader == "Master":
        entries.append(_entry("PADDLE_SERVER_NUM" if role == "Master" else "PADDLE_TRAINER_NUM", 1))
    for container in containers_of(pod):
        set_env(container, *(dict(each) for each in entries))


def _jax(item: Manifest, roles: Roles, role: str, number: int, pod: Manifest) -> None:
    entries = [
        _UNBUFFERED,
        _entry("COORDINATOR_PORT", _port(roles, "Worker", "jax", "jaxjob-port")),
        _entry("COORDINATOR_ADDRESS", f"{name_of(item)}-worker-0"),
        _entry("NUM_PROCESSES", _total(roles)),
        _entry("PROCESS_ID", number),
    ]
    for container in containers_of(pod):
        set_env(container, *entries)


ENV_OF: Final[Mapping[str, Env]] = {
    "PyTorchJob": _pytorch,
    "TFJob": _tensorflow,
    "XGBoostJob": _xgboost,
    "PaddleJob": _paddle,
    "JAXJob": _jax,
}
