"""What is read of a file: documents, what is broken, templates, unknowns, comments to trainlint."""

import codecs

import pytest

from trainlint.finding import Location, Span
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import MAX_BYTES, objects, read, read_file
from trainlint.source.world import SourceFile

KINDS = KindFilter({"Node", "Pod", "PyTorchJob", "NetworkPolicy"})


def reading(text, file="a.yaml", **more):
    return read(file, text if isinstance(text, bytes) else text.encode(), KINDS, **more)


def test_only_wanted_kinds_are_read_and_keep_their_index():
    found = reading("kind: Pod\nname: 1\n---\nkind: Secret\n---\n# nothing\n---\nkind: Node\n")
    assert [(document.index, document.line, document.data["kind"]) for document in found.documents] == [
        (0, 1, "Pod"),
        (2, 8, "Node"),
    ]
    assert (found.broken, found.templates, found.unknowns) == ((), (), ())


def test_a_broken_document_is_reported_between_good_ones():
    found = reading("kind: Pod\n---\nkind: NetworkPolicy\nspec:\n  podSelector: matchLabels: {}\n---\nkind: Node\n")
    assert [document.data["kind"] for document in found.documents] == ["Pod", "Node"]
    (broken,) = found.broken
    assert (broken.index, broken.span) == (1, Span(5, 27, 5, 28))
    assert "quote the text" in broken.message


def test_what_is_not_read_may_be_broken():
    assert reading("a: b: c\n").broken == ()
    assert reading("kind: Secret\na: b: c\n---\nkind: Pod\n").broken == ()


@pytest.mark.parametrize("text", ["", "# kind: Pod\n", "---\n---\n...\n", "\n\n"])
def test_files_without_content_hold_nothing(text):
    found = reading(text)
    assert (found.documents, found.broken, found.templates, found.unknowns) == ((), (), (), ())


def test_a_picture_that_is_called_yaml_is_unknown_and_not_an_error():
    found = reading(b"\x89PNG\r\n\x1a\n\0\0\0kind: Pod")
    assert found.broken == ()
    assert "UTF-8" in found.unknowns[0].missing
    assert reading(b"\0\1\2\3").unknowns


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_are_read_alike(encoding):
    (document,) = reading("kind: Pod\r\nname: é\r\n".encode(encoding)).documents
    assert document.data == {"kind": "Pod", "name": "é"}


def test_files_that_are_not_kubernetes_are_skipped():
    for text in (
        "name: lint\non:\n  push: {}\njobs: {}\n",
        "kind: worker\n1.10: legacy\n",
        "Resources: {Pool: {Type: Custom::Pod, X: !Ref y}}\n",
        "x: {index: !!python/name:os.system ''}\n",
        "[1, 2]",
        "text",
        '{"a": {"kind": "Podium"}}',
    ):
        assert reading(text).documents == ()


# Templates


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("kind: Pod\nname: {{ .Values.name }}\n", "go-template"),
        ("kind: Pod\n{{- if .x }}\na: b\n{{- end }}\n", "go-template"),
        ("kind: Pod\n{{ .x }}: b\n", "go-template"),
        ("kind: Pod\nspec:\n  {{ toYaml .x | nindent 2 }}\n", "go-template"),
        ("kind: Pod\na: [b, {{ .x }}]\n", "go-template"),
        ("kind: Pod\na: b{{ c: d }}\n", "go-template"),
        ("kind: Pod\nimage: {user}/train:1\n", "placeholders"),
        ("kind: Pod\nargs: [{user}-train]\n", "placeholders"),
        ("kind: Pod\nname: %s\n", "placeholders"),
        ("kind: Pod\nport: %[1]d\n", "placeholders"),
        ("kind: Pod\nvalue: %ACTIVATION_ID%\n", "placeholders"),
        ("{% if x %}\nkind: Pod\n{% endif %}\n", "jinja"),
        ("kind: Pod\n{% for i in x %}\n- {{ i }}\n{% endfor %}\n", "jinja"),
        ("kind: Pod\n%{ if x }\na: b\n%{ endif }\n", "terraform"),
        ("kind: Pod\nspec:\n  a: b\n  ${indent(2, x)}\n", "terraform"),
        ("kind: Pod\n<% if x %>\na: b\n<% end %>\n", "erb"),
        ("kind: Pod\nreplicas: #@ data.values.n\n", "ytt"),
    ],
)
def test_a_document_that_must_be_rendered_is_a_template(text, engine):
    found = reading(text)
    assert (found.documents, found.broken) == ((), ())
    (template,) = found.templates
    assert (template.engine, template.kinds, template.location) == (engine, ("Pod",), Location("a.yaml", 0))


def test_a_template_says_where_it_begins_to_be_one():
    (template,) = reading("kind: Secret\n---\nkind: Pod\nname: {{ .x }}\n").templates
    assert (template.location.document, template.span.line, template.span.column) == (1, 4, 7)


@pytest.mark.parametrize(
    "text",
    [
        "kind: Pod\nreplicas: ${N}\nimage: <n>\nname: __N__\nx: ${A}-${B}\n",
        'kind: Pod\nname: "{{ .x }}"\n',
        "kind: Pod\nname: x-{{ .x }}\n",
        "kind: Pod\nargs: ['{{workflow.name}}']\n",
        "kind: Pod\nscript: |\n  {{ if x }}\n  %{ if }\n  {% if %}\n  <% if %>\n  ${x}\n",
        "kind: Pod\n# {{ if x }}\nname: a\n",
        "kind: Pod\n#@author x\nname: a\n",
    ],
)
def test_placeholders_in_values_are_ordinary_text(text):
    found = reading(text)
    assert len(found.documents) == 1
    assert found.templates == ()


@pytest.mark.parametrize("quoted", ['"{{ .x }}"', "'{{ .x }}'", '"a: {{ .x }}"', "['a, {{ .x }}']", "a-{{ .x }}"])
def test_an_error_beside_placeholders_is_still_an_error(quoted):
    found = reading(f"kind: Pod\nname: {quoted}\na: b: c\n")
    assert len(found.broken) == 1
    assert found.templates == ()


def test_who_renders_one_document_of_a_file_renders_them_all():
    found = reading("{{- if .x }}\nkind: Secret\n---\nkind: Pod\n---\nkind: Secret\n{{- end }}\n")
    assert found.documents == ()
    assert [(template.location.document, template.engine) for template in found.templates] == [(1, "go-template")]


def test_a_template_of_a_kind_that_is_not_read_is_none():
    assert reading("kind: Secret\nname: {{ .x }}\n").templates == ()
    (template,) = reading("kind: {{ .kind }}\nname: {{ .x }}\n").templates
    assert template.kinds == ()


@pytest.mark.parametrize(
    ("file", "text", "engine"),
    [
        ("job.yaml.j2", "kind: Pod\n", "jinja"),
        ("job.yaml.gotmpl", "kind: Pod\n", "go-template"),
        ("job.json.erb", '{"kind": "Pod"}', "erb"),
        ("job.yaml.tpl", "kind: Pod\nname: ${x}\n", "terraform"),
        ("job.yaml.tpl", "kind: Pod\nname: '{{ .x }}'\n", "go-template"),
        ("job.yaml.tpl", "kind: Pod\n", "template"),
    ],
)
def test_a_file_name_may_promise_a_template(file, text, engine):
    found = reading(text, file)
    assert found.documents == ()
    assert [template.engine for template in found.templates] == [engine]


def test_a_chart_renders_even_plain_files():
    found = reading("kind: Pod\n---\nkind: Secret\n", "c/templates/a.yaml", chart="c")
    assert found.documents == ()
    assert [(template.engine, template.kinds) for template in found.templates] == [("helm", ("Pod",))]


# Objects


def names(document):
    return [(here.path, here["kind"].value, here["name"].value) for here in objects(document)]


def test_a_document_is_an_object_and_a_list_holds_some():
    (document,) = reading("kind: Pod\nname: a\n").documents
    assert names(document) == [((), "Pod", "a")]
    text = (
        "kind: List\nitems:\n- {kind: Pod, name: a}\n- {kind: Secret, name: b}\n- kind: NodeList\n"
        "  apiVersion: v1\n  items: [{name: c}, {kind: Pod, name: d}]\n- null\n- {}\n"
    )
    (document,) = reading(text).documents
    assert names(document)[:4] == [
        (("items", 0), "Pod", "a"),
        (("items", 1), "Secret", "b"),
        (("items", 2, "items", 0), "Node", "c"),
        (("items", 2, "items", 1), "Pod", "d"),
    ]
    assert next(here for here in objects(document) if here["name"].value == "c")["apiVersion"].value == "v1"


def test_a_kind_that_ends_in_list_without_items_is_an_object():
    (document,) = read("a.yaml", b"kind: AllowList\nspec: {}\n", KindFilter({"AllowList"})).documents
    assert [here.path for here in objects(document)] == [()]


def test_lists_of_lists_end():
    text = "{kind: List, items: [" * 60 + "{kind: Pod}" + "]}" * 60
    for document in reading(text).documents:
        assert list(objects(document))


# JSON


def test_json_is_read_and_may_hold_several_values():
    found = reading('{"kind": "Pod"}\n{"kind": "Secret"}\n  {"kind": "Node"}', "a.json")
    assert [(document.index, document.line, document.data) for document in found.documents] == [
        (0, 1, {"kind": "Pod"}),
        (2, 3, {"kind": "Node"}),
    ]


def test_json_with_comments_is_read_as_yaml():
    assert reading('{"kind": "Pod", # c\n "a": [1,]}', "a.json").documents[0].data == {"kind": "Pod", "a": [1]}


def test_broken_json_is_reported():
    (broken,) = reading('{"kind": "Pod",\n "a": [1}', "a.json").broken
    assert broken.span.line == 2


def test_many_json_values_on_one_line_are_read_in_time():
    assert len(reading('{"kind":"Pod"}' * 20_000, "a.json").documents) == 20_000


# Kustomizations, limits, comments


@pytest.mark.parametrize("file", ["kustomization.yaml", "a/kustomization.yml", "a/Kustomization"])
def test_kustomizations_are_always_read(file):
    (document,) = reading("resources: [a.yaml]\n", file).documents
    assert document.data == {"resources": ["a.yaml"]}
    assert reading("resources: [a.yaml]\n", "other.yaml").documents == ()


def test_a_huge_file_is_unknown():
    found = reading(b"kind: Pod\n" + b"#" * MAX_BYTES)
    assert found.documents == ()
    assert "64 MiB" in found.unknowns[0].missing


def test_what_is_nested_too_deeply_is_unknown_and_not_an_error():
    found = reading("kind: Pod\na: " + "[" * 400 + "]" * 400)
    assert (found.documents, found.broken) == ((), ())
    assert "deep" in found.unknowns[0].missing
    assert found.unknowns[0].at == Location("a.yaml", 0)


def test_a_file_that_cannot_be_read_is_unknown(tmp_path):
    found = read_file(SourceFile(str(tmp_path / "gone.yaml"), "gone.yaml"), KINDS)
    assert "gone.yaml" in found.unknowns[0].subject


def test_duplicate_keys_are_recorded():
    (document,) = reading("kind: Pod\nspec: {a: 1, a: 2}\n").documents
    assert document.duplicates == (("spec", "a"),)


def test_comments_that_address_trainlint_are_found_in_every_document():
    text = (
        "# trainlint: ignore[a] because\nkind: Secret\n---\nkind: Pod\nx: 1  # trainlint: ignore[b]\n"
        "y: '# trainlint: no comment'\nz: |  # trainlint: ignore[c]\n  # trainlint: no comment\n"
        "w: trainlint:x\n"
    )
    lines = [number for number, _ in reading(text).suppression_lines]
    assert lines == [1, 5, 7]
    assert reading(text).suppression_lines[1] == (5, "x: 1  # trainlint: ignore[b]")
    assert [number for number, _ in reading(text.replace("Pod", "Secret")).suppression_lines] == [1, 5, 7]


def test_comments_are_found_behind_marks_and_carriage_returns():
    text = codecs.BOM_UTF8 + b"# trainlint: ignore[a]\r\nkind: Pod\r\n"
    assert reading(text).suppression_lines == ((1, "# trainlint: ignore[a]"),)
