"""The page as a parser sees it: complete, linked, closed to the network, and nothing in it that a manifest brought."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.samples import EVIL, everything, evil, many

from trainlint.engine import check
from trainlint.finding import Span
from trainlint.report import Options, reporter
from trainlint.report.element import Markup, element, joined
from trainlint.report.html.parts import excerpt
from trainlint.result import Result

LAB = Path(__file__).parents[1] / "lab"
VOID = {"br", "hr", "input", "link", "meta"}
HOSTILE = "</script><img src=x onerror=alert(1)>"


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    parent: Element | None = None
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.texts)


class Reader(HTMLParser):
    """Reads a page; tags that do not match are an error, as they are not in a browser."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        found = Element(tag, dict(attrs), self.open[-1] if self.open else None)
        self.elements.append(found)
        if tag not in VOID:
            self.open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        for each in self.open:
            each.texts.append(data)

    def named(self, name: str, **attributes: str) -> list[Element]:
        return [
            each
            for each in self.elements
            if each.name == name
            and all(each.attributes.get(key.rstrip("_")) == value for key, value in attributes.items())
        ]


def page(result: Result, *, show_suppressed: bool = False) -> str:
    return reporter("html")(result, Options(show_suppressed=show_suppressed))


def lab(tmp_path: Path, *states: str, **changes: str) -> Result:
    for part in ("cluster", *states):
        shutil.copytree(LAB / part, tmp_path / part)
    for file in tmp_path.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        for old, new in changes.items():
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
    return check([tmp_path], graphs=True)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


def sound(text: str) -> Reader:
    """The page, with all that must hold of every one."""
    read = Reader(text)
    ids = [each.attributes["id"] for each in read.elements if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    for each in read.elements:
        assert not [name for name in each.attributes if name.startswith("on") or name in {"style", "src", "srcdoc"}]
        for name in ("href", "aria-labelledby", "aria-controls"):
            value = each.attributes.get(name)
            if value is not None:
                assert value.removeprefix("#") in ids, (name, value)
                assert name != "href" or value.startswith("#")
    assert not {each.name for each in read.elements} & {
        "img",
        "iframe",
        "object",
        "embed",
        "link",
        "base",
        "image",
        "use",
    }
    (script,) = read.named("script")
    (policy,) = read.named("meta", **{"http-equiv": "Content-Security-Policy"})
    content = policy.attributes["content"] or ""
    for source, inside in (("script-src", script.text), ("style-src", read.named("style")[0].text)):
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in content
    assert content.startswith("default-src 'none'; ")
    assert "unsafe" not in content
    for each in (script, *read.named("style")):
        assert not re.search(r"https?:|//\w|@import|url\(", each.text)
    return read


def test_the_page_holds_everything_that_a_result_holds() -> None:
    read = sound(page(everything(), show_suppressed=True))
    (body,) = read.named("body")
    for text in (
        "1 error (1 suppressed); 3 groups: 1 cannot run, 1 proved, 1 unknown; 3 unknown facts",
        "speech/leader+trainers",
        "no zone can run speech/leader+trainers",
        "broken/training.yaml:17",
        "cluster/nodes.yaml:112",
        "who keeps the leader out",
        "leader does not tolerate reserved-for=accelerators:NoSchedule",
        "tolerations: [{key: reserved-for, operator: Equal}]",
        "west (cpu-1)",
        "the number of workers is ${WORKERS}",
        "render it: helm template",
        "the CNI is Cilium 1.20 (no file names it)",
        "broken/ and fixed/ define Deployment speech/leader differently",
        "measured, fast enough",
    ):
        assert text in body.text, text
    # The worst first: the refuted group, the unknown one, the proved one.
    rows = [each.text for each in read.named("a", class_="open")]
    assert rows == ["speech/leader+trainers", "lab/elastic", "speech/leader+trainers"]
    (mark, *_) = read.named("mark")
    assert mark.text == "spec:"  # columns 5 to 9 of "    spec:"


def test_what_is_wrong_with_the_lab_stands_beside_the_picture(tmp_path: Path) -> None:
    read = sound(page(lab(tmp_path, "before")))
    numbered = [each.text for each in read.named("div") if "numbered" in (each.attributes.get("class") or "")]
    # tests/lab/README.md: the coordinator lands in zone-b only, the workers in zone-a only, and the boundary cuts them.
    assert [text[:1] for text in numbered] == ["1", "2", "3"]
    assert "coordinator cannot run in zone-a" in numbered[0]
    assert "cluster/nodes.yaml:20" in numbered[0]
    assert "add the toleration to coordinator" in numbered[0]
    assert "workers cannot run in zone-b" in numbered[1]
    assert "workers → coordinator, TCP 9999: denied" in numbered[2]
    assert "cluster/zone-boundary.yaml:9" in numbered[2]
    assert "set the label net-zone: zone-a on the pods of vision/coordinator" in numbered[2]
    pictures = read.named("svg")
    assert len(pictures) == 2  # zones beside each other, and below each other for narrow screens
    assert all({"zone-a", "zone-b", "denied"} <= set(_words(read, each)) for each in pictures)


def _words(read: Reader, picture: Element) -> list[str]:
    return [each.text for each in read.named("text") if _inside(each, picture)]


def _inside(each: Element | None, outer: Element) -> bool:
    while each is not None and each is not outer:
        each = each.parent
    return each is outer


def test_names_in_manifests_are_text_and_nothing_else(tmp_path: Path) -> None:
    read = sound(page(evil(), show_suppressed=True))
    assert EVIL.split("<")[0] in read.named("body")[0].text
    changes = {
        "name: coordinator, namespace": f'name: "{HOSTILE}", namespace',
        "zone: zone-a": 'zone: "\\"><svg onload=alert(1)>"',
        "name: inside-zone-a": f'name: "{HOSTILE}"',
    }
    result = lab(tmp_path, "before", **changes)
    assert result.graphs
    read = sound(page(result))
    assert HOSTILE in read.named("body")[0].text
    assert HOSTILE[:20] in "".join(each.text for each in read.named("text"))


@given(st.text(), st.text(), st.text())
def test_whatever_a_string_holds_it_is_text_of_an_element_and_value_of_an_attribute(a: str, b: str, c: str) -> None:
    made = element("p", a, element("b", b, title=c), data_x=b)
    outer, inner = Reader(made).elements
    assert (outer.name, inner.name) == ("p", "b")
    visible = str.isprintable
    if all(map(visible, (a, b, c))):
        assert (outer.text, inner.text, inner.attributes, outer.attributes) == (a + b, b, {"title": c}, {"data-x": b})
    assert joined([made, a, None]) == made + joined([a])


@pytest.mark.parametrize(
    ("lines", "span", "shown", "marked"),
    [
        (("    a: b",), Span(7, 5, 7, 6), ["a: b"], ["a"]),
        (("    a: b", "      c: d"), Span(7, 5, 8, 11), ["a: b", "  c: d"], ["a: b", "c: d"]),
        (("a:", "", "  - b", "more"), Span(7, 1, 12, 1), ["a:", "", "  - b", "more", "…"], ["a:", "- b", "more"]),
        (("\tx <y>",), Span(7, 2, 7, 99), ["    x <y>"], ["x <y>"]),
        (("short",), Span(7, 30, 7, 40), ["short"], []),
    ],
)
def test_an_excerpt_marks_its_span(lines: tuple[str, ...], span: Span, shown: list[str], marked: list[str]) -> None:
    read = Reader(excerpt(lines, span) or "")
    assert [each.text for each in read.named("span", class_="source")] == shown
    assert [each.text for each in read.named("mark")] == marked
    assert [each.text for each in read.named("span", class_="number") if each.text] == [
        str(7 + number) for number in range(len(lines))
    ]


def test_markup_is_not_escaped_twice_and_nothing_is_no_attribute() -> None:
    assert element("p", Markup("<b>x</b>"), hidden=False, id=None, open=True) == '<p open=""><b>x</b></p>'
    assert element("rect", width=1.25, x=2.0) == '<rect width="1.2" x="2"></rect>'


def test_the_page_is_the_same_every_time_and_quiet_leaves_only_findings(tmp_path: Path) -> None:
    result = lab(tmp_path, "before", "after")
    assert page(result) == page(result)
    quiet = sound(reporter("html")(result, Options(quiet=True)))
    assert not quiet.named("svg")
    assert quiet.named("article")


def test_every_snapshot_has_a_section_of_its_own(tmp_path: Path) -> None:
    result = lab(tmp_path, "before", "after")
    read = sound(page(result))
    sections = [each.attributes["id"] for each in read.named("section", class_="group")]
    assert sections == ["group/vision/coordinator+workers/before", "group/vision/coordinator+workers/after"]


def test_nothing_found_is_said() -> None:
    assert "No findings." in sound(page(Result("/"))).named("body")[0].text


def test_a_page_of_many_findings_stays_small() -> None:
    assert len(page(many(1000))) < 2_000_000


def test_the_graphs_are_made_only_when_they_are_asked_for(tmp_path: Path) -> None:
    lab(tmp_path, "before")
    assert check([tmp_path]).graphs == ()
