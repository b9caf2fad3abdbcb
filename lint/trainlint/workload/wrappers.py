"""Objects that hold other objects (W 12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainlint.kube.meta import Meta, read_meta
from trainlint.source.document import Field

__all__ = ["unwrapped"]


def unwrapped(item: Field, meta: Meta) -> Iterator[tuple[Field, Meta]]:
    """The object itself, or those that an AppWrapper creates, in the wrapper's namespace unless they name one."""
    if meta.kind != "AppWrapper":
        yield item, meta
        return
    inside = [component["template"] for component in item.down("spec", "components").elements()]
    # v1beta1, of the operator before CodeFlare's: spec.resources.GenericItems
    inside += [entry["generictemplate"] for entry in item.down("spec", "resources", "GenericItems").elements()]
    held = [template for template in inside if template.mapping]
    if not held:
        yield item, meta
    for template in held:
        own = read_meta(template)
        yield template, own if own.namespace else replace(own, namespace=meta.namespace)
