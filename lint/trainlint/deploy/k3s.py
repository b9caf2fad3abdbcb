"""The Helm controller of k3s and RKE2: HelmChart, and HelmChartConfig that adds to its values."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.deploy.context import DeployContext, parsed
from trainlint.deploy.deployment import Deployed, Release, Values
from trainlint.kube.meta import Meta
from trainlint.kube.values import read_text
from trainlint.source.document import Field

__all__ = ["chart_config", "helm_chart"]


def helm_chart(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """The chart that a HelmChart installs."""
    spec = item["spec"]
    config = context.find("HelmChartConfig", meta.namespace, meta.name)
    values = (*_values(spec), *(_values(config["spec"]) if config is not None else ()))
    release = Release(
        meta.name,
        read_text(spec["targetNamespace"]) or meta.namespace or "default",
        read_text(spec["chart"]).rpartition("/")[2],
        version=read_text(spec["version"]),
        repository=read_text(spec["repo"]),
        values=values,
        by=f"HelmChart {meta.namespace or 'default'}/{meta.name}",
        at=item.at,
        version_at=spec["version"],
        evidence=item,
    )
    return Deployed(releases=(release,))


def chart_config(meta: Meta, item: Field, context: DeployContext) -> Deployed:
    """Values for a chart that RKE2 brings itself (rke2-cilium), where no HelmChart of the name is in Git."""
    if context.find("HelmChart", meta.namespace, meta.name) is not None:
        return Deployed()
    by = f"HelmChartConfig {meta.namespace or 'default'}/{meta.name}"
    values = tuple(_values(item["spec"]))
    return Deployed(
        releases=(Release(meta.name, meta.namespace, meta.name, values=values, by=by, at=item.at, evidence=item),)
    )


def _values(spec: Field) -> Iterator[Values]:
    content = spec["valuesContent"]
    if content.present:
        found = parsed(content)
        yield Values(found, "" if found is not None else "its valuesContent, which is no YAML")
    for name, value in spec["set"].items():
        made: object = value.value
        for step in reversed(name.split(".")):
            made = {step: made}
        yield Values(Field(value.document, value.path, made))
    if spec["valuesSecrets"].present:
        yield Values(missing="its valuesSecrets")
