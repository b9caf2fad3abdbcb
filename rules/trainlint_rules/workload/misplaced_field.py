"""A field that the kind does not have at this place, or a misspelt one.

The API server refuses a field that it does not know, or drops it without a word (custom resources, kubectl with
`--validate=false`, many pipelines): `ttlSecondsAfterFinished` directly under the spec of a PyTorchJob does nothing,
because it belongs in `runPolicy`. A pod template in the wrong place makes no pods at all.

Silent for labels, annotations and other free-form places, for kinds that trainlint does not know, and for objects that
are only a part of one (patches), unless a name is one letter off.

```yaml bad
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  ttlSecondsAfterFinished: 86400  # expect, repaired
  runPolicy: {cleanPodPolicy: Running}
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          tolerationz: [{key: nvidia.com/gpu, operator: Exists}]  # expect, repaired
          containers: [{name: pytorch, image: "registry.example/train:1"}]
```

```yaml good
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  runPolicy: {cleanPodPolicy: Running, ttlSecondsAfterFinished: 86400}
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: Never
      template:
        spec:
          tolerations: [{key: nvidia.com/gpu, operator: Exists}]
          containers: [{name: pytorch, image: "registry.example/train:1"}]
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trainlint.fact import fact
from trainlint.finding import Certainty, Finding, Fix, Location, Move, Path, Put, Related, Remove, Rename, Severity
from trainlint.kube.structure import Misplaced
from trainlint.model.root import Root
from trainlint.model.settings import Settings
from trainlint.rule import Facts, rule
from trainlint.source.document import Field
from trainlint.workload.checks.fields import MisplacedField, is_claim_source, misplaced_fields


@rule(Severity.ERROR, tells=(Root.FIELD,))
def check(facts: Facts) -> Iterator[Finding]:
    """One finding per object and field."""
    objects = ((each.meta, each.field) for each in facts.snapshot.objects)
    for fault in misplaced_fields(facts.snapshot.workloads, objects, facts.snapshot.settings):
        yield finding_of(fault, facts.snapshot.settings)


def finding_of(fault: MisplacedField, settings: Settings) -> Finding:
    """The finding that reports a field."""
    found, meta = fault.misplaced, fault.meta
    advice = _advice(fault, settings)
    return Finding(
        message=f"{fault.path} is no field of {meta.kind} ({meta.api_version}), so it is refused or dropped: "
        f"{advice.hint}",
        at=found.field.at,
        remedy=advice.remedy,
        related=tuple(Related("the same fault", each.field.at) for each in fault.others),
        evidence={"field": fault.path, "instead": found.meant or found.belongs},
        cause=str(found.field.path[-1]),
        certainty=Certainty.LIKELY if advice.assumes else Certainty.PROVEN,
        of_key=True,
        assumes=advice.assumes,
        fixes=lambda: _fixes(fault),
    )


@fact
class _Advice:
    """What is known of the right place or name, what to do, and what that assumes."""

    hint: str
    remedy: str
    assumes: tuple[str, ...] = ()


def _advice(fault: MisplacedField, settings: Settings) -> _Advice:
    found, meta = fault.misplaced, fault.meta
    if is_claim_source(found):
        return _of_claim_source(found, settings)
    if found.meant:
        return _Advice(f"did you mean {found.meant}?", f"write {found.meant}")
    if found.belongs and _grants(found):
        remedy = "remove it, or set it for the one container that needs it"
        return _Advice(f"containers have it ({found.belongs})", remedy)
    if found.belongs:
        return _Advice(f"it belongs in {found.belongs}", f"move it to {found.belongs}")
    if found.version:
        return _Advice(f"{meta.kind} of {found.version} has it", "remove it")
    if found.opposite and found.field.value is False:
        return _Advice(f"{found.opposite}: true says that", f"write {found.opposite}: true")
    if found.opposite:
        return _Advice(f"{found.opposite} is a field, and says the contrary", "remove it")
    return _Advice("no place nearby has one either", "remove it")


def _of_claim_source(found: Misplaced, settings: Settings) -> _Advice:
    inner = next(iter(found.field.mapping or {}), "resourceClaimTemplateName")
    version = f"Kubernetes {settings.kubernetes}: nothing in Git states the cluster's version"
    return _Advice(
        f"since Kubernetes 1.31 {inner} stands in the claim itself, and every pod is refused without it",
        f"move {inner} one level up, in place of source",
        () if settings.kubernetes_stated else (version,),
    )


def _grants(found: Misplaced) -> bool:
    """Whether the field would give containers rights that they do not have as it is written now."""
    return found.field.path[-1] in {"privileged", "allowPrivilegeEscalation"} and found.field.value is not False


def _fixes(fault: MisplacedField) -> tuple[Fix, ...]:
    """What may fix the field, as one fix where several roles have the fault; none where one of them has none."""
    if not fault.others:
        return tuple(_fixes_of(fault.item, fault.misplaced))
    found = [next(_fixes_of(fault.item, each), None) for each in (fault.misplaced, *fault.others)]
    known = [each for each in found if each is not None]
    if len(known) != len(found):
        return ()
    return (replace(known[0], edits=tuple(edit for each in known for edit in each.edits)),)


def _fixes_of(item: Field, found: Misplaced) -> Iterator[Fix]:
    """The right name, or the right place if its parents are not in a list of several."""
    at, key = found.field.at, str(found.field.path[-1])
    if is_claim_source(found):
        inner = found.field.mapping or {}
        moved = tuple(Put(Location(at.file, at.document, (*at.path[:-1], name)), inner[name]) for name in inner)
        yield Fix("move what stands under source into the claim", (*moved, Remove(at)))
    elif found.meant:
        yield Fix(f"write {found.meant} for {key}", (Rename(at, found.meant),))
    elif found.belongs and not _grants(found):
        to = _within(item, tuple(found.belongs.split(".")), found.field.path[len(item.path) :])
        if to is not None:
            yield Fix(f"move {key} to {found.belongs}", (Move(at, (*at.path[: len(at.path) - len(to[1])], *to[0])),))


def _within(item: Field, belongs: Sequence[str], own: Path) -> tuple[Path, Path] | None:
    """The path of the right place in this object, and that of the wrong one; ``None`` where there are several.

    Where the way leads through a list, it is the element that holds the field, or the only one.
    """
    here, path = item, list[str | int]()
    for step in belongs:
        while isinstance(here.value, list):
            shared = tuple(path) == own[: len(path)] and len(own) > len(path)
            index = own[len(path)] if shared else 0
            if not isinstance(index, int) or (not shared and len(here.value) != 1):
                return None
            path.append(index)
            here = here[index]
        path.append(step)
        here = here[step]
    return (tuple(path), own) if not here.present else None
