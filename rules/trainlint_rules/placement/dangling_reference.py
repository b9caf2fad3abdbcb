"""A pod or a job names an object that must exist and does not.

Without its PriorityClass, RuntimeClass or ServiceAccount the API server refuses every pod; without its claim
(PersistentVolumeClaim, ResourceClaim or template) a pod stays Pending; without its runtime a TrainJob makes no
pods at all; without its PodGroup (of the coscheduling plugin, Volcano or Kubernetes itself; in 1.35 its Workload) a pod
is not scheduled; without a ConfigMap, a Secret or a key of theirs the containers never start
(CreateContainerConfigError), or their volumes are never mounted; without its MultiKueueCluster a worker cluster that a
MultiKueueConfig names gets no jobs (a warning, as long as another one of the configuration is there). Names are
case-sensitive, and everything but classes and cluster runtimes is looked up in the namespace of the pods: pods read the
Secrets of their own namespace only.

An absence proves something only where Git holds everything of the kind: this rule speaks where the configuration says
so (`closed` of a cluster in trainlint.yaml), or where the snapshot holds at least one object of the kind (in the
namespace) and nothing adds others (a Helm release, an Argo CD application, a chart that was not rendered). Silent for
what every cluster has: the priority classes system-cluster-critical and system-node-critical, the service account
default, the runtimes that Kubeflow Trainer installs. Silent also for what is `optional: true`, for Secrets that an
ExternalSecret, a SealedSecret or the like makes, and for ConfigMaps and Secrets that a controller copies. Many Secrets
are made by hand, so of them only a slip of the pen, a name that another namespace alone has, and a missing key are
reported, and what kustomize renames: a hash, a prefix or a suffix that it does not follow into a custom kind. The keys
of a Secret that is made count where the ExternalSecret, SealedSecret or SecretProviderClass says all of them.

What waits for each other is told too: deployers of Flux in a circle of `dependsOn`, and a workload of an early sync
wave or PreSync hook of Argo CD that names an object of a later one.

```yaml given
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: training}
value: 1000
```

```yaml bad
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      priorityClassName: traning  # expect, repaired
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
      priorityClassName: training
      containers: [{name: train, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.finding import Certainty, Finding, Fix, Put, Related, Severity
from trainlint.kube.spelling import misspelt
from trainlint.model.root import Root
from trainlint.queues.multikueue import MissingWorker
from trainlint.references.references import ReferenceCause
from trainlint.references.settings_of_pods import MissingSetting
from trainlint.references.waiting import DependencyCircle, LateObject
from trainlint.rule import Facts, rule

_GATE: Final = "the feature gate GenericWorkload is on: it is off by default"


@rule(Severity.ERROR, tells=(Root.REFERENCE,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and name."""
    for cause in facts.objects.dangling_references:
        yield _finding(cause)
    for setting in facts.repository.missing_settings:
        yield _of_setting(setting)
    for worker in facts.repository.missing_workers:
        yield _of_worker(worker)
    for circle in facts.objects.dependency_circles:
        yield _of_circle(circle)
    for late in facts.objects.late_objects:
        yield _of_late(late)


def _of_circle(circle: DependencyCircle) -> Finding:
    first, *others = circle.members
    names = " and ".join(map(str, circle.members))
    waits = f"{names} wait for each other" if others else f"{first} waits for itself"
    return Finding(
        message=f"{waits} in dependsOn, so Flux applies {'none of them' if others else 'nothing of it'}",
        at=circle.at[0],
        remedy="take one of them out of dependsOn: none of a circle is ever ready",
        related=tuple(Related(f"{each} waits too", at) for each, at in zip(others, circle.at[1:], strict=True)),
        evidence={"circle": " -> ".join(map(str, (*circle.members, first)))},
        cause=names,
    )


def _of_late(late: LateObject) -> Finding:
    return Finding(
        message=f"{late.owner} needs {late.target}, which Argo CD applies in a later wave: it waits until "
        f"{late.owner} is healthy, and its pods never start without it",
        at=late.at,
        remedy=f"give {late.target} the sync wave and phase of {late.owner}, or earlier ones",
        related=(Related("when it is applied", late.order_at), Related("when what it needs is applied", late.late_at)),
        evidence={"needs": str(late.target)},
        assumes=(f"one Application brings both, and {late.target} is not there from before",),
        certainty=Certainty.LIKELY,
        cause=f"{late.target} later",
    )


def _finding(cause: ReferenceCause) -> Finding:
    target = cause.target
    where = f" in namespace {target.namespace}" if target.namespace else ""
    lacks = f"and there is none of that name{where}"
    if cause.part:
        lacks = f"which has no pod group {cause.part}: its pods are not scheduled"
    assumed = f"every {target.kind}{where or ' of the cluster'} is in Git" if not cause.part else _GATE
    return Finding(
        message=f"{cause.owner} refers to {target.kind} {target.name}, {lacks}",
        at=cause.at,
        remedy=_remedy(cause),
        related=(
            *(Related("the same name", at) for at in cause.also),
            *((Related(f"what calls it {cause.near}", cause.renamed),) if cause.renamed is not None else ()),
        ),
        evidence={"refers to": str(target), "nearest name": cause.near or "none"},
        assumes=() if cause.certain else (assumed,),
        certainty=Certainty.PROVEN if cause.certain else Certainty.LIKELY,
        cause=f"{target} {cause.part}".strip(),
        fixes=lambda: _nearest(cause),
    )


def _remedy(cause: ReferenceCause) -> str:
    kind = cause.owner.kind
    if cause.renamed is not None:
        return f"write {cause.near}: kustomize follows a name in a {kind} only where nameReference says so"
    if cause.near:
        return f"did you mean {cause.near}?"
    if cause.target.kind == kind and kind in ("Kustomization", "HelmRelease"):
        return f"add the {kind}, or take it out of dependsOn: until it is there, {cause.owner} applies nothing"
    if cause.part:
        return f"add the pod group {cause.part} to the Workload, or name one that it has"
    return f"add the {cause.target.kind}, or drop the reference"


def _of_setting(missing: MissingSetting) -> Finding:
    target, namespace = missing.target, missing.target.namespace
    if missing.key:
        found = f"the key {missing.key} of {target.kind} {target.name}, which has no such key"
        remedy = f"did you mean {missing.near}?" if missing.near else "add the key, or ask for one that is there"
    elif missing.hashed:
        found = f"{target.kind} {target.name}, and kustomize calls it {missing.hashed}"
        remedy = f"write {missing.hashed}: kustomize follows a name in this kind only where nameReference says so"
        if missing.generated:
            found = f"{target.kind} {target.name}, and kustomize calls the generated one {missing.hashed}"
            remedy = "set disableNameSuffixHash: true for it: kustomize does not follow the name in this kind by itself"
    elif missing.elsewhere:
        found = f"{target.kind} {target.name}, which namespace {namespace} has not: it is in {missing.elsewhere[0]}"
        remedy = f"make it in {namespace}: pods read only what their own namespace has"
    else:
        found = f"{target.kind} {target.name}, and there is none of that name in namespace {namespace}"
        remedy = f"did you mean {missing.near}?" if missing.near else f"add the {target.kind}, or drop the reference"
    assumes = f"every {target.kind} of namespace {namespace} is in Git"
    if missing.key:
        assumes = f"nothing adds keys to {target.kind} {target.name} in the cluster"
    return Finding(
        message=f"the pods of {missing.owner} never start: they need {found}",
        at=missing.at,
        remedy=remedy,
        related=(
            *(Related("the same name", at) for at in missing.also),
            *(Related(role, at) for role, at in missing.related),
        ),
        evidence={"refers to": f"{target} {missing.key}".strip(), "nearest name": missing.near or "none"},
        assumes=() if missing.certain else (assumes,),
        certainty=Certainty.PROVEN if missing.certain else Certainty.LIKELY,
        cause=f"{target} {missing.key}".strip(),
        fixes=lambda: _spelt(missing),
    )


def _of_worker(missing: MissingWorker) -> Finding:
    return Finding(
        message=f"MultiKueueConfig {missing.config} refers to MultiKueueCluster {missing.name}, and there is none of "
        f"that name: its jobs run in {', '.join(missing.others)} only",
        at=missing.at,
        remedy=f"did you mean {missing.near}?"
        if missing.near
        else "add the MultiKueueCluster, or take the name out of clusters",
        evidence={"refers to": f"MultiKueueCluster {missing.name}", "nearest name": missing.near or "none"},
        assumes=() if missing.certain else ("every MultiKueueCluster of the cluster is in Git",),
        certainty=Certainty.PROVEN if missing.certain else Certainty.LIKELY,
        severity=Severity.WARNING,
        cause=f"MultiKueueCluster {missing.name}",
        fixes=lambda: _worker_meant(missing),
    )


def _worker_meant(missing: MissingWorker) -> Iterator[Fix]:
    """The worker cluster whose name differs by a slip of the pen only."""
    if misspelt(missing.name, missing.near):
        yield Fix(f"refer to MultiKueueCluster {missing.near}", (Put(missing.at, missing.near),))


def _spelt(missing: MissingSetting) -> Iterator[Fix]:
    """The name or key that differs by a slip of the pen only."""
    written = missing.key or missing.target.name
    if not missing.hashed and misspelt(written, missing.near):
        edits = tuple(Put(at, missing.near) for at in (missing.at, *missing.also))
        yield Fix(f"write {missing.near} for {written}", edits)


def _nearest(cause: ReferenceCause) -> Iterator[Fix]:
    """The name that differs by a slip of the pen only."""
    if misspelt(cause.part or cause.target.name, cause.near):
        edits = tuple(Put(at, cause.near) for at in (cause.at, *cause.also))
        yield Fix(f"refer to {'pod group' if cause.part else cause.target.kind} {cause.near}", edits)
