"""Refutations that rest on an assumption about the network plugin: they hold only if it is as assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from trainlint.checks.ground import PluginGround
from trainlint.checks.policies import PolicyMistakes
from trainlint.model.because import Because
from trainlint.model.settings import Settings
from trainlint.model.workload import Group
from trainlint.policy import PolicySet
from trainlint.proof.cause import Cause, CutCause, FlowCause, ZoneCause, assuming
from trainlint.proof.group import GroupProof

__all__ = ["other_worlds", "with_assumptions"]

OLDER: Final = "1.18.6"
"""The last Cilium whose identities hold the labels of zones and regions (cilium/cilium#43725)."""
COPIES_ZONES: Final = "1.35"
"""From this Kubernetes on, pods have the zone of their node as a label."""


World = tuple[Because, Callable[[Group], GroupProof]]
"""What is assumed, and the proof of a group if it is otherwise."""


def with_assumptions(worlds: Callable[[], Iterable[World]], proof: GroupProof) -> GroupProof:
    """The proof with what its denials assume: what is not stated, and what would end them if it were otherwise.

    ``worlds`` are asked for where something is denied only.
    """
    if not any(_denies(each) for each in proof.causes):
        return proof
    causes = list(proof.causes)
    for assumed, prove in worlds():
        found = prove(proof.group)
        for index, cause in enumerate(causes):
            if _denies(cause) and not any(map(partial(_like, cause), found.causes)):
                causes[index] = assuming(cause, (assumed,))
    return replace(proof, causes=tuple(causes)) if tuple(causes) != proof.causes else proof


def other_worlds(
    settings: Settings, mistakes: PolicyMistakes, policies: PolicySet
) -> Iterator[tuple[Because, Settings]]:
    """What is assumed and bears on these policies, each with the settings under which it is otherwise."""
    cni = settings.cni
    if cni.name != "cilium":
        return
    dropped = mistakes.dropped_labels
    if dropped and not cni.version_stated:
        version = settings.kubernetes if settings.kubernetes_stated else COPIES_ZONES
        older = replace(settings, kubernetes=version, cni=replace(cni, version=OLDER))
        yield Because(PluginGround.CILIUM_VERSION, (cni.version,)), older
    if policies.dns.ordered:
        off = {**cni.options, "enable-local-redirect-policy": "false"}
        assumed = Because(PluginGround.LOCAL_REDIRECT, (policies.dns.by,))
        yield assumed, replace(settings, cni=replace(cni, options=off))


def _denies(cause: Cause) -> bool:
    return isinstance(cause, FlowCause | CutCause) or (isinstance(cause, ZoneCause) and _about_flows(cause))


def _about_flows(cause: ZoneCause) -> bool:
    return any(reason.flow is not None for reasons in cause.reasons.values() for reason in reasons)


def _like(cause: Cause, other: Cause) -> bool:
    """Whether another world has the cause too: the same connections, denied as well."""
    if isinstance(cause, FlowCause):
        denied = {id(flow) for each in [other] if isinstance(each, FlowCause) for flow, _ in each.flows}
        return {id(flow) for flow, _ in cause.flows} <= denied
    return type(cause) is type(other)
