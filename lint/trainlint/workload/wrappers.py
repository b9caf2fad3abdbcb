"""Objects that hold other objects (W 6, 12): AppWrapper, Argo's workflows, the roles of a DisaggregatedSet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.finding import Unknown
from trainlint.kube.meta import Meta, read_meta
from trainlint.kube.values import read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.api_kind import declared, names
from trainlint.source.document import Field
from trainlint.workload.disaggregatedset import roles_of

__all__ = ["APP_WRAPPER", "KINDS", "WRAPPERS", "unwrapped"]

_DISAGGREGATED: Final = ("disaggregatedset.x-k8s.io", "DisaggregatedSet")
APP_WRAPPER: Final = ("workload.codeflare.dev", "AppWrapper")
KINDS: Final = (
    *declared("argoproj.io", namespaced="CronWorkflow Workflow WorkflowTemplate", cluster="ClusterWorkflowTemplate"),
    *declared("mcad.ibm.com", namespaced="AppWrapper"),
    *declared("workload.codeflare.dev", namespaced="AppWrapper"),
)
WRAPPERS: Final = names(KINDS)

_NO_OBJECT: Final = frozenset({"get", "delete", "patch"})
_ARGO_VALUE: Final = lazy_pattern(r"\{\{\s*([^{}]*?)\s*\}\}")


def unwrapped(item: Field, meta: Meta, unknowns: list[Unknown]) -> Iterator[tuple[Field, Meta]]:
    """The object itself, or those that it creates, in its namespace unless they name one.

    What cannot be read inside is added to ``unknowns``.
    """
    if (meta.api_group, meta.kind) == _DISAGGREGATED:
        yield from roles_of(item, meta)
        return
    if meta.kind == "AppWrapper":
        inside = list(_components(item)) or [item]
    elif meta.kind in WRAPPERS and meta.api_group == "argoproj.io":
        inside = list(_resources(item, meta, unknowns))
    else:
        inside = [item]
    for held in inside:
        own = meta if held is item else read_meta(held)
        yield held, own if own.namespace else replace(own, namespace=meta.namespace)


def _components(wrapper: Field) -> Iterator[Field]:
    templates = [component["template"] for component in wrapper.down("spec", "components").elements()]
    # v1beta1, of the operator that AppWrapper began with
    templates += [entry["generictemplate"] for entry in wrapper.down("spec", "resources", "GenericItems").elements()]
    yield from (template for template in templates if template.mapping)


def _resources(workflow: Field, meta: Meta, unknowns: list[Unknown]) -> Iterator[Field]:
    """The manifests of resource templates; ``{{...}}`` is filled in when the workflow runs."""
    spec = workflow.down("spec", "workflowSpec") if meta.kind == "CronWorkflow" else workflow["spec"]
    for template in spec["templates"].elements():
        resource = template["resource"]
        text = resource["manifest"].string
        if text is None or read_text(resource["action"]) in _NO_OBJECT:
            continue
        from trainlint.source.events import TooDeepError, YamlError  # noqa: PLC0415 (YAML is loaded where it is needed)
        from trainlint.source.loader import load  # noqa: PLC0415

        manifest = resource["manifest"]
        try:
            data = load(_ARGO_VALUE.sub(r"${\1}", text)).data
        except (YamlError, TooDeepError):
            missing = (
                f"the manifest of template {read_text(template['name'])!r}: it is no YAML before values are filled in"
            )
            unknowns.append(Unknown(f"{meta.kind} {meta.name}", missing, at=manifest.at))
            continue
        yield Field(manifest.document, manifest.path, data)
