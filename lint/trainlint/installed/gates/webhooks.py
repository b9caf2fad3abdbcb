"""Webhooks: which of them may refuse or change an object in a way that is not read elsewhere."""

from __future__ import annotations

from typing import Final

from trainlint.installed.gates.arrival import Arrival
from trainlint.installed.gates.known_software import is_followed
from trainlint.installed.gates.match import all_of, matches_rules, selects_labels, selects_namespace
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_text
from trainlint.model.namespace import Namespaces
from trainlint.source.document import Field

__all__ = ["matches_webhook"]

_SCAFFOLD: Final = ("system", "webhook-service")
"""The Service in the webhooks that controller-gen writes: a base that an overlay of the operator itself changes."""


def matches_webhook(meta: Meta, webhook: Field, namespaces: Namespaces, arrival: Arrival) -> bool | None:
    """Whether a webhook may be called for the creation of an object, and is none that is followed; ``None`` where that
    is not known, as it is with conditions (CEL).
    """
    matched = all_of(
        (
            matches_rules(webhook["rules"], arrival),
            None if webhook["matchConditions"].value else True,
            selects_labels(webhook["objectSelector"], arrival),
            selects_namespace(webhook["namespaceSelector"], arrival, namespaces),
        )
    )
    return False if matched is False or _is_base(webhook) or is_followed(meta, webhook) else matched


def _is_base(webhook: Field) -> bool:
    service = webhook.down("clientConfig", "service")
    return (read_text(service["namespace"]), read_text(service["name"])) == _SCAFFOLD
