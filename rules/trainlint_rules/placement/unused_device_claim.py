"""A pod claims devices that none of its containers uses.

The scheduler allocates every entry of `resourceClaims`, whether or not a container names it: the devices are taken,
and no other pod gets them. A container sees only the devices of the claims below its `resources.claims`; without any
it runs without them.

Silent where the containers of the pods are not known.

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      resourceClaims:
        - {name: gpus, resourceClaimTemplateName: gpus}  # expect
      containers:
        - name: train
          image: registry.example/train:1
```

```yaml good
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      resourceClaims:
        - {name: gpus, resourceClaimTemplateName: gpus}
      containers:
        - name: train
          image: registry.example/train:1
          resources: {claims: [{name: gpus}]}
```
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from trainlint.finding import Certainty, Finding, Related, Severity
from trainlint.model.pod import PodResourceClaim
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.rule import Facts, rule

Unused = tuple[PodSet, PodResourceClaim]


@rule(Severity.NOTE)
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and claim."""
    found: dict[tuple[ObjectRef, str], list[Unused]] = defaultdict(list)
    for pod_set in facts.fabric.pod_sets:
        for claim in unused_claims(pod_set):
            found[pod_set.owner, claim.name].append((pod_set, claim))
    for alike in found.values():
        yield _finding(alike)


def unused_claims(pod_set: PodSet) -> Iterator[PodResourceClaim]:
    """The claims of the pods that no container names, each with its place."""
    spec = pod_set.spec
    if not spec.resource_claims or spec.undetermined or pod_set.replicas == 0:
        return
    used = {
        name.partition("/")[0]
        for container in (*spec.init_containers, *spec.containers)
        for name in container.resource_claims
    }
    yield from (each for each in spec.resource_claims if each.at is not None and each.name not in used)


def _finding(alike: list[Unused]) -> Finding:
    (pod_set, claim), *others = alike
    assert claim.at is not None
    asked = claim.claim or claim.template
    return Finding(
        message=f"the pods of {pod_set.name} claim the devices of {asked or claim.name}, and no container gets them: "
        f"none names {claim.name} below resources.claims",
        at=claim.at,
        remedy=f"add {{name: {claim.name}}} to resources.claims of the container that needs the devices, or remove "
        "the claim",
        related=tuple(Related(f"the same fault ({each.name})", one.at) for each, one in others if one.at is not None),
        evidence={"claim": claim.name, "asks for": asked},
        certainty=Certainty.LIKELY,
        cause=f"{pod_set.owner} {claim.name}",
    )
