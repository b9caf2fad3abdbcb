"""Webhooks: which of them may refuse or change an object in a way that is not read elsewhere."""

from __future__ import annotations

import re
from typing import Final

from trainlint.installed.gates.arrival import Arrival
from trainlint.installed.gates.match import all_of, matches_rules, selects_labels, selects_namespace
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_strings, read_text
from trainlint.model.namespace import Namespaces
from trainlint.source.document import Field

__all__ = ["is_followed", "matches_webhook"]

_READ: Final = (
    "consul",
    "istiod?",
    "jobset",
    "kai-admission",
    "kuberay",
    "kueue",
    "kuma",
    "leaderworkerset",
    "linkerd",
)
_READ_TOO: Final = ("lws", "mpi-operator", "sidecar-injector", "trainer", "training-operator", "volcano")
"""What they do with the objects of a group is read elsewhere: by the kinds that they guard, queues and meshes."""
_ENGINES: Final = ("gatekeeper", "kyverno")
"""Their verdicts come from policies, each of which is looked at by itself."""
_APART: Final = ("agent-injector", "cert-manager", "katib", "opentelemetry-operator", "pod-identity-webhook")
"""They refuse no pod, and add to pods that ask for it (secrets, pods of Katib's trials, tokens, telemetry)."""
_FOLLOWED: Final = re.compile(rf"(?:^|[./_-])(?:{'|'.join((*_READ, *_READ_TOO, *_ENGINES, *_APART))})(?![a-z])")
_LABELS: Final = ("app", "app.kubernetes.io/name", "app.kubernetes.io/part-of")
_SCAFFOLD: Final = ("system", "webhook-service")
"""The Service in the webhooks that controller-gen writes: a base that an overlay of the operator itself changes."""


def is_followed(meta: Meta, *names: str) -> bool:
    """Whether names and labels say that an object belongs to software whose effect is read elsewhere."""
    labels = (meta.labels.get(each, "") for each in _LABELS)
    return any(_FOLLOWED.search(each) for each in (meta.name, *names, *labels))


def matches_webhook(meta: Meta, webhook: Field, namespaces: Namespaces, arrival: Arrival) -> bool | None:
    """Whether a webhook may be called for the creation of an object, and is none that is followed. Whether its
    conditions (CEL) hold is not known.
    """
    service = webhook.down("clientConfig", "service")
    place = (read_text(service["namespace"]), read_text(service["name"]))
    if place == _SCAFFOLD or is_followed(meta, read_text(webhook["name"]), *place) or _guards_its_own(webhook, arrival):
        return False
    return all_of(
        (
            matches_rules(webhook["rules"], arrival),
            None if webhook["matchConditions"].value else True,
            selects_labels(webhook["objectSelector"], arrival),
            selects_namespace(webhook["namespaceSelector"], arrival, namespaces),
        )
    )


def _guards_its_own(webhook: Field, arrival: Arrival) -> bool:
    """Whether it is the operator's own webhook for its kind: ``vrayjob.kb.io``, which controller-gen names."""
    named = re.fullmatch(r"[vmd]([a-z]+)(?:-v\d\w*)?\.kb\.io", read_text(webhook["name"]))
    groups = {each for rule in webhook["rules"].elements() for each in read_strings(rule["apiGroups"])}
    return named is not None and named[1] == arrival.kind.lower() and groups == {arrival.group} and "." in arrival.group
