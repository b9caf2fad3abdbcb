"""Volcano's plugins for names, keys and numbers: svc, ssh, env (W 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from trainlint.operators.manifest import (
    Manifest,
    every_container,
    items,
    name_of,
    namespace_of,
    object_of,
    set_env,
    text,
)
from trainlint.operators.volcano_plugin import (
    JOB,
    NAMESPACE,
    TaskPod,
    VolcanoPlugin,
    VolcanoTask,
    domains_of,
    env_entry,
)

__all__ = ["IndexPlugin", "ServicePlugin", "SshPlugin"]


class ServicePlugin(VolcanoPlugin):
    """Names in DNS, lists of them, a Service and a NetworkPolicy."""

    flags: ClassVar[Mapping[str, Any]] = {"publish-not-ready-addresses": False, "disable-network-policy": False}

    def made(self, item: Manifest, tasks: Sequence[VolcanoTask], arguments: Any) -> Iterator[Manifest]:
        """The objects that it makes."""
        name, namespace = name_of(item), namespace_of(item)
        options = self.options(arguments)
        data: dict[str, str] = {}
        for task in tasks:
            hosts, key = domains_of(item, task), task.name.replace("-", "_")
            data[f"{key}.host"] = "\n".join(hosts)
            data[f"VC_{key.upper()}_HOSTS"] = ",".join(hosts)
            data[f"VC_{key.upper()}_NUM"] = str(len(hosts))
        yield object_of("v1", "ConfigMap", f"{name}-svc", namespace, data=data)
        selector = {JOB: name, NAMESPACE: namespace}
        service = {
            "clusterIP": "None",
            "selector": selector,
            "publishNotReadyAddresses": options["publish-not-ready-addresses"],
        }
        yield object_of("v1", "Service", name, namespace, spec=service)
        if not options["disable-network-policy"]:
            own = {"podSelector": {"matchLabels": dict(selector)}}
            policy = {**own, "ingress": [{"from": [own]}], "policyTypes": ["Ingress"]}
            yield object_of("networking.k8s.io/v1", "NetworkPolicy", name, namespace, spec=policy)

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        here.pod["hostname"] = text(here.pod.get("hostname")) or f"{name_of(here.item)}-{here.task.name}-{here.number}"
        here.pod["subdomain"] = text(here.pod.get("subdomain")) or name_of(here.item)
        config = f"{name_of(here.item)}-svc"
        keys = [f"VC_{each.name.replace('-', '_').upper()}_{end}" for each in here.tasks for end in ("HOSTS", "NUM")]
        for container in every_container(here.pod):
            if container.get("name") != "wait-for-master":
                set_env(container, *(_from_config(key, config) for key in keys))
            mount = {"name": config, "mountPath": "/etc/volcano"}
            container["volumeMounts"] = [*items(container.get("volumeMounts")), mount]
        here.pod["volumes"] = [*items(here.pod.get("volumes")), {"name": config, "configMap": {"name": config}}]


def _from_config(key: str, config: str) -> Manifest:
    return {"name": key, "valueFrom": {"configMapKeyRef": {"name": config, "key": key}}}


class SshPlugin(VolcanoPlugin):
    """Keys for ssh."""

    flags: ClassVar[Mapping[str, Any]] = {
        "ssh-key-file-path": "/root/.ssh",
        "ssh-private-key": "",
        "ssh-public-key": "",
        "ssh-port": 22,
    }

    def made(self, item: Manifest, tasks: Sequence[VolcanoTask], arguments: Any) -> Iterator[Manifest]:
        """The objects that it makes."""
        yield object_of("v1", "Secret", f"{name_of(item)}-ssh", namespace_of(item))

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        name, path = f"{name_of(here.item)}-ssh", self.options(arguments)["ssh-key-file-path"]
        here.pod["volumes"] = [*items(here.pod.get("volumes")), {"name": name, "secret": {"secretName": name}}]
        for container in every_container(here.pod):
            mount = {"name": name, "mountPath": path, "subPath": ".ssh"}
            container["volumeMounts"] = [*items(container.get("volumeMounts")), mount]


class IndexPlugin(VolcanoPlugin):
    """The number of the pod in its task."""

    def change(self, here: TaskPod, arguments: Any) -> None:
        """Change the pod."""
        for container in every_container(here.pod):
            set_env(container, env_entry("VK_TASK_INDEX", here.number), env_entry("VC_TASK_INDEX", here.number))
