"""One end of a connection in one snapshot, and what can be changed about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Literal

from trainlint.fact import fact
from trainlint.facts.facts import Facts
from trainlint.finding import Location
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Known, Undetermined
from trainlint.model.workload import PodSet
from trainlint.policy import Endpoint, endpoint
from trainlint.reachability import Place
from trainlint.snapshot.objects import ApiObject

__all__ = ["End", "Node"]

SOMEWHERE = Place("", Undetermined(Because(ValueGround.NO_ZONE)), Undetermined(Because(ValueGround.NO_ZONE)))
Node = Literal["same", "other"]


@fact(eq=False, slots=False)
class End:
    """One end in one snapshot; ``pod_set`` are its pods, ``fixed`` is what policies see of it where it is none.

    ``hypothetical`` pods are given by their labels and are no workload of the repository.
    """

    name: str
    facts: Facts
    pod_set: PodSet | None = None
    fixed: Endpoint | None = None
    hypothetical: bool = False
    place: Place = SOMEWHERE

    def endpoint(
        self, labels: Mapping[str, str | None], namespace_labels: Mapping[str, str | None], node: Node
    ) -> Endpoint:
        """What policies see of the end, with labels of the pods and of their namespace changed (``None``: removed)."""
        if self.pod_set is None:
            assert self.fixed is not None
            return self.fixed
        snapshot = self.facts.snapshot
        namespaces = dict(snapshot.namespaces)
        if namespace_labels:
            kept = namespaces.get(self.pod_set.namespace) or {}
            added = {key: value for key, value in namespace_labels.items() if value is not None}
            kept = {key: value for key, value in kept.items() if key not in namespace_labels}
            namespaces[self.pod_set.namespace] = {**kept, **added}
        pods = replace(self.pod_set, labels=_changed(self.pod_set.labels, labels)) if labels else self.pod_set
        found = endpoint(pods, snapshot.settings, namespaces, zone=self.place.zone, region=self.place.region, node=node)
        return replace(found, name=self.name)

    @property
    def on_host(self) -> bool:
        """Whether the pods run on the host network, so that it matters on which node."""
        return self.pod_set is not None and self.pod_set.spec.host_network

    def free(self, key: str) -> bool:
        """Whether people can change the label: in the template or nowhere yet, and no controller selects by it."""
        if self.pod_set is None:
            return False
        return self.hypothetical or (
            (key not in self.pod_set.labels or key in self._labels_written) and key not in self._selected
        )

    @cached_property
    def _labels_written(self) -> Mapping[str, object]:
        """The labels in the template."""
        item = self._object
        if item is None or self.pod_set is None:
            return {}
        template = item.field.document.root.down(*self.pod_set.template.path)
        return template.down("metadata", "labels").mapping or {}

    @cached_property
    def _selected(self) -> Mapping[str, object]:
        """The labels by which the object finds its own pods: the API server wants them in the template as they are."""
        item = self._object
        return {} if item is None else item.field.down("spec", "selector", "matchLabels").mapping or {}

    @cached_property
    def _object(self) -> ApiObject | None:
        """The object that makes the pods, where it stands in Git itself."""
        if self.pod_set is None or self.hypothetical:
            return None
        at = self.pod_set.template
        for item in self.facts.snapshot.objects:
            root = item.field
            if (item.file, root.document.index) == (at.file, at.document) and at.path[: len(root.path)] == root.path:
                return item
        return None

    @property
    def labels_at(self) -> Location | None:
        """Where the labels of the pods are written, or would be; ``None`` for ends that are not pods of a manifest."""
        if self.pod_set is None or self.hypothetical:
            return None
        return self.pod_set.template.child("metadata", "labels")


def _changed(labels: Mapping[str, Known[str]], changes: Mapping[str, str | None]) -> dict[str, Known[str]]:
    kept = {key: value for key, value in labels.items() if key not in changes}
    return {**kept, **{key: value for key, value in changes.items() if value is not None}}
