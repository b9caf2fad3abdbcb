"""What policies would have to admit: proposals that are only ever shown.

The nearest rule is fixed. Where none is near, a policy that is about just these pods gets one more rule; else a small
policy of its own is written beside the job. What isolates a namespace, or isolates and admits nothing, stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trainlint.facts.facts import Facts
from trainlint.finding import Append, Edit, Fix, Safety
from trainlint.model.because import Because
from trainlint.model.policy import PolicyEntry, Verdict
from trainlint.model.workload import Flow, FlowKind, Group, PodSet
from trainlint.policy.ground import MissGround
from trainlint.policy.resolvers import ClusterDns
from trainlint.policy.shortfall import EntryPart
from trainlint.proof.near_miss import NearEntry
from trainlint.questions.written_policies import CILIUM, direction_list, is_default_deny, keys_of, own_policy, written
from trainlint.repairs.allowances import Allowance, lacking, members
from trainlint.repairs.corrected_values import port_added
from trainlint.repairs.own_policies import OwnPolicy, dns_policy, element, own_policies
from trainlint.repairs.revived_entries import revived

__all__ = ["admit_collectives", "admit_dns", "admit_flows"]


def admit_flows(facts: Facts, group: Group, denied: Iterable[tuple[Flow, Verdict]]) -> Iterator[Fix]:
    """All denied flows of a group admitted: in rules that admit no peer by a mistake, in policies about just the pods
    that deny them, or in small policies of their own. Nothing overrides a deny.
    """
    wanted = lacking(group, denied)
    if not wanted:
        return
    right = {each: edits for each in wanted if (edits := revived(facts, group, each))}
    in_place = _in_place(facts, group, [each for each in wanted if each not in right])
    if right and (yet := [each for each in wanted if each not in right and each not in in_place]) == []:
        fixed = [edit for each in (right, in_place) for made in each.values() for edit in made]
        yield _fix("name the pods that are meant", fixed)
    elif right:
        yield from _with_policies(facts, group, yet, [edit for made in right.values() for edit in made])
    in_place = in_place if not right else _in_place(facts, group, wanted)
    rest = [each for each in wanted if each not in in_place]
    kept = [edit for made in in_place.values() for edit in made]
    if in_place and not rest:
        yield _fix("admit the pods in the policy that is about them", kept)
    elif rest:
        yield from _with_policies(facts, group, rest, kept)


def _fix(title: str, edits: Iterable[Edit]) -> Fix:
    return Fix(title, _distinct(edits), Safety.OPENING)


def _distinct(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    found: list[Edit] = []
    for each in edits:
        if each not in found:
            found.append(each)
    return tuple(found)


def _in_place(facts: Facts, group: Group, wanted: Sequence[Allowance]) -> dict[Allowance, tuple[Edit, ...]]:
    """One more rule in a policy that is about just the pods that deny a connection, for each that has one."""
    found: dict[Allowance, tuple[Edit, ...]] = {}
    for each in wanted:
        entry = own_policy(facts, each.isolating, members(group, each.subjects), group.members)
        if entry is None:
            continue
        cilium, like = entry.origin.kind in CILIUM, keys_of(entry.subject)
        rule = element(facts, group, each, cilium=cilium, like=like)
        if rule is not None:
            found[each] = (Append(direction_list(entry), rule),)
    return found


def _with_policies(facts: Facts, group: Group, wanted: Sequence[Allowance], edits: Sequence[Edit]) -> Iterator[Fix]:
    """Small policies for what is lacking, beside the edits that fix the rest: in the best place, then the others."""
    made = own_policies(facts, group, wanted)
    for number in range(max((len(each.places) for each in made), default=0)):
        added = [each.places[min(number, len(each.places) - 1)] for each in made]
        yield _fix(_title(made), (*edits, *added))


def _title(made: Sequence[OwnPolicy]) -> str:
    names = " and ".join(each.name for each in made)
    return f"add the {'policy' if len(made) == 1 else 'policies'} {names}"


def admit_dns(facts: Facts, group: Group, entry: PolicyEntry, pods: Sequence[PodSet]) -> Iterator[Fix]:
    """The cluster's DNS admitted to pods of a group: by one more rule of the isolating policy where that is no default
    deny, else in a small policy of their own.
    """
    dns = facts.policies.dns
    if not dns.labels or dns.main.has("host") or written(facts, entry.origin) is None:
        return
    cilium = entry.origin.kind in CILIUM
    rule = _dns_rule(dns, cilium=cilium)
    if not is_default_deny(facts, entry):
        title = f"admit the cluster's DNS in {entry.origin}"
        yield Fix(title, (Append(direction_list(entry), rule),), Safety.OPENING)
        return
    made = dns_policy(facts, group, pods, entry, rule)
    for at in made.places if made is not None else ():
        yield _fix(f"add the policy {made.name if made else ''}", (at,))


def _dns_rule(dns: ClusterDns, *, cilium: bool) -> dict[str, Any]:
    protocols = ("UDP", "TCP")
    if cilium:
        labels = {"k8s:io.kubernetes.pod.namespace": dns.namespace, **dns.labels}
        ports = [{"port": "53", "protocol": each} for each in protocols]
        return {"toEndpoints": [{"matchLabels": labels}], "toPorts": [{"ports": ports}]}
    namespace = {"matchLabels": {"kubernetes.io/metadata.name": dns.namespace}}
    return {
        "to": [{"namespaceSelector": namespace, "podSelector": {"matchLabels": dict(dns.labels)}}],
        "ports": [{"port": 53, "protocol": each} for each in protocols],
    }


def admit_collectives(
    facts: Facts, group: Group, entry: PolicyEntry, denied: Sequence[tuple[Flow, Verdict]]
) -> Iterator[Fix]:
    """What lets the ranks of a group reach each other on the ports of collectives: these ports in the entry that lists
    too few, else their peers once more without ports, or a small policy.
    """
    ports = [flow.ports for flow, _ in denied if flow.kind is FlowKind.COLLECTIVE]
    if written(facts, entry.origin) is not None and ports:
        reason = Because(MissGround.PORTS, ("", ports[0]))
        near = NearEntry(entry, EntryPart.PORTS, reason, entry.at, asked=("TCP", ports[0]))
        edit = port_added(facts, near)
        if edit is not None:
            yield _fix(f"list TCP ports {ports[0]} in {entry.origin}", (edit,))
    yield from admit_flows(facts, group, denied)
