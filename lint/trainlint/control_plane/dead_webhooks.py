"""Webhooks that fail closed and lead nowhere: their Service has no such port, or no pods."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from trainlint.control_plane.ground import ControlPlaneGround
from trainlint.control_plane.need import Names
from trainlint.control_plane.webhooks import guarded_by
from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.values import is_placeholder
from trainlint.kube.webhooks import WEBHOOK_KINDS, Webhook, read_webhooks
from trainlint.model.because import Because
from trainlint.model.workload import ObjectRef, PodSet, Service, ServicePort

__all__ = ["DeadEnd", "DeadWebhook", "dead_webhooks"]


class DeadEnd(Enum):
    """Why a call of a webhook ends nowhere."""

    NO_PORT = auto()  # the Service has no such port
    NO_NAMED_PORT = auto()  # no container of the pods declares the port's name
    SCALED_DOWN = auto()  # the pods have no replicas
    OTHER_LABEL = auto()  # the pods that listen on the port have another label


@fact
class DeadWebhook:
    """A webhook that cannot be called; ``detail`` is the port or label, ``pods`` are those that were meant."""

    webhook: Webhook
    owners: tuple[ObjectRef, ...]
    why: DeadEnd
    detail: str
    at: Location
    pods: PodSet | None = None

    @property
    def assumes(self) -> Because | None:
        """What is taken for granted: of pods, that none beside those in Git answer; ``None`` for the Service itself."""
        return None if self.why is DeadEnd.NO_PORT else Because(ControlPlaneGround.PODS_IN_GIT)


def dead_webhooks(names: Names) -> Iterator[DeadWebhook]:
    """Those that guard workloads in Git, and whose Service is in Git too."""
    for item in names.snapshot.objects:
        if item.meta.kind not in WEBHOOK_KINDS:
            continue
        for webhook in read_webhooks(item.field):
            service = names.service(*webhook.service)
            if not webhook.closed or webhook.conditional or service is None or not service.selector:
                continue
            if any(is_placeholder(text) for pair in service.selector.items() for text in pair):
                continue
            found = _dead(names, webhook, service)
            if found is not None and (owners := tuple(each.owner for each in guarded_by(names, webhook))):
                why, detail, pods = found
                yield DeadWebhook(webhook, owners, why, detail, service.at or webhook.at, pods)


def _dead(names: Names, webhook: Webhook, service: Service) -> tuple[DeadEnd, str, PodSet | None] | None:
    port = next((each for each in service.ports if each.number == webhook.port), None)
    if port is None:
        return (DeadEnd.NO_PORT, str(webhook.port), None) if service.ports else None
    selected = names.selected(service)
    if not selected:
        return _mislabelled(names, service, port)
    if all(pods.replicas == 0 and not pods.max_replicas for pods in selected):
        return DeadEnd.SCALED_DOWN, "", selected[0]
    if isinstance(port.target, str) and not any(_listens(pods, port) for pods in selected):
        return DeadEnd.NO_NAMED_PORT, port.target, selected[0]
    return None


def _listens(pods: PodSet, port: ServicePort) -> bool:
    """Whether a container of the pods declares the port that the Service's leads to."""
    target = port.number if port.target is None else port.target
    containers = (*pods.spec.containers, *pods.spec.init_containers)
    return any(target in {each.number, each.name} for container in containers for each in container.ports)


def _mislabelled(names: Names, service: Service, port: ServicePort) -> tuple[DeadEnd, str, PodSet | None] | None:
    """The pods of the namespace that listen on the port and have all labels of the selector but one."""
    wanted = service.selector or {}
    for pods in names.pod_sets:
        if pods.namespace != service.ref.namespace or not _listens(pods, port):
            continue
        missed = [(key, value) for key, value in wanted.items() if pods.labels.get(key) != value]
        if len(missed) == 1:
            key, value = missed[0]
            has = pods.labels.get(key)
            if has is None or isinstance(has, str):
                return DeadEnd.OTHER_LABEL, f"{key}: {value}", pods
    return None
