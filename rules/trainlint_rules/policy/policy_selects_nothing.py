"""A policy that selects no pod of the repository.

A policy whose selector matches no pod isolates nothing, and no error says so: one letter off in a label, a label that
the operator does not set, a workload that was renamed. The pods that it should protect are open.

Said only where all workloads of the namespace seem to be in Git: nothing that could add pods (HelmReleases, Argo CD
Applications, templates and kustomizations that were not rendered), and no other state of the repository in which the
policy selects a pod.

It is an error where the policy was to admit what a training group needs and is one wrong label off its pods: the
finding stands at the label and names the connections that stay shut.

```yaml given
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: ml}
spec:
  selector: {matchLabels: {app: train}}
  template:
    metadata: {labels: {app: train}}
    spec: {containers: [{name: train, image: "registry.example/train:1"}]}
```

```yaml bad
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: trian}}  # expect, repaired
  ingress: [{fromEndpoints: [{}]}]
```

```yaml good
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: train, namespace: ml}
spec:
  endpointSelector: {matchLabels: {app: train}}
  ingress: [{fromEndpoints: [{}]}]
```
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import partial

from trainlint.finding import (
    Certainty,
    Finding,
    Fix,
    Put,
    Related,
    RelatedPlaces,
    Severity,
    certainty_of,
    one_after_the_other,
    or_else,
)
from trainlint.kube.spelling import only_meant
from trainlint.model.root import Root
from trainlint.policy.checks.pods import Unselected
from trainlint.policy.selector import split_source
from trainlint.proof.cause import FlowCause, SelectorTypo
from trainlint.proof.group import GroupProof
from trainlint.proof.notation import flow_text
from trainlint.rule import Facts, rule
from trainlint.wording.because import texts_of
from trainlint.wording.denials import places_of
from trainlint.wording.forcing import forcing
from trainlint.wording.misses import requirement_text
from trainlint.wording.nearest import UNADDED


@rule(Severity.WARNING, tells=(Root.POLICY_SUBJECT,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per policy: an error where it would have admitted what a group needs."""
    broken: dict[SelectorTypo, list[tuple[GroupProof, FlowCause]]] = {}
    for proof, cause in facts.groups.flow_causes(Root.POLICY_SUBJECT):
        if cause.slip is not None:
            broken.setdefault(cause.slip, []).append((proof, cause))
    for slip, denials in broken.items():
        yield _keeping_apart(slip, denials, partial(forcing, facts, denials[0][1]))
    told = {each.origin for each in broken}
    for unselected in facts.repository.unselected:
        if unselected.origin not in told:
            yield _finding(facts, unselected)


def _keeping_apart(slip: SelectorTypo, denials: list[tuple[GroupProof, FlowCause]], forced: RelatedPlaces) -> Finding:
    """One wrong label, and the connections that the policy was written to admit."""
    groups = list(dict.fromkeys(proof.group.name for proof, _ in denials))
    (proof, cause), more = denials[0], sum(len(each.flows) for _, each in denials) - 1
    flow, verdict = cause.flows[0]
    others = f" (and {more} more)" if more else ""
    named = f"group{'s' if len(groups) > 1 else ''} {', '.join(groups)}"
    why = f"no pod has this label; the pods of {named} have {slip.key}={slip.meant}"
    remedy, has = f"select {slip.key}: {slip.meant}", f"{slip.key}={slip.meant}"
    if not slip.meant:
        has = f"no {slip.key}"
        why = f"the kustomization adds this label to selectors and not to the pods of {named}"
        remedy = UNADDED
    return Finding(
        message=f"{slip.origin} selects {slip.key}={slip.written}, and {why}, so it admits nothing: "
        f"{flow_text(proof.group, flow)}{others} is denied",
        at=slip.at,
        remedy=remedy,
        related=one_after_the_other(
            (Related(f"who needs it: {flow.why}", flow.at),),
            or_else(forced, [Related(role, at) for role, at in places_of(verdict)]),
        ),
        evidence={"selects": f"{slip.key}={slip.written}", "pods have": has},
        severity=Severity.ERROR,
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=", ".join(groups),
        groups=tuple(groups),
        fixes=lambda: _written_right(slip),
    )


def _written_right(slip: SelectorTypo) -> Iterator[Fix]:
    if slip.meant and slip.at.path[-2:-1] == ("matchLabels",):
        yield Fix(f"select pods with {slip.key}: {slip.meant} in {slip.origin}", (Put(slip.at, slip.meant),))


def _finding(facts: Facts, unselected: Unselected) -> Finding:
    near = [f"{key}={value}" for key, value in unselected.near]
    labels = ", ".join(near)
    wanted = " and ".join(map(requirement_text, unselected.requirements))
    lacking = "none has" if unselected.requirements[0].operator != "Selector" else "none meets"
    close = difflib.get_close_matches(wanted, near, n=1, cutoff=0.5)
    remedy = f"did you mean {close[0]}?" if close else f"pods here have {labels}" if labels else ""
    added = [each for each in unselected.requirements if facts.snapshot.label_transformers.adds(each.at)]
    if added:
        wanted = f"{wanted}, and the kustomization adds {' and '.join(map(requirement_text, added))}"
        remedy = UNADDED
    return Finding(
        message=f"{unselected.origin} selects no pod: {lacking} {wanted}",
        at=(added[0].at if added else None) or unselected.at,
        remedy=remedy or "correct the selector, or remove the policy",
        evidence={"selects": wanted, "pods have": labels or "none of these labels"},
        assumes=("all workloads of the namespace are in Git",),
        certainty=Certainty.LIKELY,
        fixes=lambda: _corrected(unselected),
    )


def _corrected(unselected: Unselected) -> Iterator[Fix]:
    """The label value that differs by a slip of the pen from the only one that pods have."""
    for each in unselected.requirements:
        key, value = split_source(each.key)[1], ", ".join(each.values)
        there = [label for name, label in unselected.near if name == key]
        meant = only_meant(value, there) if each.operator == "In" else ""
        if meant and unselected.by_labels:
            at = unselected.at.child("matchLabels", key)
            yield Fix(f"select pods with {key}: {meant} in {unselected.origin}", (Put(at, meant),))
