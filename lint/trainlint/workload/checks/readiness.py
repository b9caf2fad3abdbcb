"""Pods that have a name only when they are ready, and are ready only when others found them by it (W 1.8)."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.finding import Certainty, Fix, Put
from trainlint.kube.values import read_text
from trainlint.model.workload import Service
from trainlint.source.document import Field
from trainlint.workload.checks.host_name_fault import LateNames
from trainlint.workload.checks.used_name import UsedName, described
from trainlint.workload.pod_manifest import containers_of

__all__ = ["not_ready"]


def not_ready(name: UsedName, service: Service) -> LateNames | None:
    """The fault of pods that must be ready before they have a name, and that only become ready when all have met (W
    1.8); ``None`` where they need not be.
    """
    if service.publish_not_ready or service.generated or not name.address.rendezvous or service.at is None:
        return None
    for container in containers_of(name.workload, name.target):
        probe = container["readinessProbe"]
        if probe.mapping is not None and not _listens(probe, name.address.port, container):
            at = service.at.child("spec", "publishNotReadyAddresses")
            return LateNames(
                at,
                *described(name),
                probe.at,
                certainty=Certainty.LIKELY,
                fixes=(Fix(f"let {name.service} name pods that are not ready yet", (Put(at, value=True),)),),
            )
    return None


def _listens(probe: Field, port: int | None, container: Field) -> bool:
    """Whether the probe only asks for the port where ranks meet, which opens before they do."""
    asked = probe.down("tcpSocket", "port")
    if not asked.present:
        return False
    numbers: Mapping[str, str] = {
        read_text(each["name"]): read_text(each["containerPort"]) for each in container["ports"].elements()
    }
    text = read_text(asked)
    return numbers.get(text, text) == str(port)
