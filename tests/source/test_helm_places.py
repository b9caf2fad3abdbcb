"""Where in a template something is written, told by its text alone."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainlint.finding import Location, Path
from trainlint.source.document import Document
from trainlint.source.helm.lines import sections
from trainlint.source.helm.origin import Given, TemplateOrigin, TemplateText
from trainlint.source.helm.places import choose, find, span_of
from trainlint.source.helm.reference import TemplateScope
from trainlint.source.spans import spans

WORDS = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True).filter(
    lambda word: word not in ("y", "n", "on", "off", "yes", "no")
)
LEAVES = st.one_of(st.integers(0, 99), WORDS, st.just("1.5Gi"), st.just("registry.example/a:b"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(WORDS, inner, min_size=1, max_size=3) | st.lists(inner, min_size=1, max_size=3),
    max_leaves=12,
)
MANIFESTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=4)


class Indented(yaml.SafeDumper):
    """Writes lists further in than their keys."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def paths(value: Any, above: Path = ()) -> list[Path]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [above, *(path for key, below in entries for path in paths(below, (*above, key)))]


def line_of(text: str, data: Any, *path: str | int) -> int:
    node = choose(sections(text), data)
    return span_of(find(node, data, path)[1], text.split("\n")).line


@given(MANIFESTS, st.sampled_from([yaml.SafeDumper, Indented]))
def test_in_a_text_that_is_yaml_already_everything_is_where_yaml_says(data: Any, dumper: type[yaml.SafeDumper]) -> None:
    text = yaml.dump(data, Dumper=dumper, default_flow_style=False)
    document = Document("a.yaml", 0, 1, text, data)
    for path in paths(data)[1:]:
        mark = spans(document).mark(path)
        assert mark is not None
        if not _has_twin(data, path):
            assert line_of(text, data, *path) == mark.line, path


def _has_twin(data: Any, path: Path) -> bool:
    """Whether a list on the way has two elements of which a look at what they say cannot tell which is which."""
    for step in path:
        if isinstance(data, list) and any(isinstance(each, list) for each in data):
            return True  # lists in lists say nothing by themselves
        data = data[step]
    return False


@given(st.text(alphabet="{}-%\"'`|:#$. \nab*/ifendrange", max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    for each in sections(text):
        assert each.line <= text.count("\n")


SPEC: dict[str, Any] = {
    "kind": "Job",
    "metadata": {"name": "a", "labels": {"x": "1", "y": "2"}},
    "spec": {"containers": [{"name": "one", "image": "i:1"}, {"name": "two", "image": "i:2"}], "args": ["--a", "--b"]},
}


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("{{- if .a }}\nkind: Job\n{{- else }}\nkind: Pod\n{{- end }}\n", ("kind",), 2),
        ("{{- if .a }}\nkind: Pod\n{{- else }}\nkind: Job\n{{- end }}\n", ("kind",), 4),
        ("kind: Pod\n---\nkind: Job\nmetadata:\n  name: a\n", ("metadata", "name"), 5),
        (
            'kind: Job\nmetadata:\n  labels:\n    {{- include "l" . | nindent 4 }}\n    y: "2"\n',
            ("metadata", "labels", "y"),
            5,
        ),
        (
            'kind: Job\nmetadata:\n  labels:\n    {{- include "l" . | nindent 4 }}\n    y: "2"\n',
            ("metadata", "labels", "x"),
            4,
        ),
        ('kind: Job\nmetadata:\n{{ include "m" . | indent 2 }}\nspec: {}\n', ("metadata", "name"), 3),
        ('kind: Job\n{{- include "all" . }}\n', ("spec", "containers", 0), 2),
        ("spec:\n  containers:\n  - name: two\n  - name: one\n", ("spec", "containers", 0, "name"), 4),
        (
            "spec:\n  containers:\n  - image: i:1\n    name: {{ .a }}\n  - image: i:2\n    name: {{ .b }}\n",
            ("spec", "containers", 1),
            5,
        ),
        (
            "spec:\n  containers:\n  {{- range .all }}\n  - name: {{ .name }}\n    image: {{ .image }}\n  {{- end }}\n",
            ("spec", "containers", 1, "name"),
            4,
        ),
        ("spec:\n  args:\n  - --a\n  - --b\n", ("spec", "args", 1), 4),
        ("spec:\n  args:\n  - --a\n  {{- toYaml .more | nindent 2 }}\n", ("spec", "args", 1), 4),
        ("spec:\n  args: [--a, --b]\n", ("spec", "args", 1), 2),
        ("kind: Job\nscript: |\n  metadata:\n    name: no\nmetadata:\n  name: a\n", ("metadata", "name"), 6),
        ("{{/* metadata:\n  name: no */}}\nmetadata:\n  name: a\n", ("metadata", "name"), 4),
        ('{{- $x := dict\n  "a" 1\n}}\nmetadata:\n  name: a\n', ("metadata", "name"), 5),
        ("# metadata:\n#   name: no\nmetadata:\n  name: a\n", ("metadata", "name"), 4),
        ("{{- with .a }}metadata:\n  name: a\n{{- end }}\n", ("metadata", "name"), 2),
        ('metadata:\n  "name": a\n', ("metadata", "name"), 2),
        ("metadata:\n  {{ .key }}: a\n", ("metadata", "name"), 2),
        ("metadata:\n  name: a\nspec:\n", ("spec", "nothing", "like", "it"), 3),
        ("", ("spec",), 1),
    ],
)
def test_a_template_is_followed_by_its_keys(text: str, path: Path, line: int) -> None:
    assert line_of(text, SPEC, *path) == line


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (".Values.a.b", ("Values", "a", "b")),
        (".Values.a | quote", ("Values", "a")),
        ("$.Values.a", ("Values", "a")),
        ("int .Values.a", ("Values", "a")),
        ("default 3 .Values.a", ("Values", "a")),
        ('required "give .Values.b" .Values.a', ("Values", "a")),
        ("toYaml .Values.a | nindent 4", ("Values", "a")),
        (".Values", None),
        (".Release.Name", None),
        ('include "x" .Values.a', None),
        ("add .Values.a .Values.b", None),
        ('printf "%s.%s" .Values.a .Release.Name', ("Values", "a")),  # whether it is that value, its text tells
        ("$e.name", ("Values", "list", "name")),
    ],
)
def test_the_one_value_that_an_expression_prints(said: str, found: tuple[str, ...] | None) -> None:
    scope = TemplateScope().assigned("$e := .Values.list")
    assert scope.single(said) == found


def test_with_and_range_change_what_a_dot_means() -> None:
    inside = TemplateScope().entered("range", "$i, $e := .Values.list")
    assert inside.single("$e.name") == inside.single(".name") == ("Values", "list", "*", "name")
    assert inside.entered("with", "$.Values.in").single(".x") == ("Values", "in", "x")
    assert inside.entered("with", "$.Values.in").single("$e.x") == ("Values", "list", "*", "x")
    assert inside.entered("with", ".part").single("toYaml .") == ("Values", "list", "*", "part")
    assert inside.entered("with", "include").single(".x") is None
    assert TemplateScope().entered("if", ".Values.a").single(".Values.b") == ("Values", "b")


def test_what_a_definition_is_given_is_unknown() -> None:
    assert TemplateScope().entered("define", '"x"').single(".Values.a") is None


TEXT = """\
kind: Job
spec:
  n: {{ .Values.n }}
  s: '{{ .Values.s }}'
  list:
    {{- toYaml .Values.list | nindent 4 }}
  made: {{ mul .Values.n 2 }}
"""
DATA = {"kind": "Job", "spec": {"n": 4, "s": "4", "list": [{"a": 1}, {"a": 2}], "made": 8}}


def origin(*values: tuple[str, dict[str, Any]]) -> TemplateOrigin:
    given_values = [Given(Location(file, 0), data) for file, data in values]
    return TemplateOrigin(TemplateText("t.yaml", lambda: TEXT), 7, DATA, given_values)


OWN: tuple[str, dict[str, Any]] = ("values.yaml", {"n": 4, "s": 4, "list": [{"a": 1}, {"a": 2}]})


@pytest.mark.parametrize(
    ("path", "at"),
    [
        (("spec", "n"), Location("values.yaml", 0, ("n",))),
        (("spec", "s"), Location("values.yaml", 0, ("s",))),  # quoted, it became a text
        (("spec", "list"), Location("values.yaml", 0, ("list",))),
        (("spec", "list", 1, "a"), Location("values.yaml", 0, ("list", 1, "a"))),
        (("spec", "list", 1, "b"), Location("values.yaml", 0, ("list", 1, "b"))),
        (("spec", "made"), Location("t.yaml", 7, ("spec", "made"))),
        (("spec", "other"), Location("t.yaml", 7, ("spec", "other"))),
        ((), Location("t.yaml", 7)),
    ],
)
def test_what_is_taken_over_from_the_values_stands_there(path: Path, at: Location) -> None:
    assert origin(OWN)(path) == at


@pytest.mark.parametrize(
    ("path", "at"),
    [
        (("spec", "n"), Location("t.yaml", 7, ("spec", "n"))),
        (("spec", "list"), Location("t.yaml", 7, ("spec", "list"))),
        (("spec", "list", 1, "a"), Location("values.yaml", 0, ("list", 1, "a"))),
        (("spec",), Location("t.yaml", 7, ("spec",))),
        ((), Location("t.yaml", 7)),
    ],
)
def test_a_key_stands_in_the_template_unless_all_beside_it_is_taken_from_the_values(path: Path, at: Location) -> None:
    assert origin(OWN).key(path) == at


def test_the_values_that_count_most_are_named() -> None:
    found = origin(("values.yaml", {"n": 1}), ("prod.yaml", {"n": 4}))
    assert found(("spec", "n")) == Location("prod.yaml", 0, ("n",))


def test_a_value_that_something_else_made_of_them_stands_in_the_template() -> None:
    found = origin(("values.yaml", {"n": 4}), ("prod.yaml", {"n": 2}))  # 2 was given, and 4 came out
    assert found(("spec", "n")) == Location("t.yaml", 7, ("spec", "n"))
