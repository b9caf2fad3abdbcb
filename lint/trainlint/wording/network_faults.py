"""Faults of networks and of the images of ranks, in words."""

from __future__ import annotations

from trainlint.fabric.checks.attachments import MissingDevices, MissingGkeNetwork, MissingNetwork
from trainlint.fabric.checks.interfaces import GLOO, GlooItem, GlooProblem
from trainlint.fabric.checks.some_roles import MissingDevice, UnequalCounts
from trainlint.fabric.checks.versions import MixedVersions, RoleRelease

__all__ = ["NetworkCause", "network_text"]

NetworkCause = (
    GlooItem | MissingDevice | UnequalCounts | MixedVersions | MissingNetwork | MissingGkeNetwork | MissingDevices
)


def network_text(cause: NetworkCause) -> str:
    """What is wrong, as a sentence without its end."""
    match cause:
        case GlooItem():
            return _gloo(cause)
        case MixedVersions():
            first, second = _release(cause.first, "has "), _release(cause.second, "")
            return (
                f"the ranks of {cause.group} run different releases of {cause.library}: {first}, {second}; NCCL "
                "refuses unequal releases since 2.23, and hangs before"
            )
        case MissingDevice():
            return (
                f"the ranks of {cause.group} have different networks: {cause.having[0]} asks for {cause.resource}, "
                f"{', '.join(cause.lacking)} for no such device, so that NCCL cannot use it between them, falls back "
                "to TCP or hangs"
            )
        case UnequalCounts():
            return (
                f"the ranks of {cause.group} have unequal networks: {cause.one} asks for {cause.few} {cause.resource}, "
                f"{cause.other} for {cause.many}"
            )
        case MissingNetwork() | MissingGkeNetwork() | MissingDevices():
            return _attachment(cause)


def _gloo(cause: GlooItem) -> str:
    match cause.why:
        case GlooProblem.EMPTY:
            why = "an empty item raises"
        case GlooProblem.GRAMMAR:
            why = "Gloo knows exact names only: no prefix, no ^, no =, no blanks"
        case GlooProblem.ABSENT:
            why = f"its pods have {', '.join(cause.interfaces)}"
    named = repr(cause.item or "an empty item")
    return (
        f"{GLOO}={cause.value} names {named}, which is no interface of {cause.pods} ({why}): creating a Gloo group "
        "raises"
    )


def _release(role: RoleRelease, has: str) -> str:
    return f"{role.pods} {has}{role.release} ({role.image})"


def _attachment(cause: MissingNetwork | MissingGkeNetwork | MissingDevices) -> str:
    match cause:
        case MissingNetwork():
            return (
                f"the pods of {cause.pods} ask for the network {cause.network}, which the namespace {cause.namespace} "
                "does not define: Multus cannot attach it, and they stay in ContainerCreating"
            )
        case MissingGkeNetwork():
            return (
                f"the pods of {cause.pods} ask for the network {cause.network} on {cause.interface}, and there is no "
                f"Network of that name (there are {', '.join(cause.known)} and default): they stay in "
                "ContainerCreating"
            )
        case MissingDevices(attachments=count):
            some = f"only {cause.requested}" if cause.requested else "none"
            return (
                f"the pods of {cause.pods} attach {count} network{'s' if count > 1 else ''} that take a "
                f"{cause.resource} each, and ask for {some}: the attachment fails, and they stay in ContainerCreating"
            )
