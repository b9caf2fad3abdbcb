"""The software whose webhooks are followed, and which webhooks are theirs.

A name alone says little: a company calls its own webhook after the software that it watches over. So the name of the
webhook and the Service that it calls have to be those of one operator, and one thing more: the name of the object that
holds it, which is unique in a cluster, the operator's labels, its namespace, or that only its own kinds are guarded.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

from trainlint.kube.kueue import KUEUE
from trainlint.kube.mesh import MESHES
from trainlint.kube.meta import Meta
from trainlint.kube.scheduler_queue import KAI
from trainlint.kube.values import read_strings, read_text
from trainlint.model.operator import Operator
from trainlint.source.document import Field
from trainlint.workload.kinds import OPERATORS, WORKLOADS

__all__ = ["FOLLOWED", "is_followed"]

_ENGINES: Final = (
    Operator(
        "Gatekeeper",
        webhooks=("*.gatekeeper.sh",),
        configurations=("gatekeeper-mutating-webhook-configuration", "gatekeeper-validating-webhook-configuration"),
        services=("gatekeeper-webhook-service",),
        namespace="gatekeeper-system",
        labels=(("gatekeeper.sh/system", "yes"),),
    ),
    Operator(
        "Kyverno",
        webhooks=("*.kyverno.svc*",),
        configurations=("kyverno-*-webhook-cfg",),
        services=("kyverno-svc", "*kyverno*-svc"),
        namespace="kyverno",
        labels=(("webhook.kyverno.io/managed-by", "kyverno"),),
    ),
)
"""Their verdicts come from policies, each of which is looked at by itself."""

_APART: Final = (
    Operator(
        "Katib",
        webhooks=("*.katib.kubeflow.org",),
        configurations=("katib.kubeflow.org",),
        services=("katib-controller",),
        namespace="kubeflow",
    ),
    Operator(
        "OpenTelemetry Operator",
        webhooks=("[mv]*.kb.io",),
        configurations=(
            "opentelemetry-operator-mutating-webhook-configuration",
            "opentelemetry-operator-validating-webhook-configuration",
        ),
        services=("opentelemetry-operator-webhook-service", "*opentelemetry-operator*-webhook"),
        namespace="opentelemetry-operator-system",
        labels=(("app.kubernetes.io/name", "opentelemetry-operator"),),
    ),
    Operator(
        "EKS Pod Identity Webhook",
        webhooks=("pod-identity-webhook.amazonaws.com",),
        configurations=("pod-identity-webhook",),
        services=("pod-identity-webhook",),
        namespace="kube-system",
    ),
    Operator(
        "Vault Agent Injector",
        webhooks=("vault.hashicorp.com",),
        configurations=("vault-agent-injector-cfg",),
        services=("vault-agent-injector-svc", "*-agent-injector-svc"),
        namespace="vault",
        labels=(("app.kubernetes.io/name", "vault-agent-injector"),),
    ),
)
"""They refuse no pod, and add to pods that ask for it (pods of Katib's trials, telemetry, tokens, secrets)."""

FOLLOWED: Final = (*OPERATORS, KUEUE, KAI, *MESHES, *_ENGINES, *_APART)
"""What they do with the objects of a group is read elsewhere: kinds that they guard, queues, meshes, policies."""


def is_followed(meta: Meta, webhook: Field) -> bool:
    """Whether a webhook of a configuration is one of an operator that is followed."""
    name = read_text(webhook["name"])
    service = webhook.down("clientConfig", "service")
    called, namespace = read_text(service["name"]), read_text(service["namespace"])
    return any(
        _fits(each.webhooks, name)
        and _fits(each.services, called)
        and (
            _fits(each.configurations, meta.name)
            or any(meta.labels.get(key) == value for key, value in each.labels)
            or (called == each.services[0] and (namespace == each.namespace or _guards_its_own(each, webhook)))
        )
        for each in FOLLOWED
    )


def _guards_its_own(operator: Operator, webhook: Field) -> bool:
    """Whether the webhook is called for kinds of the operator's API groups alone."""
    own = {each.group for each in WORKLOADS if each.operator == operator and each.group}
    groups = {each for rule in webhook["rules"].elements() for each in read_strings(rule["apiGroups"])}
    return bool(groups) and groups <= own


def _fits(patterns: Iterable[str], name: str) -> bool:
    return any(fnmatchcase(name, each) for each in patterns)
