"""Which rules run, with the severities of their findings: the command line overrides the configuration."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from trainlint.config.choices import Choices, named_rules
from trainlint.fact import fact
from trainlint.finding import Severity, UsageError
from trainlint.rule import Rule
from trainlint.source.document import Document
from trainlint.source.spans import locate

__all__ = ["Selection", "names_of", "select"]


@fact
class Selection:
    """The rules that run, and the severities that replace those which the rules give."""

    rules: tuple[Rule, ...]
    severities: Mapping[str, Severity] = field(default_factory=dict)


def select(rules: Sequence[Rule], given: Choices, file: Choices, document: Document | None) -> Selection:
    """Choose among all rules. ``given`` are the choices of the command line, ``file`` those of ``document``.

    Raises:
        UsageError: the file names a rule or category that does not exist.
    """
    if document is not None:
        wrong = list(_wrong_names(document, rules))
        if wrong:
            raise UsageError("\n".join(wrong))
    severities = {name: level for name, level in file.severities.items() if level is not None}
    return Selection(tuple(rule for rule in rules if _runs(rule, given, file)), severities)


def names_of(rules: Iterable[Rule]) -> frozenset[str]:
    """The names of the rules and of their categories."""
    return frozenset(name for rule in rules for name in (rule.name, rule.category))


def _runs(rule: Rule, given: Choices, file: Choices) -> bool:
    """The command line has the first word; in each source a name counts more than its category, ignore than select."""
    off = frozenset(name for name, level in file.severities.items() if level is None)
    for ignored, selected in ((given.ignore, given.select), (file.ignore | off, file.select)):
        for name in (rule.name, rule.category):
            if name in ignored:
                return False
            if name in selected:
                return True
        if selected:
            return False
    return True


def _wrong_names(document: Document, rules: Iterable[Rule]) -> Iterator[str]:
    names = {rule.name for rule in rules}
    categories = {rule.category for rule in rules}
    for name, place, category in named_rules(document):
        known = names | categories if category else names
        if name not in known:
            _, span = locate(document, place.path)
            near = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f"did you mean {near[0]}?" if near else "`trainlint rule` lists them"
            what = "rule or category" if category else "rule"
            yield (
                f"{document.file}:{span.line}:{span.column}: configuration: "
                f"{'.'.join(map(str, place.path))}: there is no {what} {name}; {hint}"
            )
