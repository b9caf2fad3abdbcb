"""The findings with their source lines, and what filters them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.finding import Certainty, Severity
from trainlint.report.concern import groups_of
from trainlint.report.element import Child, Markup, element, joined
from trainlint.report.headline import severity_of
from trainlint.report.html.parts import answer, excerpt, names, place, section
from trainlint.report.values import compact
from trainlint.result import Placed, Result

__all__ = ["Concerned", "concerned", "findings", "option_list"]

EXCERPTS: Final = 8

Concerned = Mapping[int, tuple[int, ...]]
"""For each finding (by number) the groups that it is about (by number)."""


def concerned(result: Result) -> Concerned:
    """Which findings are about which groups."""
    index = {id(group): number for number, group in enumerate(result.groups)}
    return {
        number: tuple(index[id(group)] for group in groups_of(placed, result.groups))
        for number, placed in enumerate(result.findings)
    }


def findings(
    result: Result, about: Concerned, anchors: Sequence[str], *, suppressed: bool, linked: bool
) -> tuple[Child, list[str]]:
    """The section of findings, and the name of each one on the page; ``linked`` says that the groups are on it too."""
    ids = names(f"finding/{placed.finding.id or placed.finding.rule}" for placed in result.findings)
    articles = [
        _article(placed, name, [(anchors[group], result.groups[group].name) for group in about[number]], linked=linked)
        for number, (placed, name) in enumerate(zip(result.findings, ids, strict=True))
    ]
    if not articles:
        shown: Child = element("p", "No findings.", class_="none")
    else:
        shown = joined([_filters(result, about, anchors), *articles])
    silenced = [_article(placed, None, ()) for placed in result.suppressed] if suppressed else []
    return (
        joined(filter(None, [section("findings", "Findings", shown), section("suppressed", "Suppressed", *silenced)])),
        ids,
    )


def _filters(result: Result, about: Concerned, anchors: Sequence[str]) -> Markup:
    counts = Counter(severity_of(placed) for placed in result.findings)
    boxes = [
        element(
            "label",
            element("input", type="checkbox", name="severity", value=severity.value, checked=True),
            answer(severity.value),
            f" {counts[severity]}",
        )
        for severity in Severity
        if counts[severity]
    ]
    categories = Counter(placed.finding.category for placed in result.findings)
    groups = Counter(group for found in about.values() for group in found)
    snapshots = Counter(name for placed in result.findings for name in placed.finding.snapshots)
    several = len(result.snapshots) > 1
    return element(
        "form",
        element("fieldset", element("legend", "Severity"), *boxes),
        option_list("category", "Category", ((name, name, count) for name, count in sorted(categories.items()))),
        option_list(
            "group", "Group", ((anchors[each], result.groups[each].name, count) for each, count in groups.items())
        ),
        option_list("snapshot", "Snapshot", ((name, name, count) for name, count in sorted(snapshots.items())))
        if several
        else None,
        element("label", "Text ", element("input", type="search", name="text", placeholder="rule, file or word")),
        element("output", class_="count", name="count", aria_live="polite"),
        element("button", "Show all", type="reset"),
        class_="filters",
        id="finding-filters",
        aria_label="Filter the findings",
    )


def option_list(name: str, title: str, options: Iterable[tuple[str, str, int]]) -> Markup | None:
    """A choice of values (value, text, how many); nothing where there is none."""
    listed = [element("option", f"{shown} ({count})", value=value) for value, shown, count in options]
    if not listed:
        return None
    return element("label", f"{title} ", element("select", element("option", "all", value=""), *listed, name=name))


def _article(placed: Placed, name: str | None, groups: Sequence[tuple[str, str]], *, linked: bool = False) -> Markup:
    finding = placed.finding
    severity = severity_of(placed).value
    rule = element("a", finding.rule, href=f"#{name}", class_="rule") if name else element("span", finding.rule)
    places = list(_places(placed))
    return element(
        "article",
        element("h3", answer(severity), " ", rule, ": ", finding.message),
        *places,
        _facts(placed),
        element("p", element("strong", "To fix it: "), finding.remedy, class_="remedy") if finding.remedy else None,
        _groups(groups, linked=linked),
        id=name,
        class_=f"finding {severity}",
        tabindex=-1 if name else None,
        data_severity=severity,
        data_category=finding.category,
        data_group=" ".join(anchor for anchor, _ in groups),
        data_snapshot="\t".join(finding.snapshots),
    )


def _places(placed: Placed) -> Iterator[Child]:
    """The place of the finding, then the related ones; those at one place together."""
    yield _spot(place(placed.finding.at.file, placed.span, base=placed.base), "", excerpt(placed.lines, placed.span))
    for number, each in enumerate(placed.related):
        shown = excerpt(each.lines, each.span) if number < EXCERPTS else None
        yield _spot(place(each.file, each.span, base=each.base), each.role, shown)


def _spot(where: Markup, role: str, shown: Markup | None) -> Markup:
    return element("div", where, element("span", role, class_="role") if role else None, shown, class_="spot")


def _facts(placed: Placed) -> Markup | None:
    finding = placed.finding
    said: list[tuple[str, Child]] = [(str(key), compact(value)) for key, value in finding.evidence.items()]
    said += [(f"counterexample: {key}", _where(value)) for key, value in finding.counterexample.items()]
    if finding.certainty is not Certainty.PROVEN:
        said.append(("certainty", f"{finding.certainty}: rests on experience, not on a proof"))
    said += [("assumes", text) for text in finding.assumes]
    if finding.snapshots and finding.snapshots != (".",):
        said.append(("snapshots", ", ".join(finding.snapshots)))
    if placed.reason:
        said.append(("suppressed", placed.reason))
    parts = [part for key, value in said for part in (element("dt", key), element("dd", value))]
    return element("dl", *parts) if parts else None


def _where(value: Any) -> str:
    if isinstance(value, Mapping) and all(isinstance(count, int) for count in value.values()):
        return ", ".join(f"{count} in {zone}" for zone, count in value.items())
    return compact(value)


def _groups(groups: Sequence[tuple[str, str]], *, linked: bool) -> Markup | None:
    if not groups:
        return None
    links = [
        part for anchor, name in groups for part in (", ", element("a", name, href=f"#{anchor}") if linked else name)
    ][1:]
    return element("p", "Group: ", *links, class_="about")
