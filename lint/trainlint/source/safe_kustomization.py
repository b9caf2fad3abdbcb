"""One kustomization without what is never fetched or run."""

from __future__ import annotations

import copy
import posixpath
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from trainlint.finding import Location, Path
from trainlint.source.document import Document, Field
from trainlint.source.field_spelling import misspelled, texts
from trainlint.source.kustomization import is_remote
from trainlint.source.path_escape import astray

__all__ = ["PluginError", "RefusedError", "SafeKustomization", "is_inline"]

_PLUGINS: Final = ("generators", "transformers", "validators")
_LISTS: Final = ("resources", "bases", "components", *_PLUGINS, "crds")
_MAX_NAME: Final = 1024
_CHANGES: Final = "what it changes is unknown"
_ELSEWHERE: Final = "it is elsewhere, and nothing is fetched"
_IGNORED: Final = "Git ignores the file, so it is not here"


class Files(Protocol):
    """Which files there are; both are asked with the directory of the kustomization and what it writes."""

    def has(self, directory: str, entry: str) -> bool:
        """Whether there is a file of that name."""

    def ignored(self, directory: str, entry: str) -> bool:
        """Whether Git ignores a file of that name."""


class RefusedError(Exception):
    """A root that is not rendered: why, where that is said, and what would help."""

    def __init__(self, why: str, at: Location, remedy: str = "") -> None:
        super().__init__(why)
        self.at = at
        self.remedy = remedy


class PluginError(Exception):
    """The configuration of a plugin that is not read as kustomize would read it; the message says why."""


class SafeKustomization:
    """``data`` is what it says without that, ``changed`` whether anything is missing, ``out`` what, why, and where it
    stood.

    ``lost`` are, likewise, the single files that are not here and are left out alone. ``references`` are the files and
    directories that it still names, and the paths at which it does. ``plugins`` gives the configurations that an entry
    of generators, transformers or validators names, asked with the directory of the kustomization. ``astray`` tells
    whether it, or the configuration of a plugin, holds what would lead out of the repository if it were a path;
    ``plugged`` whether plugins take part.

    Raises:
        RefusedError: without what is missing the result is unknown.
    """

    def __init__(self, document: Document, plugins: Callable[[str, str], Iterator[Field]], files: Files) -> None:
        self._document = document
        self._files = files
        self._plugins = plugins
        self._directory = posixpath.dirname(document.file)
        self.data: dict[str, Any] = copy.deepcopy(document.data) if isinstance(document.data, dict) else {}
        self.changed = False
        self.references: list[tuple[Path, str]] = []
        self.out: list[tuple[str, str, Path]] = []
        self.lost: list[tuple[str, str, Path]] = []
        self.astray = astray(self.data, self._directory)
        self.plugged = False
        self._check(self.data, document.at)
        for name in _LISTS:
            self._filter(name)
        for name in ("helmCharts", "helmChartInflationGenerator"):
            for each in document.root[name].elements():
                chart = each["name"].string or each["chartName"].string or "?"
                why = "charts in a kustomization are not rendered"
                self.out.append((f"the objects of the chart {chart}", why, each.path))
            self._drop(name)
        self._patches()
        self._data_files()

    @staticmethod
    def _check(data: Any, at: Callable[[Path], Location]) -> None:
        """Refuse keys that kustomize reads and that are not looked at here, for they are spelled in another way."""
        found = misspelled(data)
        if found is not None:
            path, right = found
            why = f"{path[-1]} is not how the field {right} is spelled, but kustomize takes it for that"
            raise RefusedError(why, at(path), f"write {right}")

    def _drop(self, name: str) -> None:
        if self.data.pop(name, None):
            self.changed = True

    def _filter(self, name: str) -> None:
        """Take out of a list what is elsewhere or would run."""
        field = self._document.root[name]
        if not isinstance(field.value, list):
            return
        kept = [each.value for each in field.elements() if self._keeps(name, each)]
        if len(kept) != len(field.value):
            self.data[name] = kept
            self.changed = True

    def _keeps(self, name: str, each: Field) -> bool:
        entry = each.string
        if not entry:
            return True
        if "\n" not in entry and is_remote(entry):
            if name in ("components", "transformers", "crds"):
                raise RefusedError(f"{entry} is elsewhere, and {_CHANGES}", each.at, "keep a copy of it in Git")
            if name != "validators":
                self.out.append((f"the objects of {entry}", _ELSEWHERE, each.path))
            return False
        if name in _PLUGINS and not self._keeps_plugin(name, each, entry):
            return False
        if "\n" not in entry and not (name in _PLUGINS and is_inline(entry)):
            self.references.append((each.path, entry))
        return True

    def _keeps_plugin(self, name: str, each: Field, entry: str) -> bool:
        """Whether all plugins that an entry stands for are kustomize's own, and read nothing from elsewhere."""
        kind, why = entry.partition("\n")[0], ""
        try:
            for plugin in self._plugins(self._directory, entry):
                kind, why = plugin["kind"].string or "?", _refusal(plugin)
                if why:
                    break
                self._check(plugin.value, lambda _: each.at)
                self.references += [(each.path, text) for text in _scalars(plugin.value)]
                self.astray = self.astray or astray(plugin.value, "")
        except PluginError as error:
            why = str(error)
        if not why:
            self.plugged = True
            return True
        if name == "transformers":
            raise RefusedError(f"the transformer {kind} {why}: {_CHANGES}", each.at)
        if name == "generators":
            self.out.append((f"the objects of the generator {kind}", f"it {why}", each.path))
        return False

    def _patches(self) -> None:
        root = self._document.root
        named = [each for each in root["patchesStrategicMerge"].elements() if _is_path(each.string or "")]
        named += root["configurations"].elements()
        for name in ("patches", "patchesJson6902", "replacements"):
            named += [each["path"] for each in root[name].elements()]
        schema = root.down("openapi", "path")
        if schema.string and not self._files.has(self._directory, schema.string):
            self.lost.append((schema.string, "the definitions of kinds are not here", schema.path))
            self._drop("openapi")
        else:
            named.append(schema)
        for each in named:
            if each.string and "\n" not in each.string:
                if is_remote(each.string):
                    raise RefusedError(f"{each.string} is elsewhere, and {_CHANGES}", each.at, "keep a copy in Git")
                self.references.append((each.path, each.string))

    def _data_files(self) -> None:
        for name in ("configMapGenerator", "secretGenerator"):
            entries = list(self._document.root[name].elements())
            kept = [made for each in entries if (made := self._generator(name, each)) is not None]
            if kept != [each.value for each in entries]:
                self.data[name] = kept
                self.changed = True

    def _generator(self, name: str, entry: Field) -> Any:
        """A generator without the files that are not here; ``None`` where nothing can be told of what it makes."""
        found = [*entry["files"].elements(), *entry["envs"].elements(), entry["env"]]
        texts = [(part.path, _source(part.string)) for part in found if part.string]
        far = next((text for _, text in texts if is_remote(text)), None)
        missing = [(path, text) for path, text in texts if not self._files.has(self._directory, text)]
        if name == "secretGenerator" and missing:
            return None  # secrets are kept out of Git, and nothing is read of them
        if far is not None:
            self.out.append((f"{entry['name'].string or '?'}, made of {far}", _ELSEWHERE, entry.path))
            return None
        lost = [(path, text) for path, text in missing if self._files.ignored(self._directory, text)]
        self.references += [each for each in texts if each not in lost]
        if not lost:
            return entry.value
        self.lost += [(text, _IGNORED, path) for path, text in lost]
        return _without(entry, {path for path, _ in lost})


def is_inline(entry: str) -> bool:
    """Whether an entry of generators and the like may be a configuration itself: kustomize tries that first."""
    return any(sign in entry for sign in "\n:{[")


def _is_path(entry: str) -> bool:
    """Whether a patch is the name of a file or an address, and not an object in place."""
    return "\n" not in entry and (":" not in entry or is_remote(entry))


def _refusal(plugin: Field) -> str:
    """Why a plugin does not take part; empty where it does."""
    if plugin["apiVersion"].string != "builtin" or (plugin["kind"].string or "").startswith("HelmChart"):
        return "would run a program"
    far = next((text for text in texts(plugin.value) if is_remote(text) or is_remote(_source(text))), None)
    return f"is made of {far}, which is elsewhere" if far is not None else ""


def _without(entry: Field, paths: set[Path]) -> dict[str, Any]:
    """A generator without the sources at some paths."""
    made = {key: value for key, value in (entry.mapping or {}).items() if entry[key].path not in paths}
    for key in ("files", "envs"):
        if isinstance(made.get(key), list):
            made[key] = [each.value for each in entry[key].elements() if each.path not in paths]
    return made


def _scalars(value: Any) -> Iterator[str]:
    """Texts that may be names of files."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _scalars(each)
    elif isinstance(value, str) and value and "\n" not in value and len(value) < _MAX_NAME:
        name = _source(value)
        if not name.startswith(("/", "..")) and not is_remote(name):
            yield name


def _source(text: str) -> str:
    """The file of ``key=file``."""
    return text.partition("=")[2] or text
