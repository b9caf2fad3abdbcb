"""Volcano's plugins for frameworks: pytorch, tensorflow, mpi, ray (W 8)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from trainlint.operators.manifest import (
    Manifest,
    containers_of,
    every_container,
    items,
    name_of,
    namespace_of,
    object_of,
    set_env,
)
from trainlint.operators.volcano_plugin import (
    JOB,
    NAMESPACE,
    TASK,
    TaskPod,
    VolcanoPlugin,
    VolcanoTask,
    domain_of,
    domains_of,
    env_entry,
    open_port,
    task_called,
)

__all__ = ["MpiPlugin", "PytorchPlugin", "RayPlugin", "TensorflowPlugin"]


class PytorchPlugin(VolcanoPlugin):
    """Addresses and ranks for torch, on the tasks that are master and worker."""

    flags: ClassVar[Mapping[str, Any]] = {
        "master": "master",
        "worker": "worker",
        "port": 23456,
        "wait-master-enabled": False,
        "wait-master-timeout": 300,
        "wait-master-image": "busybox:1.36.1",
    }

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        options = self.options(arguments)
        master = task_called(here.tasks, options["master"])
        if master is None:
            return
        address, port = domain_of(here.item, master, 0), options["port"]
        total = sum(each.replicas for each in here.tasks if each.name in {options["master"], options["worker"]})
        entries = [env_entry("MASTER_ADDR", address), env_entry("MASTER_PORT", port), env_entry("WORLD_SIZE", total)]
        if here.task.name == options["worker"]:
            entries.append(env_entry("RANK", here.number + 1))
            if options["wait-master-enabled"]:
                _wait(here.pod, address, options)
        elif here.task.name == options["master"]:
            entries.append(env_entry("RANK", 0))
        for container in containers_of(here.pod):
            open_port(container, "pytorchjob-port", port)
            set_env(container, *entries)


def _wait(pod: Manifest, address: str, options: Mapping[str, Any]) -> None:
    """Add the init container that waits for the master, unless one of the name is there."""
    if any(each.get("name") == "wait-for-master" for each in items(pod.get("initContainers"))):
        return
    port = options["port"]
    lines = (
        f'echo "Waiting for master node {address}:{port} to be ready..."',
        f"TIMEOUT={options['wait-master-timeout']}",
        "ELAPSED=0",
        f"until {{ nc -z {address} {port} || echo > /dev/tcp/{address}/{port}; }} 2>/dev/null; do",
        "  if [ $ELAPSED -ge $TIMEOUT ]; then",
        '    echo "Timeout waiting for master after ${TIMEOUT} seconds"',
        "    exit 1",
        "  fi",
        '  echo "Master not ready yet, retrying in 2 seconds... (elapsed: ${ELAPSED}s)"',
        "  sleep 2",
        "  ELAPSED=$((ELAPSED + 2))",
        "done",
        'echo "Master node is ready!"',
    )
    container = {
        "name": "wait-for-master",
        "image": options["wait-master-image"],
        "command": ["sh", "-c", "\n".join(lines)],
    }
    pod["initContainers"] = [*items(pod.get("initContainers")), container]


class TensorflowPlugin(VolcanoPlugin):
    """The cluster of TensorFlow, as TF_CONFIG."""

    flags: ClassVar[Mapping[str, Any]] = {
        "ps": "ps",
        "worker": "worker",
        "chief": "chief",
        "evaluator": "evaluator",
        "port": 2222,
    }

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        if len(here.tasks) == 1 and here.tasks[0].replicas == 1:
            return
        options = self.options(arguments)
        roles = {options[role]: role for role in ("evaluator", "chief", "worker", "ps")}
        hosts: dict[str, list[str]] = {}
        for each in here.tasks:
            if each.name in roles:
                domains = [domain_of(here.item, each, at) for at in range(each.replicas)]
                hosts[roles[each.name]] = [f"{domain}:{options['port']}" for domain in domains]
        cluster = {role: hosts[role] for role in ("ps", "worker", "chief", "evaluator") if hosts.get(role)}
        config = {"cluster": cluster, "task": {"type": roles.get(here.task.name, here.task.name), "index": here.number}}
        for container in containers_of(here.pod):
            set_env(container, env_entry("TF_CONFIG", json.dumps(config, separators=(",", ":"))))


class MpiPlugin(VolcanoPlugin):
    """The hosts of the workers, and an open port for ssh."""

    flags: ClassVar[Mapping[str, Any]] = {"master": "master", "worker": "worker", "port": 22}

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        options = self.options(arguments)
        entries: list[Manifest] = []
        if here.task.name == options["master"]:
            workers = task_called(here.tasks, options["worker"])
            if workers is None:
                return
            entries = [env_entry("MPI_HOST", ",".join(domains_of(here.item, workers)))]
        for container in every_container(here.pod):
            open_port(container, "mpijob-port", options["port"])
            set_env(container, *entries)


class RayPlugin(VolcanoPlugin):
    """The commands of Ray, and a Service of the head."""

    flags: ClassVar[Mapping[str, Any]] = {
        "head": "head",
        "headContainer": "head",
        "worker": "worker",
        "workerContainer": "worker",
        "port": 6379,
        "dashboardPort": 8265,
        "clientPort": 10001,
    }

    def head(self, arguments: Any, tasks: Sequence[VolcanoTask]) -> bool:
        """Whether the head's task is there."""
        return task_called(tasks, self.options(arguments)["head"]) is not None

    def made(self, item: Manifest, tasks: Sequence[VolcanoTask], arguments: Any) -> Iterator[Manifest]:
        """The objects that it makes."""
        options, name, namespace = self.options(arguments), name_of(item), namespace_of(item)
        ports = [{"name": key, "port": number, "targetPort": key} for key, number in _ray_ports(options)]
        spec = {"selector": {JOB: name, NAMESPACE: namespace, TASK: options["head"]}, "ports": ports}
        yield object_of("v1", "Service", f"{name}-head-svc", namespace, spec=spec)

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        options = self.options(arguments)
        head = task_called(here.tasks, options["head"])
        for container in containers_of(here.pod) if head is not None else ():
            if (here.task.name, container.get("name")) == (options["head"], options["headContainer"]):
                for name, port in _ray_ports(options):
                    open_port(container, name, port)
                command = (
                    f"ray start --head --block --dashboard-host=0.0.0.0 --port={options['port']} "
                    f"--dashboard-port={options['dashboardPort']} --ray-client-server-port={options['clientPort']}"
                )
                container["command"] = ["sh", "-c", command]
            if head is not None and (here.task.name, container.get("name")) == (
                options["worker"],
                options["workerContainer"],
            ):
                address = f"{domain_of(here.item, head, 0)}:{options['port']}"
                container["command"] = ["sh", "-c", f"ray start --block --address={address}"]


def _ray_ports(options: Mapping[str, Any]) -> list[tuple[str, int]]:
    ports = (("gcs", "port"), ("dashboard", "dashboardPort"), ("client-server", "clientPort"))
    return [(name, options[key]) for name, key in ports]
