"""Renders what was not rendered before, as long as there is time."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.helm.install import HelmInstall, TemplateCluster
from trainlint.source.helm.renderer import Failed, HelmProgram, Request, Worker
from trainlint.source.helm.staging import StagedChart
from trainlint.source.rendering_allowance import RenderingAllowance

__all__ = ["Copy", "Engine", "Store"]

DNS_LABEL: Final = lazy_pattern(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
DNS_NAME: Final = lazy_pattern(rf"{DNS_LABEL.pattern}(?:\.{DNS_LABEL.pattern})*")
MAX_RELEASE: Final = 53
"""Helm's limit, pkg/chartutil/validate_name.go."""
MAX_LABEL: Final = 63


class Store(Protocol):
    """Keeps what was rendered, by a digest of all that it was made from; ``charts`` may be rendered yet."""

    @property
    def charts(self) -> RenderingAllowance:
        """What may be begun yet."""

    def get_text(self, digest: str) -> bytes | None:
        """What was kept; ``None`` where nothing was."""

    def keep_text(self, digest: str, text: bytes, *, lasting: bool = True) -> None:
        """Keep it; what is not ``lasting`` for this run only."""


class Copy:
    """A copy of one chart on the disk, made when it is needed."""

    def __init__(self) -> None:
        self._home: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Copy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._home is not None:
            self._home.cleanup()

    def of(self, staged: StagedChart) -> str:
        """Where the copy is."""
        if self._home is None:
            self._home = tempfile.TemporaryDirectory(prefix="trainlint-chart-", ignore_cleanup_errors=True)
            _write(staged, Path(self._home.name))
        return self._home.name


def _write(staged: StagedChart, home: Path) -> None:
    """Make the copy. Raises Failed where names do not go together, or are too long."""
    try:
        _write_files(staged, home)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or str(error)
        raise Failed(f"it cannot be copied: {why}", lasting=True) from None


def _write_files(staged: StagedChart, home: Path) -> None:
    made: set[Path] = set()
    for name, content in staged.files.items():
        if posixpath.normpath(f"/{name}") != f"/{name}":
            raise Failed(f"{name!r} is no name for a file of a chart")
        path = home / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(content)


class Engine:
    """Asks the store before it asks the worker; ``cluster`` is what templates are told."""

    def __init__(self, worker: Worker, program: HelmProgram, store: Store, cluster: TemplateCluster) -> None:
        self.cluster = cluster
        self._worker = worker
        self._identity = program.identity
        self._store = store

    def render(
        self, staged: StagedChart, copy: Copy, install: HelmInstall, values: Mapping[str, Any]
    ) -> dict[str, str]:
        """What each template makes; ``copy`` is for the chart, where it must be rendered. Raises Failed.

        Names are those of Kubernetes, or nothing is started: none of them can be taken for an option.
        """
        check_names(install)
        request = Request(
            name=install.release,
            namespace=install.namespace,
            values=json.dumps(values),
            kube_version=_version(self.cluster.kubernetes),
            api_versions=tuple(sorted(self.cluster.apis)),
        )
        digest = self._digest(staged, request)
        known = self._known(digest)
        if known is not None:
            return known
        allowance = self._store.charts
        if refusal := allowance.refusal():
            raise Failed(refusal)
        seconds = allowance.begin()
        if not seconds:
            raise Failed("it was not tried: the charts before it took all the time of the processor that they may take")
        home = copy.of(staged)
        before = self._worker.seconds
        try:
            made = self._worker.render(replace(request, chart=home), seconds)
        except Failed as error:
            said = str(error).replace(f"{home}/", "").replace(home, "the chart")
            self._store.keep_text(digest, json.dumps({"error": said}).encode(), lasting=error.lasting)
            allowance.end(seconds if not self._worker.seconds else self._worker.seconds - before)
            raise Failed(said) from None
        allowance.end(max(0.0, self._worker.seconds - before))
        self._store.keep_text(digest, json.dumps(made).encode())
        return made

    def _known(self, digest: str) -> dict[str, str] | None:
        kept = self._store.get_text(digest)
        if kept is None:
            return None
        try:
            known: dict[str, str] = json.loads(kept)
        except ValueError:
            return None
        if "error" in known:
            raise Failed(known["error"])
        return known

    def _digest(self, staged: StagedChart, request: Request) -> str:
        parts = [self._identity, request.name, request.namespace, request.values, request.kube_version]
        digest = hashlib.sha256("\0".join([*parts, *request.api_versions, ""]).encode("utf-8", "surrogateescape"))
        for name, content in sorted(staged.files.items()):
            digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
        return digest.hexdigest()


def check_names(install: HelmInstall) -> None:
    """Refuse what is no name of a release or of a namespace, as helm and Kubernetes do. Raises Failed."""
    if len(install.release) > MAX_RELEASE or not DNS_NAME.fullmatch(install.release):
        raise Failed(f"the release name {install.release!r} is no DNS name of at most {MAX_RELEASE} characters")
    if len(install.namespace) > MAX_LABEL or not DNS_LABEL.fullmatch(install.namespace):
        raise Failed(f"the namespace {install.namespace!r} is no DNS label")


def _version(stated: str) -> str:
    """``1.33`` as helm wants it; empty for what is no version."""
    if not re.fullmatch(r"v?\d{1,4}(?:\.\d{1,4}){1,2}", stated):
        return ""
    parts = stated.removeprefix("v").split(".")
    return f"v{'.'.join([*parts, '0', '0'][:3])}" if stated else ""
