"""A command line whose engine answers what the test says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

import trainlint
from trainlint.cli.main import cli
from trainlint.finding import Severity
from trainlint.result import Result as Answer


@dataclass
class FakeEngine:
    """Remembers how it was called; returns ``result``, or raises it."""

    result: Answer | BaseException = field(default_factory=lambda: Answer("/"))
    paths: tuple[Any, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)

    def check(self, paths: Any, **arguments: Any) -> Answer:
        self.paths, self.arguments = tuple(paths), arguments
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


@dataclass(frozen=True)
class FakeRule:
    name: str
    category: str
    severity: Severity = Severity.ERROR
    page: str = "One line.\n\nMore lines."

    @property
    def summary(self) -> str:
        return self.page.partition("\n")[0]


def _replace_module(monkeypatch: pytest.MonkeyPatch, name: str, **attributes: Any) -> None:
    module = ModuleType(f"trainlint.{name}")
    vars(module).update(attributes)
    monkeypatch.setitem(sys.modules, f"trainlint.{name}", module)
    monkeypatch.setattr(trainlint, name, module, raising=False)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    fake = FakeEngine()
    _replace_module(monkeypatch, "engine", check=fake.check)
    return fake


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> tuple[FakeRule, ...]:
    fakes = (
        FakeRule("flow-denied", "policy"),
        FakeRule("no-viable-zone", "topology"),
        FakeRule("soft-colocation", "topology", Severity.NOTE),
    )
    _replace_module(monkeypatch, "rule", all_rules=lambda: fakes)
    return fakes


@pytest.fixture
def run(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, rules: tuple[FakeRule, ...]) -> Callable[..., Result]:
    """Runs ``trainlint`` with these arguments in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)

    def invoke(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(cli, arguments, prog_name="trainlint", **options)

    return invoke
