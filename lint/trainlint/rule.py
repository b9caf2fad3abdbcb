"""What a rule is, what it sees, and how rules are found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Protocol, TypeVar

from trainlint.fact import fact
from trainlint.facts.change import Change
from trainlint.facts.facts import Facts
from trainlint.finding import Finding, Severity
from trainlint.model.root import Root
from trainlint.snapshot.repository import Repository

__all__ = ["Change", "Facts", "Repository", "Rule", "all_rules", "rule", "told_by"]

ENTRY_POINTS = "trainlint.rules"

Check = TypeVar("Check", bound=Callable[..., Iterator[Finding]])


class _Marked(Protocol):
    """A rule's function as the decorator leaves it."""

    __module__: str
    trainlint_severity: Severity
    trainlint_sees: type
    trainlint_tells: tuple[Root, ...]
    trainlint_blames: bool

    def __call__(self, facts: Any, /) -> Iterator[Finding]: ...


@fact
class Rule:
    """One rule: its name (the module's, with dashes), category (the package's), page (the module's docstring).

    ``tells`` are the roots of refutations that it reports. ``blames`` says that the part of a change which makes its
    findings must be looked for: they give no place of it.
    """

    name: str
    category: str
    severity: Severity
    page: str
    check: Callable[..., Iterator[Finding]]
    sees: type
    tells: tuple[Root, ...] = ()
    blames: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]

    @property
    def module(self) -> str:
        """The import name of the module that it stands in; of a folder, the name of the folder."""
        return self.check.__module__

    @property
    def package(self) -> str:
        """The package that it comes from: ``trainlint_rules`` for trainlint's own."""
        return self.module.partition(".")[0]


def rule(
    severity: Severity, *, sees: type = Facts, tells: tuple[Root, ...] = (), blames: bool = False
) -> Callable[[Check], Check]:
    """Mark a module's function as its rule.

    ``sees`` says what the function is given: the ``Facts`` of one snapshot (the default; it then runs once for each
    snapshot), the ``Repository`` as it was read, before anything is deployed together, or the ``Change`` from a base
    revision (it then runs only where there is one). ``tells`` are the roots of refutations that the rule reports.
    ``blames`` is for rules about a change that find what it does and not where: it is tried which part of it does that.
    """

    def mark(check: Check) -> Check:
        check.trainlint_severity = severity  # type: ignore[attr-defined]
        check.trainlint_sees = sees  # type: ignore[attr-defined]
        check.trainlint_tells = tells  # type: ignore[attr-defined]
        check.trainlint_blames = blames  # type: ignore[attr-defined]
        return check

    return mark


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule of every package that the entry point group ``trainlint.rules`` names, sorted by name."""
    packages = {entry.value: importlib.import_module(entry.value) for entry in entry_points(group=ENTRY_POINTS)}
    found = {each.name: each for package in packages.values() for each in _rules_of(package)}
    return tuple(found[name] for name in sorted(found))


@cache
def told_by() -> Mapping[Root, str]:
    """The name of the rule that tells each root: the first by name, where packages add a second one."""
    return {root: each.name for each in reversed(all_rules()) for root in each.tells}


def _rules_of(package: ModuleType) -> Iterator[Rule]:
    """The rules of a package: each stands in a module, or in the ``__init__`` of a folder that bears its name."""
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if hasattr(value, "trainlint_severity") and value.__module__ == module.__name__:
                yield _rule_of(module, value)


def _rule_of(module: ModuleType, check: _Marked) -> Rule:
    *_, category, name = module.__name__.split(".")
    return Rule(
        name=name.replace("_", "-"),
        category=category,
        severity=check.trainlint_severity,
        page=(module.__doc__ or "").strip(),
        check=check,
        sees=check.trainlint_sees,
        tells=check.trainlint_tells,
        blames=check.trainlint_blames,
    )
