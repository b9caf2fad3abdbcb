"""KubeRay's operator and the head that it asks, and the head and its external store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.control_plane.need import Names, Need, Purpose
from trainlint.kube.values import is_placeholder, read_text
from trainlint.launch.addresses import addresses_in
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.kinds import kind_of

__all__ = ["ray_needs"]

_OPERATOR: Final = ("kuberay/operator", "kuberay-operator")
_DASHBOARD, _SERVE, _REDIS = 8265, 8000, 6379


def ray_needs(names: Names) -> Iterator[Need]:
    """The connections of every Ray cluster in Git that its workers do not open."""
    operators = list(names.running(_OPERATOR))
    for workload in names.workloads:
        kind = kind_of(workload)
        yield from _submitted(names, workload)
        head = next((each for each in workload.pod_sets if each.role == "head"), None)
        if kind is None or kind.group != "ray.io" or head is None or head.replicas == 0:
            continue
        spec = workload.field.down(*kind.roles)
        yield from _store(names, workload, head, spec)
        for operator in operators:
            yield from _asked(names, workload, head, spec, operator)


def _asked(names: Names, workload: Workload, head: PodSet, spec: Field, operator: PodSet) -> Iterator[Need]:
    """What the operator asks the head: the state of a RayJob or of Serve, and the health of Serve's proxy."""
    kind = workload.owner.kind
    wanted: list[tuple[int, Purpose, bool]] = []
    mode = read_text(workload.field["spec"]["submissionMode"])
    if kind in {"RayJob", "RayCronJob", "RayService"} and mode != "None":
        purpose = Purpose.JOB_STATE if kind != "RayService" else Purpose.APPLICATION_STATE
        parameter = read_text(spec.down("headGroupSpec", "rayStartParams", "dashboard-port"))
        default = int(parameter) if parameter.isdecimal() and len(parameter) < 6 else _DASHBOARD
        # Else a pod of its own submits the work, which then runs although the operator does not see it.
        submits = kind == "RayService" or mode == "HTTPMode"
        wanted.append((_declared(head, "dashboard", default), purpose, submits))
    excluded = workload.field["spec"]["excludeHeadPodFromServeSvc"].value is True
    if kind == "RayService" and not excluded:
        wanted.append((_declared(head, "serve", _SERVE), Purpose.SERVE_PROBE, False))
    for port, purpose, fatal in wanted:
        yield Need(
            source=f"{operator.namespace}/{operator.name}",
            sources=(names.end(operator),),
            target=head,
            port=port,
            purpose=purpose,
            at=workload.field.at,
            owners=(workload.owner,),
            caller=operator,
            fatal=fatal,
        )


def _submitted(names: Names, workload: Workload) -> Iterator[Need]:
    """The pod that sends a RayJob to a cluster that is there already; to one of its own it is a flow of the group."""
    chosen = read_text(workload.field.down("spec", "clusterSelector", "ray.io/cluster"))
    submitter = next((each for each in workload.pod_sets if each.role == "submitter"), None)
    if workload.owner.kind != "RayJob" or not chosen or submitter is None:
        return
    for other in names.workloads:
        if (other.owner.kind, other.owner.namespace, other.owner.name) != (
            "RayCluster",
            workload.owner.namespace,
            chosen,
        ):
            continue
        for head in other.pod_sets[:1]:
            written = read_text(other.field.down("spec", "headGroupSpec", "rayStartParams", "dashboard-port"))
            default = int(written) if written.isdecimal() and len(written) < 6 else _DASHBOARD
            yield Need(
                source=f"{submitter.namespace}/{submitter.name}",
                sources=(names.end(submitter),),
                target=head,
                port=_declared(head, "dashboard", default),
                purpose=Purpose.SUBMISSION,
                at=workload.field.at,
                owners=(workload.owner,),
                caller=submitter,
                fatal=True,
            )


def _declared(head: PodSet, name: str, default: int) -> int:
    """The port that the head's container declares under a name."""
    ports = [port for container in head.spec.containers[:1] for port in container.ports]
    return next((port.number for port in ports if port.name == name), default)


def _store(names: Names, workload: Workload, head: PodSet, spec: Field) -> Iterator[Need]:
    """The Redis that keeps the state of the head's control store."""
    written = spec.down("gcsFaultToleranceOptions", "redisAddress")
    text = read_text(written)
    if not text or is_placeholder(text):
        return
    for address in addresses_in(text, written.at, "redisAddress", _REDIS):
        for pods, port in names.at_address(address, workload.owner.namespace):
            yield Need(
                source=f"{head.namespace}/{head.name}",
                sources=(names.end(head),),
                target=pods,
                port=port,
                purpose=Purpose.RAY_STORE,
                named="gcsFaultToleranceOptions.redisAddress",
                value=text,
                at=written.at,
                owners=(workload.owner,),
                caller=head,
                fatal=True,
            )
