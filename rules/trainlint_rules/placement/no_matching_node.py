"""nodeSelector and required node affinity match no node.

Label values compare as strings, upper and lower case apart, and all of nodeSelector and one whole term of the required
node affinity must hold (NodeAffinity). One letter off in a GPU product, a label that was renamed, a pool that was
removed: the pods stay Pending, and the autoscaler does not help.

Silent without a node inventory, and for labels that the platform puts on nodes by itself where the inventory does not
list them.

```yaml given
apiVersion: trainlint.io/v1alpha1
kind: Inventory
metadata: {name: example}
pools:
  - name: gpu
    count: 2
    zone: a
    labels: {accelerator: h100}
    allocatable: {cpu: "64", memory: 500Gi, nvidia.com/gpu: "8"}
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        accelerator: H100  # expect, repaired
      containers: [{name: train, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {accelerator: h100}
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import partial

from trainlint.finding import Finding, Fix, Put, Related, RelatedPlaces, Severity, besides, certainty_of
from trainlint.kube.spelling import only_meant
from trainlint.model.pod import PodSpec
from trainlint.model.root import Root
from trainlint.model.selector import Requirement
from trainlint.proof.cause import PlacementCause
from trainlint.rule import Facts, rule
from trainlint.scheduling.node import node_of
from trainlint.scheduling.node_affinity import describe, unmet
from trainlint.wording.because import texts_of
from trainlint.wording.forcing import forcing


@rule(Severity.ERROR, tells=(Root.NODE_SELECTION,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object, at the requirement that the nearest node lacks."""
    for cause in facts.placement.causes(Root.NODE_SELECTION):
        forced = partial(forcing, facts, cause)
        yield _contradiction(cause, forced) if cause.anywhere else _finding(cause, forced)


def _contradiction(cause: PlacementCause, forced: RelatedPlaces) -> Finding:
    """Requirements that no node could satisfy together, whatever the cluster."""
    pod_set = cause.pod_set
    nearest = min(cause.misses, key=lambda miss: len(list(unmet(cause.pod.spec, node_of(miss.pool)))))
    wanted = next(unmet(cause.pod.spec, node_of(nearest.pool)), None)
    other = _against(cause.pod.spec, wanted)
    text = f"both {describe(other)} and {describe(wanted)}" if wanted and other else "what its selectors ask for"
    places = [Related(f"asks for {describe(other)}", other.at)] if other is not None and other.at is not None else []
    places += [Related(f"the same fault ({each.name})", each.spec.at or each.at) for each in cause.also]
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending: no node of any cluster can have {text}",
        at=(wanted.at if wanted else None) or pod_set.spec.at or pod_set.template,
        remedy="drop one of the requirements: they contradict each other",
        related=besides(forced, tuple(places)),
        evidence={"requires": text},
        cause=text,
    )


def _against(spec: PodSpec, wanted: Requirement | None) -> Requirement | None:
    """Another requirement on the same label."""
    asked = [*spec.node_selector, *(each for term in spec.node_affinity or () for each in term.expressions)]
    return next((each for each in asked if wanted and each.key == wanted.key and each != wanted), None)


def _finding(cause: PlacementCause, forced: RelatedPlaces) -> Finding:
    pod_set = cause.pod_set
    failing = [(miss, list(unmet(cause.pod.spec, node_of(miss.pool)))) for miss in cause.misses]
    nearest, lacks = min(failing, key=lambda pair: len(pair[1]))
    nowhere = [each for each in lacks if all(each in others for _, others in failing)]
    wanted = next(iter(nowhere or lacks), None)
    values = sorted(
        {str(miss.pool.labels[wanted.key]) for miss in cause.misses if wanted and wanted.key in miss.pool.labels}
    )
    text = " and ".join(dict.fromkeys(map(describe, nowhere or lacks))) or "its node affinity"
    if len(lacks) > 1:
        near = f"nearest: lacks {', '.join(dict.fromkeys(map(describe, lacks)))} (pool {nearest.pool.name})"
    else:
        near = f"nearest: lacks only {text} (pool {nearest.pool.name})"
    return Finding(
        message=f"the pods of {pod_set.name} stay Pending: no node has {text}"
        + ("" if nowhere or not lacks else " beside the rest that they require"),
        at=(wanted.at if wanted else None) or (pod_set.spec.at or pod_set.template).child("nodeSelector"),
        remedy=_remedy(wanted, values, cause),
        related=besides(
            forced,
            tuple(Related(near, nearest.pool.at) for _ in range(1) if nearest.pool.at is not None)
            + tuple(Related(f"the same fault ({other.name})", other.spec.at or other.at) for other in cause.also),
        ),
        evidence={"requires": text, "nodes have": ", ".join(values) or "no such label"},
        assumes=texts_of(cause.assumes),
        certainty=certainty_of(cause.assumes),
        cause=text,
        fixes=lambda: _corrected(wanted, values),
    )


def _remedy(wanted: Requirement | None, values: list[str], cause: PlacementCause) -> str:
    if wanted is None:
        return "no node has the label: drop the requirement, or label the nodes"
    if not values:
        key = only_meant(wanted.key, (key for miss in cause.misses for key in miss.pool.labels))
        meant = f"did you mean {key}? " if key else ""
        return f"{meant}no node has the label {wanted.key}: drop the requirement, or label the nodes"
    near = difflib.get_close_matches(wanted.values[0], values, n=1, cutoff=0.5) if wanted.values else []
    return f"did you mean {near[0]}?" if near else f"nodes have {wanted.key}: {', '.join(values)}"


def _corrected(wanted: Requirement | None, values: list[str]) -> Iterator[Fix]:
    """The value that nodes have and that differs by a slip of the pen."""
    if wanted is None or wanted.at is None or len(wanted.values) != 1:
        return
    meant = only_meant(wanted.values[0], values)
    if meant:
        at = wanted.at if wanted.at.path[-1:] == (wanted.key,) else wanted.at.child("values", 0)
        yield Fix(f"require {wanted.key}: {meant}", (Put(at, meant),))
