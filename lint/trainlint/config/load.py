"""From trainlint.yaml to settings and choices."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from trainlint.config.choices import Choices, choices_of
from trainlint.config.kind_descriptions import described_kind
from trainlint.config.render import Render
from trainlint.config.schema import config_schema
from trainlint.config.validate import validate
from trainlint.fact import fact
from trainlint.finding import Path, UsageError
from trainlint.model.settings import NEWEST_CILIUM, NEWEST_KUBERNETES, Cni, SelectedGroup, Settings
from trainlint.source.document import Document
from trainlint.source.events import TooDeepError, YamlError
from trainlint.source.lines import Lines
from trainlint.source.loader import load
from trainlint.source.spans import locate
from trainlint.source.text import DocumentText, NotTextError, decode, split

if TYPE_CHECKING:
    from trainlint.config.model import ClusterConfig, CniConfig, Config

__all__ = ["Configuration", "configuration_document", "load_configuration", "load_settings"]


@fact
class Configuration:
    """The file, where there is one; the settings of every cluster that it names, or of one unnamed; its choices; what
    is rendered.
    """

    document: Document | None = None
    settings: tuple[Settings, ...] = (Settings(),)
    choices: Choices = field(default_factory=Choices)
    render: Render = Render()


def configuration_document(name: str, content: bytes) -> Document:
    """The document that a configuration file is. Raises UsageError where it is none, or says one thing twice."""
    try:
        parts = list(split(decode(content)))
    except NotTextError as error:
        raise UsageError(f"{name}: configuration: {error}") from None
    if len(parts) > 1:
        raise UsageError(f"{name}:{parts[1].line}:1: configuration: only one document can count, this is the second")
    part = parts[0] if parts else DocumentText(1, "")
    try:
        loaded = load(part.text)
    except YamlError as error:
        place = Lines(part.text, part.line).span(error.index, error.index)
        raise UsageError(f"{name}:{place.line}:{place.column}: configuration: {error.message}") from None
    except TooDeepError:
        raise UsageError(f"{name}: configuration: it is nested too deep") from None
    document = Document(name, 0, part.line, part.text, loaded.data, loaded.duplicates)
    if twice := "\n".join(_twice(document, path) for path in loaded.duplicates):
        raise UsageError(twice)
    return document


def _twice(document: Document, path: Path) -> str:
    _, last = locate(document, path)
    what = ".".join(map(str, path))
    return f"{document.file}:{last.line}:{last.column}: configuration: {what}: this key stands twice"


def load_configuration(document: Document | None) -> Configuration:
    """What the file says; the defaults without one.

    Raises:
        UsageError: the file holds a key or value that is not one of ours.
    """
    if document is None or document.data is None:
        return Configuration(document)
    from trainlint.config.model import Config  # noqa: PLC0415 (pydantic is slow to import)

    config = validate(Config, config_schema, document.root, what="configuration")
    render = Render(kustomize=config.render.kustomize == "auto", helm=config.render.helm == "auto")
    return Configuration(document, _settings_of(config), choices_of(config, document), render)


def load_settings(document: Document | None) -> tuple[Settings, ...]:
    """The settings of every cluster that the file names; those of one unnamed cluster if it names none.

    Raises:
        UsageError: the file holds a key or value that is not one of ours.
    """
    return load_configuration(document).settings


def _settings_of(config: Config) -> tuple[Settings, ...]:
    common = Settings(
        cross_zone_allowed=frozenset(name for name, group in config.groups.items() if group.cross_zone == "allowed"),
        workloads=tuple(described_kind(each) for each in config.workloads),
        groups=tuple(
            SelectedGroup(name, name.partition("/")[0], group.selector)
            for name, group in config.groups.items()
            if group.selector
        ),
    )
    return tuple(_settings(cluster, common) for cluster in config.clusters) or (common,)


def _settings(cluster: ClusterConfig, common: Settings) -> Settings:
    return replace(
        common,
        cluster=cluster.name,
        kubernetes=(cluster.kubernetes or NEWEST_KUBERNETES).removeprefix("v"),
        kubernetes_stated=cluster.kubernetes is not None,
        profile=cluster.profile,
        profile_stated="profile" in cluster.model_fields_set,
        cni=_cni(cluster.cni) if cluster.cni else Cni(),
        admission=frozenset(cluster.admission),
        topology_key=cluster.topology_key,
        paths=tuple(cluster.paths),
        namespace=cluster.namespace,
        inventories=tuple(cluster.inventories),
        closed=frozenset(cluster.closed),
        nodes=cluster.nodes or "",
    )


def _cni(cni: CniConfig) -> Cni:
    version = (cni.version or (NEWEST_CILIUM if cni.name == "cilium" else "")).removeprefix("v")
    options = {name: _option(value) for name, value in cni.options.items()}
    return Cni(name=cni.name, version=version, options=options, stated=True, version_stated=cni.version is not None)


def _option(value: str | bool | int) -> str:  # noqa: FBT001 (what people write)
    return str(value).lower() if isinstance(value, bool) else str(value)
