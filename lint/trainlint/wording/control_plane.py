"""Connections around the ranks in words: what they are needed for, and what happens without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.control_plane.dead_webhooks import DeadEnd, DeadWebhook
from trainlint.control_plane.mesh_denials import MeshDenial, MeshReason
from trainlint.control_plane.need import Need, Purpose
from trainlint.model.workload import ObjectRef

__all__ = [
    "breaks_mesh",
    "breaks_need",
    "dead_end_remedy",
    "dead_end_text",
    "mesh_remedy",
    "not_created",
    "refused_by_mesh",
    "why_mesh",
    "why_needed",
]

_WHY: Final = {
    Purpose.WEBHOOK: "webhook {0.named} is called for it and fails closed",
    Purpose.JOB_STATE: "it asks the head's dashboard for the state of the job ({0.port})",
    Purpose.APPLICATION_STATE: "it asks the head's dashboard for the state of its applications ({0.port})",
    Purpose.SERVE_PROBE: "it probes Serve's proxy on the head ({0.port})",
    Purpose.RAY_STORE: "{0.named} is {0.value}",
    Purpose.SUBMISSION: "it sends the job to the head's dashboard ({0.port})",
    Purpose.AUTOSCALER: "enableInTreeAutoscaling starts the autoscaler beside the head, which asks the API server",
    Purpose.REMOTE_SHELL: "the launcher starts the ranks by kubectl exec, through the API server",
}
_BREAKS: Final = {
    Purpose.JOB_STATE: "{} never advances",
    Purpose.APPLICATION_STATE: "{} never advances",
    Purpose.SERVE_PROBE: "the head of {} never counts as ready to serve",
    Purpose.RAY_STORE: "the head of {} does not start",
    Purpose.SUBMISSION: "{} is never submitted",
    Purpose.AUTOSCALER: "the autoscaler of {} adds no workers",
    Purpose.REMOTE_SHELL: "the launcher of {} starts no ranks",
    Purpose.URL: "{} does not read or write there",
    Purpose.ENGINE: "{} sees nothing of the accelerators",
}


def why_needed(need: Need) -> str:
    """What completes "needed because"."""
    if need.purpose in {Purpose.ENGINE, Purpose.URL}:
        return f"{need.named or 'its command'} is {need.value}"
    return _WHY[need.purpose].format(need)


def breaks_need(need: Need) -> str:
    """What happens without the connection."""
    if need.purpose is Purpose.WEBHOOK:
        return not_created(need.owners)
    return _BREAKS[need.purpose].format(need.owners[0])


def not_created(owners: Sequence[ObjectRef]) -> str:
    """What does not come to be as a webhook cannot be called."""
    more = f" and {len(owners) - 1} more" if len(owners) > 1 else ""
    return f"{owners[0]}{more} cannot be created"


def dead_end_text(dead: DeadWebhook) -> str:
    """Why a webhook leads nowhere."""
    pods = f"{dead.pods.namespace}/{dead.pods.name}" if dead.pods is not None else ""
    return _DEAD_ENDS[dead.why].format(service="/".join(dead.webhook.service), detail=dead.detail, pods=pods)


def dead_end_remedy(dead: DeadWebhook) -> str:
    """What a reviewer would change."""
    pods = f"{dead.pods.namespace}/{dead.pods.name}" if dead.pods is not None else ""
    return _REVIVALS[dead.why].format(service="/".join(dead.webhook.service), detail=dead.detail, pods=pods)


def why_mesh(denial: MeshDenial) -> str:
    """What the connection that a mesh refuses is needed for."""
    return why_needed(denial.needed) if isinstance(denial.needed, Need) else denial.needed.why


def breaks_mesh(denial: MeshDenial) -> str:
    """What happens as a mesh refuses the connection."""
    return breaks_need(denial.needed) if isinstance(denial.needed, Need) else f"group {denial.group} never starts"


def refused_by_mesh(denial: MeshDenial) -> str:
    """What the mesh does to the connection: a sentence without its end."""
    target, source = f"{denial.target.namespace}/{denial.target.name}", denial.source
    return _REFUSED[denial.reason].format(by=denial.by, target=target, source=source, port=denial.port) + (
        f" ({source} has no proxy, so no identity)" if denial.plain and denial.reason in _BY_IDENTITY else ""
    )


def mesh_remedy(denial: MeshDenial) -> str:
    """What a reviewer would change."""
    target = f"{denial.target.namespace}/{denial.target.name}"
    if denial.reason is not MeshReason.STRICT:
        return _REMEDIES[denial.reason].format(source=denial.source, target=target, port=denial.port)
    if denial.ambient:
        return (
            f"take plain connections on this port: a PeerAuthentication with a selector for the pods of {target} and "
            f"portLevelMtls: {{{denial.port}: {{mode: PERMISSIVE}}}}"
        )
    return (
        f"take the port out of the proxy's reach: annotate the pods of {target} with "
        f'traffic.sidecar.istio.io/excludeInboundPorts: "{denial.port}"'
    )


_DEAD_ENDS: Final = {
    DeadEnd.NO_PORT: "Service {service} has no port {detail}",
    DeadEnd.NO_NAMED_PORT: "no container of {pods} declares the port {detail} that Service {service} leads to",
    DeadEnd.SCALED_DOWN: "{pods}, the pods behind Service {service}, are scaled to 0",
    DeadEnd.OTHER_LABEL: "Service {service} selects no pods: it asks for {detail}, which {pods} does not have",
}
_REVIVALS: Final = {
    DeadEnd.NO_PORT: "name a port of Service {service} in the webhook's clientConfig, or add port {detail} to it",
    DeadEnd.NO_NAMED_PORT: "name the container's port {detail}, or let targetPort be its number",
    DeadEnd.SCALED_DOWN: "run {pods} with a replica, or take the webhook out",
    DeadEnd.OTHER_LABEL: "select a label that {pods} has",
}
_BY_IDENTITY: Final = {MeshReason.NOT_ALLOWED, MeshReason.NOT_AUTHORIZED}
_REFUSED: Final = {
    MeshReason.STRICT: "{by} requires mutual TLS (STRICT) of {target}, and {source} has no proxy: its connections to "
    "TCP port {port} are refused",
    MeshReason.NO_RULES: "{by} (ALLOW) has no rules: the mesh refuses every connection to {target}, so that of "
    "{source} to TCP port {port} too",
    MeshReason.NOT_ALLOWED: "no rule of {by} (ALLOW) matches: the mesh refuses connections of {source} to {target} on "
    "TCP port {port}",
    MeshReason.DENIED: "a rule of {by} (DENY) matches: the mesh refuses connections of {source} to {target} on TCP "
    "port {port}",
    MeshReason.NO_AUTHORIZATION: "{by} stands before {target}, and nothing is authorized to it: the mesh refuses "
    "connections of {source} to TCP port {port}",
    MeshReason.NOT_AUTHORIZED: "{by} stands before {target}, and only callers in the mesh are authorized to it: "
    "connections of {source} to TCP port {port} are refused",
}
_REMEDIES: Final = {
    MeshReason.NO_RULES: "add a rule that admits {source} to TCP port {port} of {target}",
    MeshReason.NOT_ALLOWED: "add a rule that admits {source} to TCP port {port} of {target}",
    MeshReason.DENIED: "narrow the rule so that it does not match {source} on TCP port {port} of {target}",
    MeshReason.NO_AUTHORIZATION: "add an AuthorizationPolicy for {source} with this Server as its targetRef",
    MeshReason.NOT_AUTHORIZED: "authorize {source} by its network (NetworkAuthentication), or give it a proxy",
}
