"""Wrong names, and the right ones they are near to."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.finding import UsageError

__all__ = ["rule_names", "unknown_name"]


def unknown_name(what: str, name: str, names: Iterable[str]) -> str:
    """The message for a name that is none of ``names``: with the nearest one, or with all where none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 (only needed for a mistake)

    names = list(names)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names)}"
    return f"there is no {what} {name!r}; {hint}"


def rule_names(option: str, values: Iterable[str]) -> frozenset[str]:
    """The names of rules and categories in comma lists; ``UsageError`` for one that does not exist."""
    chosen = frozenset(name.strip() for value in values for name in value.split(",") if name.strip())
    if not chosen:
        return chosen
    from trainlint.rule import all_rules  # noqa: PLC0415 (loads all rules)

    rules = all_rules()
    names = sorted({rule.name for rule in rules} | {rule.category for rule in rules})
    for name in sorted(chosen.difference(names)):
        raise UsageError(f"{option}: {unknown_name('rule or category', name, names)}")
    return chosen
