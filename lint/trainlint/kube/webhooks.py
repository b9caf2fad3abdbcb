"""Admission webhooks: what they are called for, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_int, read_strings, read_text
from trainlint.model.api_kind import declared, names
from trainlint.model.selector import LabelSelector
from trainlint.source.document import Field

__all__ = ["KINDS", "WEBHOOK_KINDS", "Webhook", "WebhookRule", "read_webhooks"]

KINDS: Final = declared(
    "admissionregistration.k8s.io", cluster="MutatingWebhookConfiguration ValidatingWebhookConfiguration"
)
WEBHOOK_KINDS: Final = names(KINDS)
_HTTPS: Final = 443


@fact
class WebhookRule:
    """Objects by API group and plural name; ``*`` is any."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]

    def covers(self, group: str, resource: str) -> bool:
        """Whether creating such an object calls the webhook."""
        return bool({group, "*"} & set(self.groups)) and bool({resource, "*", "*/*"} & set(self.resources))


@fact
class Webhook:
    """A webhook that is a Service of the cluster and is called when objects are created.

    ``closed`` says that creation fails where it cannot be called; ``conditional`` that expressions decide too.
    """

    name: str
    service: tuple[str, str]
    port: int
    rules: tuple[WebhookRule, ...]
    closed: bool
    conditional: bool
    namespaces: LabelSelector | None
    objects: LabelSelector | None
    at: Location


def read_webhooks(item: Field) -> Iterator[Webhook]:
    """The webhooks of a configuration that are Services; those of a URL are outside the cluster."""
    meta = read_meta(item)
    for each in item["webhooks"].elements():
        service = each.down("clientConfig", "service")
        port = read_int(service["port"], _HTTPS)
        if service.mapping is None or not isinstance(port, int):
            continue
        rules = tuple(
            WebhookRule(read_strings(rule["apiGroups"]), read_strings(rule["resources"]))
            for rule in each["rules"].elements()
            if {"CREATE", "*"} & set(read_strings(rule["operations"]))
        )
        yield Webhook(
            name=f"{meta.name}/{read_text(each['name'])}",
            service=(read_text(service["namespace"]), read_text(service["name"])),
            port=port,
            rules=rules,
            closed=(read_text(each["failurePolicy"]) or "Fail") == "Fail",
            conditional=bool(each["matchConditions"].value),
            namespaces=read_label_selector(each["namespaceSelector"]),
            objects=read_label_selector(each["objectSelector"]),
            at=each.at,
        )
