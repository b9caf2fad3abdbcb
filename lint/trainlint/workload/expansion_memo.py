"""What an object becomes, remembered for all snapshots in which what it rests on is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trainlint.kube.meta import Meta
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.source.document import Field
from trainlint.workload.expansion import Context, Expander, Expansion
from trainlint.workload.generated_names import has_made_name, without_name
from trainlint.workload.kinds import CLUSTER_KINDS
from trainlint.workload.managing_controllers import managed
from trainlint.workload.podgroups import PodGroup
from trainlint.workload.sources import with_sources

__all__ = ["expanded", "reference"]


class _Watched(Mapping[ObjectRef, Field]):
    """The objects that an expansion may look at, what it asked for, and whether it looked at all of them."""

    def __init__(self, objects: Mapping[ObjectRef, Field]) -> None:
        self._objects = objects
        self.asked: dict[ObjectRef, Field | None] = {}
        self.searched = False

    def __getitem__(self, ref: ObjectRef) -> Field:
        found = self.asked[ref] = self._objects.get(ref)
        if found is None:
            raise KeyError(ref)
        return found

    def __iter__(self) -> Iterator[ObjectRef]:
        self.searched = True
        return iter(self._objects)

    def __len__(self) -> int:
        return len(self._objects)


_Made = tuple[Expansion, tuple[PodSet, ...]]

_Known = tuple[Settings, Meta, Sequence[PodGroup], Mapping[ObjectRef, Field | None], _Made]


def expanded(item: Field, meta: Meta, expander: Expander, context: Context, pod_groups: Sequence[PodGroup]) -> _Made:
    """What an object becomes, with what its containers take from elsewhere: once for all snapshots in which everything
    that it rests on is the same. So one pod set is one fact, and what follows from it need not be found out again.
    """
    known = item.once(_expansions)
    for settings, owned, beside, asked, made in known:
        if (
            owned == meta
            and settings == context.settings
            and beside == pod_groups
            and all(context.objects.get(ref) == before for ref, before in asked.items())
        ):
            return made
    watched = _Watched(context.objects)
    here = Context(context.settings, watched)
    expansion = expander(item, reference(meta), here)
    if has_made_name(item):
        expansion = without_name(expansion, meta.name, item)
    pod_sets = [with_sources(_counted(pods), item.document, here) for pods in expansion.pod_sets]
    made = (expansion, managed(pod_sets, item, meta, pod_groups, context.settings.kueue))
    if not watched.searched:
        known.append((context.settings, meta, pod_groups, watched.asked, made))
    return made


def _counted(pods: PodSet) -> PodSet:
    """The pod set with a number of pods that can be: of a negative one there are none."""
    return replace(pods, replicas=max(pods.replicas, 0)) if isinstance(pods.replicas, int) else pods


def _expansions(
    item: Field,
) -> list[_Known]:
    """What the object became in each context so far: a place for what is remembered."""
    return []


def reference(meta: Meta) -> ObjectRef:
    """The identity of an object, with ``default`` as the namespace of one that names none."""
    kind = meta.kind if meta.api_group != "batch.volcano.sh" else f"{meta.kind}.{meta.api_group}"
    return ObjectRef(kind, "" if meta.kind in CLUSTER_KINDS else meta.namespace or "default", meta.name)
