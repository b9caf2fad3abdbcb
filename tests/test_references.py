"""References to specifications, decisions and the design resolve, and links between documents (docs/spec/README.md)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.needs("git")

FOLDERS = ("lint", "rules", "schemas", "tests", "docs", ".github")
TYPES = {".py", ".md", ".yaml", ".yml", ".toml"}
PAGES = {
    "S": "docs/spec/scheduling.md",
    "P": "docs/spec/policy.md",
    "N": "docs/spec/collective.md",
    "W": "docs/spec/workloads.md",
    "Q": "docs/spec/queueing.md",
    "D": "docs/spec/devices.md",
    "decision": "docs/decisions.md",
    "design": "docs/design.md",
}

NUMBER = r"\d+(?:\.(?:\d+|F\d+b?))*"
MORE = rf"(?:(?:, and |, | and | to ){NUMBER}(?![\w/%-]))*"
REFERENCE = re.compile(
    rf"\b(?P<page>[SPNWQD]) (?P<numbers>{NUMBER}{MORE})(?![\w/%])"
    rf"|\b(?P<decision>[Dd]ecisions?) (?P<decisions>\d+{MORE})"
    rf"|\b(?P<design>[Dd]esign), sections? (?P<sections>{NUMBER}{MORE})"
)
STEP = re.compile(rf"(?P<joint>, and |, | and | to |^)(?P<number>{NUMBER})")
ODD = {
    "a number after `no.`": re.compile(r"\b[SPNWQD] \d+(?:\.\d+)* no\. \d"),
    "a number in parentheses": re.compile(r"\b[SPNWQD] \d+(?:\.\d+)* \(\d"),
    "a flow without its section": re.compile(r"(?<!\.)\bF\d{1,2}b?\b(?=[:;,)]| and )"),
    "a section of the design without the word": re.compile(r"\b[Dd]esign,? \d"),
    "a document that is not here": re.compile(
        r"\brules\.md\b|\b(?:policy|scheduling)-semantics|\bworkload-(?:kinds|corrections)|\bnccl-and-fabric|\.\./shared/[a-z]+\.md"
    ),
}
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HERE = Path(__file__).relative_to(ROOT).as_posix()


def files() -> Iterator[Path]:
    """Every file that may refer to a document, in the order of paths."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS, "*.md", "*.toml", "Makefile"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in sorted(set(done.stdout.splitlines())):
        path = ROOT / name
        kind = path.suffix in TYPES or path.name == "Makefile"
        if kind and path.is_file() and name != HERE and "conformance/data" not in name:
            yield path


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors of a page, in small letters; those of its headings as GitHub makes them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return frozenset([*ANCHOR.findall(text), *map(slug, headings)])


def slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w -]", "", re.sub(r"<[^>]*>", "", heading)).strip().lower().replace(" ", "-")


def spread(numbers: str) -> Iterator[str]:
    """Each number of a list: ``2, 4 to 6`` are 2, 4, 5 and 6."""
    last = ""
    for match in STEP.finditer(numbers):
        number = match["number"]
        if match["joint"] == " to ":
            head, _, first = last.rpartition(".")
            other, _, end = number.rpartition(".")
            if head != other or not (first.isdigit() and end.isdigit()) or int(first) >= int(end):
                yield f"{last} to {number}"
                continue
            yield from (f"{head}.{each}".lstrip(".") for each in range(int(first) + 1, int(end)))
        yield number
        last = number


def references(text: str) -> Iterator[tuple[str, str]]:
    """The reference as it is written, and the anchor that it names as ``page#anchor``."""
    text = re.sub(r"\s*\n\s*(?:#+ )?", " ", text)
    for match in REFERENCE.finditer(text):
        kind = match["page"] or ("decision" if match["decision"] else "design")
        for number in spread(match["numbers"] or match["decisions"] or match["sections"]):
            yield match[0], f"{PAGES[kind]}#{kind.lower()}-{number.lower()}"


def unresolved(text: str) -> list[str]:
    """What is wrong with the references of a text, one line for each."""
    wrong = [f"{written}: no {anchor}" for written, anchor in references(text) if not there(anchor)]
    for what, form in ODD.items():
        wrong += [f"{match[0]}: {what}" for match in form.finditer(text)]
    return wrong


def there(anchor: str) -> bool:
    page, _, name = anchor.partition("#")
    return name in anchors(page)


def dead_links(path: Path, text: str) -> list[str]:
    """Links of a Markdown text to files or anchors that are not there; the web is not asked."""
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    dead = []
    for target in LINK.findall(prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        known = file.is_relative_to(ROOT) and file.exists()
        if not known or (fragment and fragment not in anchors(file.relative_to(ROOT).as_posix())):
            dead.append(target)
    return dead


def test_every_reference_resolves() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {each}"
        for path in files()
        for each in unresolved(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert wrong == []


def test_every_link_between_documents_resolves() -> None:
    pages = [path for path in files() if path.suffix == ".md"]
    dead = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in pages
        for link in dead_links(path, path.read_text(encoding="utf-8"))
    ]
    assert dead == []


def test_references_are_found_where_they_stand() -> None:
    code = [path for path in files() if path.suffix == ".py" and path.is_relative_to(ROOT / "lint")]
    named = {anchor for path in code for _, anchor in references(path.read_text(encoding="utf-8"))}
    assert {anchor.partition("#")[0] for anchor in named} >= set(PAGES.values()) - {PAGES["D"], PAGES["Q"]}
    assert len(named) > 100


@pytest.mark.parametrize("page", sorted(set(PAGES.values())))
def test_an_anchor_stands_once(page: str) -> None:
    found = ANCHOR.findall((ROOT / page).read_text(encoding="utf-8"))
    assert found
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(S 1.2)", ["s-1.2"]),
        ("(W 4 to 7, 11)", ["w-4", "w-5", "w-6", "w-7", "w-11"]),
        ("P 6.24 to 6.26 and 6.60", ["p-6.24", "p-6.25", "p-6.26", "p-6.60"]),
        ("S 2; W 5, 6", ["s-2", "w-5", "w-6"]),
        ("decisions 1, 3, and\n    # 5", ["decision-1", "decision-3", "decision-5"]),
        ("design, sections 7.2 and 7.3", ["design-7.2", "design-7.3"]),
        ("W 15.F2b", ["w-15.f2b"]),
    ],
)
def test_the_syntax(text: str, numbers: list[str]) -> None:
    assert [anchor.partition("#")[2] for _, anchor in references(text)] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "(S 1.99)",
        "P 6.68 to 6.70",  # 6.70 is none
        "P 6.2 to 7.1",  # no range
        "decision 17",
        "decisions 3 and 40",
        "design, section 7.9",
        "design, 7.4",
        "S 5 no. 11",
        "W 17 (16)",
        "(F7; TensorFlow)",
        "rules.md, placement/",
        "W 15.F99",
    ],
)
def test_a_bad_reference_is_noticed(text: str) -> None:
    assert unresolved(f'"""A module ({text})."""')


@pytest.mark.parametrize(
    "text",
    ["[gone](nowhere.md)", "[gone](docs/decisions.md#decision-99)", "[out](../../etc/passwd)", "[gone](#nowhere)"],
)
def test_a_dead_link_is_noticed(text: str) -> None:
    assert dead_links(ROOT / "README.md", text)
