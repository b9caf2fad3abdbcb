"""From trainlint.yaml to settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.config.validate import validate
from trainlint.model.settings import NEWEST_CILIUM, NEWEST_KUBERNETES, Cni, Settings

if TYPE_CHECKING:
    from trainlint.config.model import ClusterConfig, CniConfig
    from trainlint.source.document import Document

__all__ = ["load_settings"]


def load_settings(document: Document | None) -> tuple[Settings, ...]:
    """The settings of every cluster that the file names; those of one unnamed cluster if it names none.

    Raises:
        UsageError: the file holds a key or value that is not one of ours.
    """
    if document is None or document.data is None:
        return (Settings(),)
    from trainlint.config.model import Config  # noqa: PLC0415 (pydantic is slow to import)

    config = validate(Config, document.root, what="configuration")
    cross_zone = frozenset(name for name, group in config.groups.items() if group.cross_zone == "allowed")
    return tuple(_settings(cluster, cross_zone) for cluster in config.clusters) or (
        Settings(cross_zone_allowed=cross_zone),
    )


def _settings(cluster: ClusterConfig, cross_zone: frozenset[str]) -> Settings:
    return Settings(
        cluster=cluster.name,
        kubernetes=(cluster.kubernetes or NEWEST_KUBERNETES).removeprefix("v"),
        kubernetes_stated=cluster.kubernetes is not None,
        profile=cluster.profile,
        cni=_cni(cluster.cni) if cluster.cni else Cni(),
        admission=frozenset(cluster.admission),
        topology_key=cluster.topology_key,
        cross_zone_allowed=cross_zone,
    )


def _cni(cni: CniConfig) -> Cni:
    version = (cni.version or (NEWEST_CILIUM if cni.name == "cilium" else "")).removeprefix("v")
    options = {name: _option(value) for name, value in cni.options.items()}
    return Cni(name=cni.name, version=version, options=options, stated=True)


def _option(value: str | bool | int) -> str:  # noqa: FBT001 (what people write)
    return str(value).lower() if isinstance(value, bool) else str(value)
