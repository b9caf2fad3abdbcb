"""v1 PodSpec, leniently: wrong types are as if absent, placeholders make their part undetermined, nothing raises."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from trainlint.kube.affinity import read_spread, read_term, read_terms
from trainlint.kube.doubts import Doubts
from trainlint.kube.ground import FieldGround
from trainlint.kube.node import read_quantities
from trainlint.kube.selectors import read_equalities, read_node_selector_term, read_node_selector_terms
from trainlint.kube.values import known_text, read_strings, read_text
from trainlint.kube.volumes import read_volumes
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import (
    CONTAINERS,
    UNREAD_CONTAINERS,
    Container,
    ContainerPort,
    EnvVar,
    Mount,
    PodResourceClaim,
    PodSpec,
    Toleration,
)
from trainlint.source.document import Field

__all__ = ["read_container", "read_pod_spec", "read_tolerations"]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def read_pod_spec(spec: Field) -> PodSpec:
    """The pod spec at the cursor."""
    doubts = Doubts()
    user = _user(spec["securityContext"], None)
    affinity = doubts.note("affinity", spec["affinity"])
    node_affinity = doubts.note("affinity.nodeAffinity", affinity["nodeAffinity"])
    pod_affinity = doubts.note("affinity.podAffinity", affinity["podAffinity"])
    anti_affinity = doubts.note("affinity.podAntiAffinity", affinity["podAntiAffinity"])
    return PodSpec(
        containers=tuple(_containers(doubts.note("containers", spec["containers"]), doubts, user)),
        init_containers=tuple(_containers(doubts.note("initContainers", spec["initContainers"]), doubts, user)),
        node_name=doubts.text("nodeName", spec["nodeName"]),
        node_selector=read_equalities(doubts.note("nodeSelector", spec["nodeSelector"])),
        node_affinity=read_node_selector_terms(doubts.note("affinity.nodeAffinity", node_affinity[_REQUIRED])),
        pod_affinity=tuple(read_terms(pod_affinity[_REQUIRED], "affinity.podAffinity", doubts)),
        pod_anti_affinity=tuple(read_terms(anti_affinity[_REQUIRED], "affinity.podAntiAffinity", doubts)),
        preferred_pod_affinity=tuple(
            read_term(element["podAffinityTerm"]) for element in pod_affinity[_PREFERRED].elements() if element.mapping
        ),
        preferred_node_affinity=tuple(
            read_node_selector_term(element["preference"])
            for element in node_affinity[_PREFERRED].elements()
            if element.mapping
        ),
        spread=tuple(read_spread(doubts.note("topologySpreadConstraints", spec["topologySpreadConstraints"]), doubts)),
        tolerations=read_tolerations(doubts.note("tolerations", spec["tolerations"])),
        overhead=read_quantities(doubts.note("overhead", spec["overhead"])),
        pod_requests=read_quantities(doubts.note("resources", spec.down("resources", "requests"))),
        pod_limits=read_quantities(doubts.note("resources", spec.down("resources", "limits"))),
        host_network=doubts.flag("hostNetwork", spec["hostNetwork"]),
        hostname=read_text(spec["hostname"]),
        subdomain=read_text(spec["subdomain"]),
        service_account=read_text(spec["serviceAccountName"]) or read_text(spec["serviceAccount"]),
        scheduler_name=doubts.text("schedulerName", spec["schedulerName"]),
        scheduling_gates=tuple(
            name for element in spec["schedulingGates"].elements() if (name := read_text(element["name"]))
        ),
        priority_class=read_text(spec["priorityClassName"]),
        runtime_class=read_text(spec["runtimeClassName"]),
        volumes=read_volumes(doubts.note("volumes", spec["volumes"])),
        resource_claims=tuple(
            PodResourceClaim(
                read_text(element["name"]),
                claim=read_text(element["resourceClaimName"]),
                template=read_text(element["resourceClaimTemplateName"]),
                at=element.at,
            )
            for element in spec["resourceClaims"].elements()
            if element.mapping
        ),
        undetermined=tuple(doubts.parts),
        deadline=spec["activeDeadlineSeconds"].present,
        dns_policy=read_text(spec["dnsPolicy"]),
        host_ipc=spec["hostIPC"].value is True,
        listening=_listening(spec.down("securityContext", "sysctls")),
        at=spec.at,
    )


def _listening(sysctls: Field) -> tuple[int, int] | None:
    """The range that ``net.ipv4.ip_local_port_range`` gives, if the pod sets it."""
    for each in sysctls.elements():
        if read_text(each["name"]).replace("/", ".") == "net.ipv4.ip_local_port_range":
            words = read_text(each["value"]).split()
            if (
                len(words) == 2
                and all(word.isdecimal() for word in words)
                and 0 < int(words[0]) <= int(words[1]) < 65536
            ):
                return int(words[0]), int(words[1])
    return None


def read_container(container: Field) -> Container:
    """The container at the cursor."""
    return _container(container, Doubts(), None)


def read_claims(claims: Field) -> Iterator[str]:
    """The entries of ``resources.claims``: the pod's name of the claim, and ``/request`` where one is named."""
    for claim in claims.elements():
        name, request = read_text(claim["name"]), read_text(claim["request"])
        if name:
            yield f"{name}/{request}" if request else name


def read_tolerations(tolerations: Field) -> tuple[Toleration, ...]:
    """A list of tolerations."""
    return tuple(
        Toleration(
            read_text(element["key"]),
            read_text(element["operator"]),
            read_text(element["value"]),
            read_text(element["effect"]),
            at=element.at,
        )
        for element in tolerations.elements()
        if element.mapping is not None
    )


def _containers(containers: Field, doubts: Doubts, user: int | None) -> Iterator[Container]:
    every = containers.elements()
    for element in islice(every, CONTAINERS):
        if element.mapping is not None:
            yield _container(element, doubts, user)
    if next(every, None) is not None:
        doubts.parts[UNREAD_CONTAINERS] = None


def _user(context: Field, inherited: int | None) -> int | None:
    """The user id that a security context asks for; -1 where it only says that it is not root."""
    number = context["runAsUser"].value
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    return -1 if context["runAsNonRoot"].value is True else inherited


def _container(container: Field, doubts: Doubts, user: int | None) -> Container:
    resources = doubts.note("containers.resources", container["resources"])
    context = container["securityContext"]
    return Container(
        name=read_text(container["name"]),
        image=read_text(container["image"]),
        command=_words(container["command"]),
        args=_words(container["args"]),
        env=tuple(_env(container["env"])),
        ports=tuple(_ports(doubts.note("containers.ports", container["ports"]), doubts)),
        requests=read_quantities(doubts.note("containers.resources", resources["requests"])),
        limits=read_quantities(doubts.note("containers.resources", resources["limits"])),
        restart_policy=read_text(container["restartPolicy"]),
        resource_claims=tuple(read_claims(resources["claims"])),
        mounts=tuple(
            Mount(read_text(each["name"]), read_text(each["mountPath"]), read_text(each["subPath"]), at=each.at)
            for each in container["volumeMounts"].elements()
            if each.mapping is not None
        ),
        privileged=context["privileged"].value is True,
        capabilities=frozenset(read_strings(context.down("capabilities", "add"))),
        user=_user(context, user),
        resources_at=resources.at,
        at=container.at,
    )


def _words(words: Field) -> tuple[Known[str], ...]:
    """The words of a command: placeholders in them are theirs (a shell expands ``${N}``), so they stay text."""
    return tuple(
        text if (text := word.scalar) is not None else Undetermined(Because(FieldGround.ELEMENT))
        for word in words.elements()
    )


def _env(env: Field) -> Iterator[EnvVar]:
    for element in env.elements():
        name = read_text(element["name"])
        if not name:
            continue
        if element["valueFrom"].present:
            yield EnvVar(name, _value_from(element["valueFrom"]), at=element.at)
        elif element["value"].present:
            yield EnvVar(name, known_text(element["value"]), at=element.at)
        else:
            yield EnvVar(name, "", at=element.at)


def _value_from(source: Field) -> Undetermined:
    for kind, what in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if source[kind].present:
            return Undetermined(
                Because(FieldGround.CONFIG_KEY, (what, read_text(source[kind]["name"]), read_text(source[kind]["key"])))
            )
    if source["fieldRef"].present:
        return Undetermined(Because(FieldGround.POD_FIELD, (read_text(source["fieldRef"]["fieldPath"]),)))
    if source["resourceFieldRef"].present:
        return Undetermined(Because(FieldGround.CONTAINER_FIELD, (read_text(source["resourceFieldRef"]["resource"]),)))
    return Undetermined(Because(FieldGround.NO_SOURCE))


def _ports(ports: Field, doubts: Doubts) -> Iterator[ContainerPort]:
    for element in ports.elements():
        if element.mapping is None:
            continue
        yield ContainerPort(
            doubts.number("containers.ports", element["containerPort"]),
            read_text(element["name"]),
            doubts.text("containers.ports", element["protocol"]) or "TCP",
            doubts.number("containers.ports", element["hostPort"]),
            doubts.text("containers.ports", element["hostIP"]),
        )
