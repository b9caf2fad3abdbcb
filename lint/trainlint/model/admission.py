"""Objects that decide about pods before the scheduler sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.model.known import Known
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement
from trainlint.source.examples import is_below

__all__ = ["Admission", "LimitItem", "LimitRange", "NamespaceDefaults", "ResourceQuota", "RuntimeClass", "ScopeRule"]

Quantities = Mapping[str, Known[str]]


@fact
class LimitItem:
    """One entry of a LimitRange: defaults for containers, and bounds; ``type`` is Container, Pod or another kind.

    The defaults are as written; the API server fills in those that follow from others.
    """

    type: str
    default: Quantities = field(default_factory=dict)
    default_request: Quantities = field(default_factory=dict)
    minimum: Quantities = field(default_factory=dict)
    maximum: Quantities = field(default_factory=dict)
    ratio: Quantities = field(default_factory=dict)
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class LimitRange:
    """A LimitRange."""

    namespace: str
    name: str
    items: tuple[LimitItem, ...]
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class ScopeRule:
    """A scope of a quota; ``operator`` is Exists where only the scope is named."""

    scope: str
    operator: str = "Exists"
    values: tuple[str, ...] = ()


@fact
class ResourceQuota:
    """A ResourceQuota: what the pods of the namespace that are in all of its scopes may use together."""

    namespace: str
    name: str
    hard: Quantities = field(default_factory=dict)
    scopes: tuple[ScopeRule, ...] = ()
    at: Location | None = field(default=None, compare=False, repr=False)

    def place(self, resource: str) -> Location | None:
        """Where the limit of a resource stands; ``None`` where the object has no place."""
        return self.at.child("spec", "hard", resource) if self.at else None


@fact
class RuntimeClass:
    """A RuntimeClass: what admission adds to the pods that name it."""

    name: str
    overhead: Quantities = field(default_factory=dict)
    node_selector: tuple[Requirement, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    undetermined: bool = False
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class NamespaceDefaults:
    """What the annotations of a Namespace say to PodNodeSelector and PodTolerationRestriction (S 1.11).

    ``None`` where an annotation is not there: then the plugin's own configuration decides, which is not in Git.
    ``unreadable`` is why one of them cannot be read.
    """

    node_selector: tuple[Requirement, ...] | None = None
    tolerations: tuple[Toleration, ...] | None = None
    allowed: tuple[Toleration, ...] | None = None
    unreadable: str = ""
    at: Location | None = field(default=None, compare=False, repr=False)


@fact
class Admission:
    """Everything that is known about admission; ``limits`` and ``quotas`` by namespace."""

    limits: Mapping[str, tuple[LimitRange, ...]] = field(default_factory=dict)
    quotas: Mapping[str, tuple[ResourceQuota, ...]] = field(default_factory=dict)
    runtime_classes: Mapping[str, RuntimeClass] = field(default_factory=dict)
    namespaces: Mapping[str, NamespaceDefaults] = field(default_factory=dict)

    def limits_of(self, namespace: str, at: Location) -> tuple[LimitRange, ...]:
        """The LimitRanges that may be meant for the pods written at a place; those of other examples are not."""
        found = self.limits.get(namespace, ())
        return tuple(each for each in found if each.at is None or is_below(each.at.file, at.file)) if found else ()

    def quotas_of(self, namespace: str, at: Location) -> tuple[ResourceQuota, ...]:
        """The ResourceQuotas that may be meant for the pods written at a place."""
        found = self.quotas.get(namespace, ())
        return tuple(each for each in found if each.at is None or is_below(each.at.file, at.file)) if found else ()
