"""The change lets more peers or ports reach the pods of a training group.

A hang in training is easily "fixed" by opening the policy: a port list is dropped, a deny element removed, a peer
added that selects a whole namespace. The job runs, and from then on every pod there reaches the ranks, whose ports
have no authentication. This compares what the policies permit before and after the change, not their text, so the
same effect in other words is silent.

Only with `--base`. Flows that the groups themselves need are left out.

```yaml given
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      restartPolicy: Never
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}
```

```yaml base
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchLabels: {app: train}}}]}]
```

```yaml bad
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  policyTypes: [Ingress]
  ingress:
    - from: [{podSelector: {}}]  # expect
```

```yaml good
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  podSelector: {matchLabels: {app: train}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchExpressions: [{key: app, operator: In, values: [train]}]}}]}]
```
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.finding import Finding, Location, Related, Severity
from trainlint.model.policy import Action, Decision, Direction, Permission, PolicyEntry
from trainlint.model.workload import Group, ObjectRef, PodSet, PortRange
from trainlint.policy import Endpoint
from trainlint.questions.opened_connections import EVERY_PORT, without
from trainlint.questions.probes import Probe, end_of, probes
from trainlint.rule import Change, Facts, rule

PROTOCOLS = ("TCP", "UDP")


@fact
class Loosened:
    """Peers that newly reach a group's pods, on which ports, and the place of the change that lets them."""

    group: Group
    pod_set: PodSet
    peers: tuple[str, ...]
    ports: str
    origin: ObjectRef | None
    at: Location


@rule(Severity.WARNING, sees=Change)
def check(change: Change) -> Iterator[Finding]:
    """One finding per group and place of the change."""
    for found in loosened(change):
        yield _finding(found)


def loosened(change: Change) -> Iterator[Loosened]:
    """Each place of the change that lets more in, with the pods that it lets in and where."""
    for before, after in change.pairs():
        found: dict[tuple[str, Location], Loosened] = {}
        asked = list(probes(before, after)) if after.snapshot.workloads.groups else []
        for group in after.snapshot.workloads.groups:
            for each in _of_group(group, asked, before, after, change):
                known = found.get((group.name, each.at))
                peers = tuple(dict.fromkeys((*(known.peers if known else ()), *each.peers)))
                found[group.name, each.at] = replace(known or each, peers=peers)
        yield from found.values()


def _of_group(group: Group, asked: Sequence[Probe], before: Facts, after: Facts, change: Change) -> Iterator[Loosened]:
    members = {(member.owner, member.role) for member in group.members}
    ends = [end_of(member, after) for member in group.members]
    others = [each for each in asked if each.key not in members and not each.could_be(ends)]
    old = {(each.owner, each.role): each for each in before.snapshot.workloads.pod_sets}
    for index, member in enumerate(group.members):
        was = old.get((member.owner, member.role))
        if index in group.dependencies or was is None:
            continue
        one, two = end_of(was, before), ends[index]
        seen: set[Hashable] = set()
        for probe in others:
            for protocol in PROTOCOLS:
                past = before.policies.decision(Direction.INGRESS, one, probe.before, protocol, EVERY_PORT)
                now = after.policies.decision(Direction.INGRESS, two, probe.after, protocol, EVERY_PORT)
                more = [] if past.answer is Permission.UNKNOWN else list(without(now.allowed, past.allowed))
                if not more:
                    continue
                relabelled = probe.at if one == two and probe.before != probe.after else None
                origin, at = _place(
                    past,
                    (before, after),
                    (two, probe.after, protocol, more[0]),
                    relabelled or member.template.child("metadata", "labels"),
                    change,
                )
                ports = f"{protocol} {', '.join(str(each) for each in more)}"
                if (probe.after.name, at) not in seen:
                    seen.add((probe.after.name, at))
                    yield Loosened(group, member, (probe.after.name,), ports, origin, at)


def _place(
    past: Decision,
    states: tuple[Facts, Facts],
    asked: tuple[Endpoint, Endpoint, str, PortRange],
    labels: Location,
    change: Change,
) -> tuple[ObjectRef | None, Location]:
    """Where the change lets them in: a changed or added entry, what is left of a removed one, or ``labels``."""
    before, after = states
    subject, probe, protocol, ports = asked
    admitting = after.policies.decision(Direction.INGRESS, subject, probe, protocol, ports).deciding
    old = set(before.policies.entries)
    for entry in admitting:
        if entry.action is Action.ALLOW and entry not in old:
            return entry.origin, entry.at
    kept = set(after.policies.entries)
    for entry in (*past.deciding, *past.isolating):
        if (entry not in kept and entry.action is not Action.ALLOW) or (entry.isolates and entry not in kept):
            return entry.origin, _left_of(entry, after.policies.entries, after, change)
    return None, labels


def _left_of(entry: PolicyEntry, entries: Sequence[PolicyEntry], after: Facts, change: Change) -> Location:
    """The parent of an element that is gone, in the object as it is now; its old place if the object is gone."""
    item = after.snapshot.by_ref.get(entry.origin)
    if item is None or not any(each.origin == entry.origin for each in entries):
        return change.removed(entry.at)
    return item.field.at.child("spec")


def _finding(found: Loosened) -> Finding:
    peers = ", ".join(found.peers[:3]) + (f" and {len(found.peers) - 3} more" if len(found.peers) > 3 else "")
    by = f" ({found.origin})" if found.origin is not None else ""
    return Finding(
        message=f"this change lets {peers} reach the pods of group {found.group.name} on {found.ports}{by}",
        at=found.at,
        remedy="if the ranks need a connection, admit the ranks by their labels; do not open the policy to others",
        related=(Related(f"what they reach ({found.pod_set.name})", found.pod_set.at),),
        evidence={"newly reach it": ", ".join(found.peers), "on": found.ports},
        cause=found.group.name,
        groups=(found.group.name,),
    )
