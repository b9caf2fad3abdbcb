"""The pod sets that Kueue makes of any job, by the integration that its kind declares (S 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.kube.meta import Meta, read_meta
from trainlint.model.queued import QueuedPods
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Field
from trainlint.workload.expansion import Context
from trainlint.workload.kinds import workload_kind
from trainlint.workload.wrappers import APP_WRAPPER

__all__ = ["queued_pods"]


def queued_pods(item: Field, meta: Meta, owner: ObjectRef, context: Context) -> tuple[QueuedPods, ...] | None:
    """The pod sets of a job; ``None`` for kinds that are not Kueue's, and where they are unknown.

    Raises:
        TopologyError: an annotation about the topology cannot be read.
    """
    if (meta.api_group, meta.kind) == APP_WRAPPER:
        return tuple(_app_wrapper(item, context))
    kind = workload_kind(meta.api_version, meta.kind)
    found = None if kind is None or kind.queued is None else kind.queued(item, owner, context)
    return None if found is None else tuple(found)


def _app_wrapper(item: Field, context: Context) -> Iterator[QueuedPods]:
    """The pod sets of all components, numbered through."""
    number, name = 0, read_meta(item).name
    for component in item.down("spec", "components").elements():
        inner = component["template"]
        meta = read_meta(inner)
        owner = ObjectRef(meta.kind, meta.namespace or "default", meta.name)
        for each in queued_pods(inner, meta, owner, context) or ():
            yield replace(each, name=f"{name}-{number}")
            number += 1
