"""Pod Security admission: pods that break the level which their namespace enforces.

The checks are those of the Pod Security Standards of Kubernetes. Whether the API server exempts a namespace, user or
runtime class stands in its own configuration, so that a pod which breaks the level may still be let in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.finding import Location
from trainlint.kube.values import read_strings, read_text
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.pod_manifest import field_at

__all__ = ["breaks"]

_ADDED: Final = frozenset(
    {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"}
    | {"SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}
)
_SELINUX: Final = frozenset({"", "container_engine_t", "container_init_t", "container_kvm_t", "container_t"})
_SYSCTLS: Final = frozenset(
    {"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.ip_local_reserved_ports"}
    | {"net.ipv4.ip_unprivileged_port_start", "net.ipv4.ping_group_range", "net.ipv4.tcp_fin_timeout"}
    | {"net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_keepalive_time"}
    | {"net.ipv4.tcp_rmem", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_wmem"}
)
_VOLUMES: Final = frozenset(
    {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "name", "persistentVolumeClaim", "projected", "secret"}
)
_HOST: Final = ("hostIPC", "hostNetwork", "hostPID")
_LISTS: Final = ("containers", "initContainers")


def breaks(level: str, pods: PodSet, workloads: Mapping[str, Workload]) -> str:
    """What of a pod the level ``baseline`` or ``restricted`` forbids, or asks for in vain; empty where it is let in.

    ``workloads`` are the objects by the text of their identity. Of pods that are written elsewhere (in the runtime of a
    TrainJob) only what breaks ``baseline`` is looked for, in what is known of them.
    """
    if level not in ("baseline", "restricted") or pods.spec.at is None:
        return ""
    workload = workloads.get(str(pods.owner))
    spec = _written(workload, pods.spec.at) if workload is not None else None
    if spec is None:
        return next(_known(pods), "")
    found = _baseline(spec) if level == "baseline" else _both(spec)
    return next(found, "")


def _written(workload: Workload, at: Location) -> Field | None:
    here = workload.field.at
    return field_at(workload, at) if (here.file, here.document) == (at.file, at.document) else None


def _known(pods: PodSet) -> Iterator[str]:
    if pods.spec.host_network or pods.spec.host_ipc:
        yield "they are on the network or the IPC namespace of the host"
    for container in (*pods.spec.containers, *pods.spec.init_containers):
        if container.privileged:
            yield f"container {container.name} is privileged"
        yield from _capabilities(container.name, container.capabilities - _ADDED)


def _both(spec: Field) -> Iterator[str]:
    yield from _baseline(spec)
    yield from _restricted(spec)


def _baseline(spec: Field) -> Iterator[str]:
    yield from (f"they set {key}" for key in _HOST if spec[key].value is True)
    yield from _contexts(spec["securityContext"], "they set")
    for volume in spec["volumes"].elements():
        if volume["hostPath"].present:
            yield f"volume {read_text(volume['name'])} is a hostPath"
    for sysctl in spec.down("securityContext", "sysctls").elements():
        if read_text(sysctl["name"]) not in _SYSCTLS:
            yield f"they set the sysctl {read_text(sysctl['name'])}"
    for container in _containers(spec):
        name, context = read_text(container["name"]), container["securityContext"]
        if context["privileged"].value is True:
            yield f"container {name} is privileged"
        yield from _capabilities(name, frozenset(read_strings(context.down("capabilities", "add"))) - _ADDED)
        if any(port["hostPort"].value for port in container["ports"].elements()):
            yield f"container {name} has a hostPort"
        if read_text(context["procMount"]) not in ("", "Default"):
            yield f"container {name} sets procMount"
        yield from _contexts(context, f"container {name} sets")


def _capabilities(name: str, added: frozenset[str]) -> Iterator[str]:
    if added:
        yield f"container {name} adds {', '.join(sorted(added))}"


def _contexts(context: Field, sets: str) -> Iterator[str]:
    """What is forbidden of pods and of containers alike."""
    if read_text(context.down("seccompProfile", "type")) == "Unconfined":
        yield f"{sets} the seccomp profile Unconfined"
    if read_text(context.down("appArmorProfile", "type")) == "Unconfined":
        yield f"{sets} the AppArmor profile Unconfined"
    if context.down("windowsOptions", "hostProcess").value is True:
        yield f"{sets} hostProcess"
    options = context["seLinuxOptions"]
    if read_text(options["type"]) not in _SELINUX or options["user"].value or options["role"].value:
        yield f"{sets} seLinuxOptions"


def _restricted(spec: Field) -> Iterator[str]:
    general = spec["securityContext"]
    for volume in spec["volumes"].elements():
        if not set(volume.mapping or {}) <= _VOLUMES:
            yield f"volume {read_text(volume['name'])} is of a type that is not allowed"
    if general["runAsNonRoot"].value is False or general["runAsUser"].value == 0:
        yield "they may run as root"  # also where each container says otherwise
    for container in _containers(spec):
        name, own = read_text(container["name"]), container["securityContext"]
        profile = own["seccompProfile"] if own["seccompProfile"].present else general["seccompProfile"]
        root = own["runAsNonRoot"] if own["runAsNonRoot"].present else general["runAsNonRoot"]
        user = own["runAsUser"] if own["runAsUser"].present else general["runAsUser"]
        capabilities = own["capabilities"]
        if own["allowPrivilegeEscalation"].value is not False:
            yield f"container {name} does not set allowPrivilegeEscalation: false"
        if "ALL" not in read_strings(capabilities["drop"]):
            yield f"container {name} does not drop ALL capabilities"
        yield from _capabilities(name, frozenset(read_strings(capabilities["add"])) - {"NET_BIND_SERVICE"})
        if root.value is not True or user.value == 0:
            yield f"container {name} may run as root"
        if read_text(profile["type"]) not in ("Localhost", "RuntimeDefault"):
            yield f"container {name} has no seccomp profile"


def _containers(spec: Field) -> Iterator[Field]:
    for key in _LISTS:
        yield from spec[key].elements()
