"""The API server and the webhooks that it calls when the objects of a job are created."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.control_plane.ground import ControlPlaneGround
from trainlint.control_plane.need import Names, Need, Purpose
from trainlint.kube.webhooks import WEBHOOK_KINDS, Webhook, read_webhooks
from trainlint.model.because import Because
from trainlint.model.known import Known
from trainlint.model.namespace import METADATA_NAME
from trainlint.model.selector import LabelSelector
from trainlint.model.workload import Workload
from trainlint.policy import entity
from trainlint.policy.identity import Endpoint, pod_endpoint
from trainlint.policy.labels import pod_label_filter
from trainlint.policy.options import cilium_options
from trainlint.scheduling.requirement import selector_matches

__all__ = ["API_SERVER", "guarded_by", "webhook_needs"]

API_SERVER: Final = "the API server"
_TUNNELS: Final = ({"k8s-app": "konnectivity-agent"}, {"app": "konnectivity-agent"})
"""Pods through which the API servers of some platforms call Services of the cluster."""


def webhook_needs(names: Names) -> Iterator[Need]:
    """The calls without which no object of some workload is created: the webhook guards its kind, or its pods."""
    for item in names.snapshot.objects:
        if item.meta.kind not in WEBHOOK_KINDS:
            continue
        for webhook in read_webhooks(item.field):
            if webhook.closed and not webhook.conditional:
                yield from _calls(names, webhook)


def _calls(names: Names, webhook: Webhook) -> Iterator[Need]:
    guarded = guarded_by(names, webhook)
    if not guarded:
        return
    owners = tuple(each.owner for each in guarded)
    for pods, port in names.behind(*webhook.service, webhook.port):
        if any(each.pod_sets and each.pod_sets[0].owner == pods.owner for each in guarded):
            continue  # a webhook that guards its own pods is another problem
        yield Need(
            source=API_SERVER,
            sources=_api_server(names),
            target=pods,
            port=port,
            purpose=Purpose.WEBHOOK,
            named=webhook.name,
            at=webhook.at,
            owners=owners,
            assumes=Because(ControlPlaneGround.API_SERVER_ELSEWHERE),
            fatal=True,
        )


def guarded_by(names: Names, webhook: Webhook) -> list[Workload]:
    """The workloads of which the objects, or the pods, are surely not created without the webhook."""
    return [each for each in names.workloads if _guards(names, webhook, each)]


def _guards(names: Names, webhook: Webhook, workload: Workload) -> bool:
    """Whether creating the object, or all of its pods, surely calls the webhook."""
    if not names.training(workload):
        return False
    if workload.pod_sets and any(rule.covers("", "pods") for rule in webhook.rules):
        selected = [
            (webhook.objects is None or selector_matches(webhook.objects, pods.labels) is True)
            and _selects(names, webhook.namespaces, pods.namespace)
            for pods in workload.pod_sets
        ]
        if all(selected):
            return True
    group = workload.api_version.rpartition("/")[0]
    kind = workload.owner.kind.partition(".")[0]
    if not any(rule.covers(group, f"{kind.lower()}s") for rule in webhook.rules):
        return False
    labels: dict[str, Known[str]] = {
        key: text for key, value in workload.field.down("metadata", "labels").items() if (text := value.scalar)
    }
    if webhook.objects is not None and selector_matches(webhook.objects, labels) is not True:
        return False
    return _selects(names, webhook.namespaces, workload.owner.namespace)


def _selects(names: Names, selector: LabelSelector | None, namespace: str) -> bool:
    if selector is None or not selector.requirements:
        return True
    labels = names.snapshot.namespaces.get(namespace)
    if labels is None:
        keys = {each.key for each in selector.requirements}
        return keys == {METADATA_NAME} and selector_matches(selector, {METADATA_NAME: namespace}) is True
    return selector_matches(selector, labels) is True


def _api_server(names: Names) -> tuple[Endpoint, ...]:
    """What policies may see of the API server: another node, an address outside, or the pods of a tunnel."""
    snapshot = names.snapshot
    options = cilium_options(snapshot.settings.cni)
    tunnels = (
        pod_endpoint(
            API_SERVER,
            "kube-system",
            labels,
            namespace_labels=snapshot.namespaces.get("kube-system"),
            service_account="",
            options=options,
            label_filter=pod_label_filter(options),
        )
        for labels in _TUNNELS
    )
    return (entity("kube-apiserver", snapshot.settings), entity("world", snapshot.settings), *tunnels)
