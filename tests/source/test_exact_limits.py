"""Limits of what is read and rendered, at the last value that fits and the first that does not; and what is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trainlint.finding import Location, Unknown
from trainlint.source import rendering_allowance as allowance
from trainlint.source.build_cache import Builds, digest_of
from trainlint.source.cache import is_entry
from trainlint.source.copied_files import Closure
from trainlint.source.document import Document
from trainlint.source.documents import every_document
from trainlint.source.events import TooDeepError, TooManyDigitsError
from trainlint.source.file_tree import Tree
from trainlint.source.helm.lines import ACTION, LineNode, action_text, sections
from trainlint.source.helm.places import span_of
from trainlint.source.kustomize_closure import close
from trainlint.source.origins import Basis, Origins
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, objects, read
from trainlint.source.rendered_root import BuildRoot, Overlay
from trainlint.source.rendering_allowance import RenderingAllowance
from trainlint.source.safe_kustomization import RefusedError
from trainlint.source.world import SourceFile, World

MIB = 1 << 20


def test_the_seconds_of_one_run() -> None:
    given = RenderingAllowance()
    assert given.begin() == 10
    given.end(5)
    assert given.begin() == 7
    given.end(6.9)
    assert given.begin() == pytest.approx(0.1)
    given.end(1)
    assert given.begin() == 0
    given.renew()
    assert given.refusal(size=MIB) == ""
    assert given.begin(MIB) == pytest.approx(22)
    given.end(4)
    assert given.begin(MIB) == pytest.approx(12 + 0.2 + 12 - 4)
    for _ in range(5):
        given.refusal(size=MIB)
    assert given.begin(100 * MIB) == pytest.approx(12 + 6 * 0.2 + 60 - 4), "sixty seconds for sizes in all"


def test_starts_and_builds_of_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "STARTS", 2)
    monkeypatch.setattr(allowance, "BUILDS", 4)
    given = RenderingAllowance()
    assert given.refusal() == given.refusal(builds=3) == ""
    assert "2 were rendered before it" in given.refusal()
    given.renew()
    assert given.refusal(builds=5).startswith("it was not tried: with it, more than 4 kustomizations")
    assert given.refusal(builds=4) == "", "what was refused took nothing"
    assert "more than 4" in given.refusal()


def test_how_large_a_reading_may_be_that_is_kept() -> None:
    entry, content = b"x" * 1024, b""
    assert is_entry(entry, content)
    assert not is_entry(entry + b"x", content)
    more = next(size for size in range(1, 1 << 12) if not is_entry(b"x" * (1024 + size), b"y"))
    assert is_entry(b"x" * (1024 + 10 * (more - 1)), b"y" * 10)
    assert not is_entry(b"x" * (1024 + 10 * (more - 1) + 1), b"y" * 10)


@pytest.mark.parametrize("error", [TooDeepError, TooManyDigitsError])
def test_what_is_too_much_has_a_place(error: type[TooDeepError]) -> None:
    assert (error().index, error(3).index) == (0, 3)


READING = Reading("", unknowns=(Unknown("a", "b", "c"),))


def test_what_was_rendered_is_kept_for_this_run_and_the_next(tmp_path: Path) -> None:
    for builds in (Builds(tmp_path / "cache"), Builds()):
        assert builds.get("d" * 64) is None
        assert builds.get_text("e" * 64) is None
        builds.keep("d" * 64, READING)
        builds.keep_text("e" * 64, b"text")
        builds.keep("f" * 64, READING, lasting=False)
        builds.keep_text("0" * 64, b"text", lasting=False)
        assert builds.get("d" * 64) == builds.get("f" * 64) == READING
        assert builds.get_text("e" * 64) == builds.get_text("0" * 64) == b"text"
    later = Builds(tmp_path / "cache")
    assert later.get("d" * 64) == READING
    assert later.get_text("e" * 64) == b"text"
    assert later.get("f" * 64) is None
    assert later.get_text("0" * 64) is None
    (kept,) = (each for each in (tmp_path / "cache").iterdir() if each.name.startswith("e"))
    kept.write_bytes(kept.read_bytes().replace(b"text", b"tEXt"))
    assert Builds(tmp_path / "cache").get_text("e" * 64) is None, "it is not what was written"
    assert Builds().get("d" * 64) is None


def test_the_name_of_what_is_made() -> None:
    def name(*what: str, files: dict[str, bytes] | None = None, links: dict[str, str] | None = None) -> str:
        return digest_of(what, files or {}, links or {})

    every = [
        name(),
        name("a"),
        name("a", "b"),
        name("ab"),
        name(files={"a": b""}),
        name(files={"a": b"b"}),
        name(files={"b": b"b"}),
        name(files={"a": b"x", "b": b"y"}),
        name(links={"a": "b"}),
        name(links={"a": "c"}),
    ]
    assert len(set(every)) == len(every)
    assert name(files={"a": b"x", "b": b"y"}) == name(files={"b": b"y", "a": b"x"})
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in every)


def closed(files: dict[str, str], root: str = "", links: dict[str, str] | None = None, **how: object) -> Closure:
    sources = tuple(SourceFile(name, name, content=text.encode()) for name, text in files.items())
    tree = Tree(World(Path("/nowhere"), sources, links=links or {}))

    def documents(name: str) -> tuple[Document, ...]:
        return every_document(name, tree.read(name) or b"")

    return close(tree, BuildRoot(root, **how), documents)  # type: ignore[arg-type]


def chain(depth: int) -> dict[str, str]:
    files = {f"k{each}/kustomization.yaml": f"resources: [../k{each + 1}]\n" for each in range(depth - 1)}
    return {**files, f"k{depth - 1}/kustomization.yaml": "resources: []\nnamePrefix: a-\n"}


def test_kustomizations_lie_sixty_four_deep_and_no_deeper() -> None:
    made = closed(chain(64), "k0")
    assert len(made.kustomizations) == made.builds == 64
    with pytest.raises(RefusedError, match="kustomizations lie more than 64 deep") as error:
        closed(chain(65), "k0")
    assert error.value.remedy == "name them nearer to the top"
    assert error.value.at.file == "k63/kustomization.yaml"


def test_many_kustomizations_side_by_side_are_not_deep() -> None:
    files = {f"k{each}/kustomization.yaml": "namePrefix: a-\n" for each in range(70)}
    made = closed({**files, "kustomization.yaml": f"resources: [{', '.join(f'k{each}' for each in range(70))}]\n"})
    assert made.builds == 71


def doubled(depth: int) -> dict[str, str]:
    files = {}
    for each in range(depth):
        both = f"resources: [../a{each + 1}, ../b{each + 1}]\n"
        files |= {f"a{each}/kustomization.yaml": both, f"b{each}/kustomization.yaml": both}
    return {**files, **{f"{each}{depth}/kustomization.yaml": "namePrefix: a-\n" for each in "ab"}}


def test_kustomizations_that_name_each_other_are_built_two_thousand_times_at_most() -> None:
    assert closed(doubled(3), "a0").builds == 1 + 2 + 4 + 8
    assert closed(doubled(9), "a0").builds == 1023
    with pytest.raises(RefusedError, match="more than 2,000 would be built") as error:
        closed(doubled(10), "a0")
    assert error.value.remedy == "name each of them once"


def test_what_is_copied_for_a_root() -> None:
    made = closed(
        {
            "app/kustomization.yaml": "resources: [job.yaml, ../base]\npatches: [{path: p.yaml}]\n",
            "app/job.yaml": "kind: Job\n",
            "app/p.yaml": "a: 1\n",
            "app/other.yaml": "a: 1\n",
            "base/kustomization.yaml": "resources: [x.yaml]\n",
            "base/x.yaml": "kind: Pod\n",
        },
        "app",
        namespace="ml",
    )
    assert set(made.files) == {
        *("app/kustomization.yaml", "app/job.yaml", "app/p.yaml", "base/kustomization.yaml", "base/x.yaml")
    }
    assert made.files["app/kustomization.yaml"] == (
        b'{"resources": ["job.yaml", "../base"], "patches": [{"path": "p.yaml"}], '
        b'"namespace": "ml", "buildMetadata": ["originAnnotations"]}'
    )
    assert made.files["base/kustomization.yaml"] == b'{"resources": ["x.yaml"]}'
    assert made.files["app/job.yaml"] == b"kind: Job\n"
    assert made.size == sum(map(len, made.files.values()))
    assert set(made.kustomizations) == {"app", "base"}
    assert (made.unknowns, made.lost, made.links, made.builds) == ([], [], {}, 2)
    assert (made.unrestricted, made.lenient) == (False, False)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("buildMetadata: [managedByLabel, originAnnotations, transformerAnnotations]", ["managedByLabel"]),
        ("buildMetadata: [transformerAnnotations]", []),
        ("buildMetadata: managedByLabel", []),
    ],
)
def test_only_origins_are_asked_for_and_labels_stay(written: str, kept: list[str]) -> None:
    made = closed({"kustomization.yaml": f"namePrefix: a-\n{written}\n"})
    asked = json.loads(made.files["kustomization.yaml"])["buildMetadata"]
    assert asked == [*kept, "originAnnotations"]


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("resources: [a.yaml]", True),
        ("configMapGenerator: [{name: c, literals: ['a=/etc']}]", True),
        ("generators: [g.yaml]", False),
        ("commonAnnotations: {a: /etc}", True),
        ("configMapGenerator: [{name: c, options: {a: ../../x}}]", False),
    ],
)
@pytest.mark.parametrize("how", ["unrestricted", "lenient"])
def test_restrictions_are_lifted_where_nothing_leads_out(text: str, free: bool, how: str) -> None:
    plugin = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\n"
    files = {"kustomization.yaml": f"{text}\n", "a.yaml": "kind: Pod\n", "g.yaml": plugin}
    made = closed(files, **{how: True})
    assert (made.unrestricted, made.lenient) == (free and how == "unrestricted", free and how == "lenient")


@pytest.mark.parametrize(
    ("files", "links", "why"),
    [
        ({"kustomization.yaml": "resources: [../a.yaml]"}, {}, "../a.yaml leads out of the repository"),
        (
            {"kustomization.yaml": "configMapGenerator: [{name: c, files: [../x]}]"},
            {},
            "../x leads out of the repository",
        ),
        ({"kustomization.yaml": "- a"}, {}, "the kustomization is not one YAML mapping"),
        ({"kustomization.yaml": "a: 1\n---\nb: 1"}, {}, "the kustomization is not one YAML mapping"),
        ({"k.yaml": "namePrefix: a-"}, {"kustomization.yaml": "k.yaml"}, "kustomization.yaml is a symbolic link"),
        ({"kustomization.yaml": "resources: [a]"}, {"a": "b", "b": "a"}, "leads out of the repository, or nowhere"),
        ({"kustomization.yaml": "resources: [a]"}, {"a": "../x"}, "leads out of the repository, or nowhere"),
        ({"kustomization.yaml": "resources: [a.yaml]", "a.yaml": "a: &x [*x]"}, {}, "a.yaml: "),
    ],
)
def test_roots_that_are_refused(files: dict[str, str], links: dict[str, str], why: str) -> None:
    with pytest.raises(RefusedError) as error:
        closed({name: f"{text}\n" for name, text in files.items()}, links=links)
    assert why in str(error.value)
    assert error.value.remedy


def test_links_are_made_anew_in_the_copy() -> None:
    made = closed(
        {"kustomization.yaml": "resources: [l/a.yaml]\nnamePrefix: a-\n", "d/a.yaml": "kind: Pod\n"}, links={"l": "d"}
    )
    assert made.links == {"l": "d"}
    assert "d/a.yaml" in made.files


def test_what_a_deployer_adds_is_copied_too() -> None:
    at = document_at()
    added = Overlay("key", {"components": ["../c"], "patches": [{"path": "p.yaml"}]}, at)
    made = closed(
        {
            "app/kustomization.yaml": "namePrefix: a-\n",
            "app/p.yaml": "kind: Pod\nmetadata: {name: a}\n",
            "c/kustomization.yaml": "kind: Component\n",
        },
        "app",
        overlay=added,
    )
    assert {"app/p.yaml", "c/kustomization.yaml"} <= set(made.files)
    assert b'"components": ["../c"], "patches": [{"path": "p.yaml"}]' in made.files["app/kustomization.yaml"]


def document_at() -> Callable[[Any], Location]:
    return every_document("flux.yaml", b"kind: Kustomization\n")[0].at


def listed(depth: int) -> int:
    text = "{kind: Pod}"
    for _ in range(depth):
        text = f"{{kind: List, items: [{text}]}}"
    return sum(each["kind"].value == "Pod" for each in objects(every_document("a.yaml", text.encode())[0]))


def test_lists_in_lists_are_opened_nine_times() -> None:
    assert [listed(depth) for depth in (1, 9, 10)] == [1, 1, 0]


def test_one_template_makes_templates_of_all_documents_of_a_file() -> None:
    kinds = KindFilter(frozenset({"Pod"}))
    made = read("a.yaml", b"kind: Pod\n---\nkind: Pod\na: {{ x }}\n", kinds)
    assert made.documents == ()
    assert [(each.location.document, each.engine, each.kinds) for each in made.templates] == [
        (0, "go-template", ("Pod",)),
        (1, "go-template", ("Pod",)),
    ]
    other = read("a.yaml", b"kind: Pod\n---\nkind: Other\na: {{ x }}\n", kinds)
    assert other.documents == ()
    assert [each.location.document for each in other.templates] == [0]
    plain = read("a.yaml", b"kind: Pod\n---\nkind: Other\na: x\n", kinds)
    assert [each.index for each in plain.documents] == [0]
    broken = read("a.yaml", b"kind: Pod\n---\nkind: Pod\na: [\n", kinds)
    assert [each.index for each in broken.documents] == [0]
    assert [(each.index, each.span.line) for each in broken.broken] == [(1, 5)]


def tree(node: LineNode) -> list[object]:
    return [
        (each.line, each.column, each.key, each.value, each.inserts, *([tree(each)] if each.children else []))
        for each in node.children
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\n", [(0, 0, "a", "1", False), (1, 0, "b", "2", False)]),
        ("a:\n  b: 1\n", [(0, 0, "a", "", False, [(1, 2, "b", "1", False)])]),
        ("a:\n- b\n- c\n", [(0, 0, "a", "", False, [(1, 0, None, "b", False), (2, 0, None, "c", False)])]),
        ("# c\n\na: 1\n", [(2, 0, "a", "1", False)]),
        ("'a': 1\n", [(0, 0, "a", "1", False)]),
        ("a:\n  {{ x }}: 1\n", [(0, 0, "a", "", False, [(1, 2, "", "1", False)])]),
        ("a: |\n  b: 1\nc: 2\n", [(0, 0, "a", "|", False), (2, 0, "c", "2", False)]),
        ("{{ if x }}\na: 1\n{{ end }}\nb: 2\n", [(1, 0, "a", "1", False), (3, 0, "b", "2", False)]),
    ],
)
def test_a_template_as_lines(text: str, expected: list[object]) -> None:
    (node,) = sections(text)
    assert tree(node) == expected


def test_documents_of_a_template() -> None:
    first, second = sections("a: 1\n---\nb: 2\n")
    assert ([each.key for each in first.children], [each.key for each in second.children]) == (["a"], ["b"])
    lines = ["a: 1  ", "---", "b: 2"]
    assert [(each.line, each.column, each.end_column) for each in (span_of(first, lines), span_of(second, lines))] == [
        (1, 1, 5),
        (3, 1, 5),
    ]


@pytest.mark.parametrize(
    ("line", "column", "span"),
    [("  a: 1", 2, (3, 7)), ("a", 5, (2, 3)), ("", 0, (1, 2)), ("a: b   ", 3, (4, 5))],
)
def test_the_span_of_a_node(line: str, column: int, span: tuple[int, int]) -> None:
    found = span_of(LineNode(0, column, 0, "a"), [line])
    assert (found.line, found.end_line) == (1, 1)
    assert (found.column, found.end_column) == span
    beyond = span_of(LineNode(7, 2, 0, "a"), [line])
    assert (beyond.line, beyond.column, beyond.end_column) == (8, 1, 2)


@pytest.mark.parametrize(
    ("written", "said"),
    [("{{ x }}", "x"), ("{{- x -}}", "x"), ("{{ .a-b }}", ".a-b"), ("{{x -}}", "x"), ('{{ "}}" }}', '"}}"')],
)
def test_what_stands_in_an_action(written: str, said: str) -> None:
    found = ACTION.search(written)
    assert found is not None
    assert action_text(found) == said


def test_a_value_that_nothing_wrote_stands_where_what_is_around_it_does() -> None:
    top = every_document("app/kustomization.yaml", b"namePrefix: x-\n")[0]
    base = every_document("app/pod.yaml", b"kind: Pod\nmetadata: {name: a}\nspec: {a: {b: 1}}\n")[0]
    origins = Origins("app", {"app": top}, {"app/pod.yaml": (base,)}.__getitem__, {}, None)
    data = {"kind": "Pod", "metadata": {"name": "x-a"}, "spec": {"a": {"b": 1, "c": 2}}}
    made = origins.of(data, {"path": "pod.yaml"})
    assert made.explain(("spec", "a", "b")) == (base.at(("spec", "a", "b")), Basis.WRITTEN)
    assert made.explain(("spec", "a", "c")) == (base.at(("spec", "a")), Basis.NEAR)
    assert made.explain(("spec", "gone", "d")) == (base.at(("spec", "gone", "d")), Basis.NEAR)
    assert made.explain(("metadata", "name")) == (top.at(("namePrefix",)), Basis.SET)
    alone = origins.of(data, None)
    assert alone.explain(("spec", "a", "b")) == (top.at(()), Basis.NEAR)
