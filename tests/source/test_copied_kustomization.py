"""What of a kustomization is copied before kustomize reads it: each field there, absent, here and elsewhere.

What the fields hold is what kubectl.docs.kubernetes.io ("The Kustomization File") says of them, and kustomize's own
source of how it looks for keys and behaviors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pytest

from trainlint.finding import Location
from trainlint.source.deployer_overlay import named, patch_files, tolerant, with_deployer_fields
from trainlint.source.document import Document, Field
from trainlint.source.documents import every_document
from trainlint.source.field_spelling import misspelled, texts
from trainlint.source.generator_merges import without_target
from trainlint.source.ignore_files import IgnoreFiles
from trainlint.source.path_escape import NO_PATHS, astray
from trainlint.source.relative_path import joined
from trainlint.source.rendered_root import Overlay
from trainlint.source.safe_kustomization import PluginError, RefusedError, SafeKustomization, is_inline
from trainlint.source.written_kustomization import MAX_BYTES, not_empty, written

FAR = "https://example.com/o/r//d?ref=v1"
FAR_FILE = "https://example.com/a.yaml"
HERE = "app/kustomization.yaml"


def document(text: str, file: str = HERE) -> Document:
    (only,) = every_document(file, text.encode())
    return only


class Listed:
    """The files that are there, and those that Git ignores."""

    def __init__(self, there: Collection[str] = (), left: Collection[str] = ()) -> None:
        self.there, self.left = there, left

    def has(self, directory: str, entry: str) -> bool:
        assert directory == "app"
        return entry in self.there

    def ignored(self, directory: str, entry: str) -> bool:
        assert directory == "app"
        return entry in self.left


def safe(text: str, plugins: dict[str, str] | None = None, files: Listed | None = None) -> SafeKustomization:
    def configurations(directory: str, entry: str) -> Iterator[Field]:
        assert directory == "app"
        if entry not in (plugins or {}):
            raise PluginError("is not here")
        for each in every_document("app/plugin.yaml", (plugins or {})[entry].encode()):
            yield each.root

    return SafeKustomization(document(text), configurations, files or Listed())


def refusal(text: str, plugins: dict[str, str] | None = None) -> tuple[str, Location, str]:
    with pytest.raises(RefusedError) as caught:
        safe(text, plugins)
    return str(caught.value), caught.value.at, caught.value.remedy


@pytest.mark.parametrize("field", ["resources", "bases", "components", "crds"])
def test_a_list_of_files_is_copied_with_all_that_it_names(field: str) -> None:
    kept = safe(f"{field}: [a.yaml, ../b, '']\n")
    assert kept.data == {field: ["a.yaml", "../b", ""]}
    assert kept.references == [((field, 0), "a.yaml"), ((field, 1), "../b")]
    assert (kept.changed, kept.out, kept.lost, kept.plugged) == (False, [], [], False)


@pytest.mark.parametrize("field", ["resources", "bases"])
@pytest.mark.parametrize("far", [FAR, FAR_FILE])
def test_what_is_elsewhere_is_taken_out_of_a_list(field: str, far: str) -> None:
    kept = safe(f"{field}: [a.yaml, '{far}']\n")
    assert kept.data == {field: ["a.yaml"]}
    assert kept.changed
    assert kept.out == [(f"the objects of {far}", "it is elsewhere, and nothing is fetched", (field, 1))]
    assert kept.references == [((field, 0), "a.yaml")]


@pytest.mark.parametrize("field", ["components", "transformers", "crds"])
def test_what_changes_objects_and_is_elsewhere_is_refused(field: str) -> None:
    why, at, remedy = refusal(f"{field}: [a.yaml, '{FAR}']\n", {"a.yaml": ""})
    assert why == f"{FAR} is elsewhere, and what it changes is unknown"
    assert (at.file, at.path, remedy) == (HERE, (field, 1), "keep a copy of it in Git")


def test_generators_elsewhere_are_taken_out_and_validators_too_without_a_word() -> None:
    kept = safe(f"generators: ['{FAR_FILE}']\nvalidators: ['{FAR_FILE}']\n")
    assert kept.data == {"generators": [], "validators": []}
    assert [what for what, _, _ in kept.out] == [f"the objects of {FAR_FILE}"]


RUNS = "would run a program"
BUILTIN = "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: b-\n"


@pytest.mark.parametrize("field", ["generators", "transformers", "validators"])
def test_a_plugin_of_kustomize_takes_part_and_names_its_files(field: str) -> None:
    kept = safe(f"{field}: [p.yaml]\n", {"p.yaml": f"{BUILTIN}files: [k=data.txt]\n"})
    assert kept.plugged
    assert not kept.changed
    assert ((field, 0), "data.txt") in kept.references
    assert ((field, 0), "p.yaml") in kept.references
    assert kept.astray is False


@pytest.mark.parametrize(
    "plugin", ["apiVersion: builtin\nkind: X\nfiles: [../../../data]\n", "apiVersion: builtin\nkind: X\npath: /etc\n"]
)
def test_a_plugin_may_name_what_is_outside(plugin: str) -> None:
    assert safe("generators: [p.yaml]\n", {"p.yaml": plugin}).astray is True


@pytest.mark.parametrize(
    ("plugin", "kind", "why"),
    [
        ("apiVersion: example.com/v1\nkind: Maker\n", "Maker", RUNS),
        (
            "apiVersion: builtin\nkind: HelmChartInflationGenerator\n",
            "HelmChartInflationGenerator",
            RUNS,
        ),
        ("kind: Maker\n", "Maker", RUNS),
        ("apiVersion: example.com/v1\n", "?", RUNS),
        (
            f"apiVersion: builtin\nkind: Maker\nresources: ['{FAR}']\n",
            "Maker",
            f"is made of {FAR}, which is elsewhere",
        ),
        (
            f"apiVersion: builtin\nkind: Maker\nfiles: ['k={FAR_FILE}']\n",
            "Maker",
            f"is made of k={FAR_FILE}, which is elsewhere",
        ),
    ],
)
def test_a_plugin_that_would_run_or_fetch(plugin: str, kind: str, why: str) -> None:
    known = {"p.yaml": plugin}
    kept = safe("generators: [p.yaml]\n", known)
    assert kept.out == [(f"the objects of the generator {kind}", f"it {why}", ("generators", 0))]
    assert (kept.data, kept.changed, kept.plugged, kept.references) == ({"generators": []}, True, False, [])
    kept = safe("validators: [p.yaml]\n", known)
    assert (kept.data, kept.out, kept.changed) == ({"validators": []}, [], True)
    said, at, _ = refusal("transformers: [p.yaml]\n", known)
    assert said == f"the transformer {kind} {why}: what it changes is unknown"
    assert at.path == ("transformers", 0)


def test_a_plugin_that_cannot_be_read_is_left_out_by_its_name() -> None:
    assert safe("generators: [p.yaml]\n").out == [
        ("the objects of the generator p.yaml", "it is not here", ("generators", 0))
    ]


def test_an_inline_plugin_is_no_file() -> None:
    text = "generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: a}\n"
    entry = document(text).root["generators"][0].string
    assert entry is not None
    kept = safe(text, {entry: entry})
    assert [name for _, name in kept.references] == ["builtin", "ConfigMapGenerator", "a"]


@pytest.mark.parametrize(
    ("entry", "inline"), [("a.yaml", False), ("a\nb", True), ("a: b", True), ("{a", True), ("[a", True)]
)
def test_what_kustomize_reads_as_a_configuration_first(entry: str, inline: bool) -> None:
    assert is_inline(entry) is inline


@pytest.mark.parametrize(
    ("fields", "chart"),
    [
        ("helmCharts: [{name: web}]", "web"),
        ("helmChartInflationGenerator: [{chartName: web}]", "web"),
        ("helmCharts: [{version: 1.0.0}]", "?"),
    ],
)
def test_charts_are_left_out(fields: str, chart: str) -> None:
    kept = safe(f"namePrefix: a-\n{fields}\n")
    field = fields.partition(":")[0]
    assert kept.data == {"namePrefix": "a-"}
    assert kept.changed
    assert kept.out == [(f"the objects of the chart {chart}", "charts in a kustomization are not rendered", (field, 0))]


def test_an_empty_list_of_charts_is_no_change() -> None:
    assert not safe("helmCharts: []\n").changed


@pytest.mark.parametrize(
    ("fields", "path", "name"),
    [
        ("patchesStrategicMerge: [p.yaml]", ("patchesStrategicMerge", 0), "p.yaml"),
        ("configurations: [c.yaml]", ("configurations", 0), "c.yaml"),
        ("patches: [{path: p.yaml}]", ("patches", 0, "path"), "p.yaml"),
        ("patchesJson6902: [{path: p.yaml}]", ("patchesJson6902", 0, "path"), "p.yaml"),
        ("replacements: [{path: r.yaml}]", ("replacements", 0, "path"), "r.yaml"),
        ("openapi: {path: s.json}", ("openapi", "path"), "s.json"),
    ],
)
def test_files_that_change_objects_are_named(fields: str, path: tuple[str | int, ...], name: str) -> None:
    kept = safe(f"{fields}\n", files=Listed({"s.json"}))
    assert kept.references == [(path, name)]
    assert not kept.changed
    far, at, remedy = refusal(f"{fields.replace(name, FAR_FILE)}\n") if name != "s.json" else ("", None, "")
    if at is not None:
        assert far == f"{FAR_FILE} is elsewhere, and what it changes is unknown"
        assert (at.path, remedy) == (path, "keep a copy in Git")


@pytest.mark.parametrize("patch", ['"kind: Pod"', '"a: b\\nc: d"', "|-\n  kind: Pod\n  metadata: {name: a}"])
def test_a_patch_in_place_names_no_file(patch: str) -> None:
    assert safe(f"patchesStrategicMerge:\n- {patch}\n").references == []


def test_definitions_that_are_not_here_are_left_out() -> None:
    kept = safe("openapi: {path: s.json}\n")
    assert (kept.data, kept.changed, kept.references) == ({}, True, [])
    assert kept.lost == [("s.json", "the definitions of kinds are not here", ("openapi", "path"))]


@pytest.mark.parametrize("field", ["configMapGenerator", "secretGenerator"])
@pytest.mark.parametrize(
    ("source", "path", "name"),
    [
        ("files: [a.txt]", ("files", 0), "a.txt"),
        ("files: [k=a.txt]", ("files", 0), "a.txt"),
        ("envs: [a.env]", ("envs", 0), "a.env"),
        ("env: a.env", ("env",), "a.env"),
    ],
)
def test_the_data_of_a_generator(field: str, source: str, path: tuple[str | int, ...], name: str) -> None:
    text = f"{field}: [{{name: c, literals: [x=y], {source}}}]\n"
    kept = safe(text, files=Listed({name}))
    assert kept.references == [((field, 0, *path), name)]
    assert (kept.changed, kept.out, kept.lost) == (False, [], [])
    kept = safe(text, files=Listed((), {name}))
    if field == "secretGenerator":  # secrets are kept out of Git: nothing is said
        assert (kept.data, kept.changed, kept.lost, kept.out, kept.references) == ({field: []}, True, [], [], [])
        return
    left = {"name": "c", "literals": ["x=y"]} | ({} if path == ("env",) else {path[0]: []})
    assert (kept.data, kept.changed, kept.references) == ({field: [left]}, True, [])
    assert kept.lost == [(name, "Git ignores the file, so it is not here", (field, 0, *path))]
    kept = safe(text)  # neither here nor ignored: kustomize says that it is missing
    assert (kept.changed, kept.references) == (False, [((field, 0, *path), name)])


def test_only_the_ignored_of_several_files_is_left_out() -> None:
    text = "configMapGenerator: [{name: c, files: [a, b], envs: [c, d]}]\n"
    kept = safe(text, files=Listed({"a", "c"}, {"b", "d"}))
    assert kept.data == {"configMapGenerator": [{"name": "c", "files": ["a"], "envs": ["c"]}]}
    assert kept.references == [
        (("configMapGenerator", 0, "files", 0), "a"),
        (("configMapGenerator", 0, "envs", 0), "c"),
    ]


@pytest.mark.parametrize(("head", "name"), [("name: c, ", "c"), ("", "?")])
def test_a_generator_of_what_is_elsewhere_is_left_out(head: str, name: str) -> None:
    kept = safe(f"configMapGenerator: [{{{head}files: ['k={FAR_FILE}']}}, {{name: d}}]\n")
    assert kept.data == {"configMapGenerator": [{"name": "d"}]}
    why = "it is elsewhere, and nothing is fetched"
    assert kept.out == [(f"{name}, made of {FAR_FILE}", why, ("configMapGenerator", 0))]


@pytest.mark.parametrize(
    ("data", "path", "right"),
    [
        ({"Resources": []}, ("Resources",), "resources"),
        ({"patches": [{"Path": "a"}]}, ("patches", 0, "Path"), "path"),
        ({"configmapgenerator": []}, ("configmapgenerator",), "configMapGenerator"),
    ],
)
def test_a_key_in_another_case_is_refused(data: dict[str, Any], path: tuple[str | int, ...], right: str) -> None:
    assert misspelled(data) == (path, right)
    with pytest.raises(RefusedError) as caught:
        SafeKustomization(Document(HERE, 0, 1, "", data), lambda *_: iter(()), Listed())
    assert str(caught.value) == (f"{path[-1]} is not how the field {right} is spelled, but kustomize takes it for that")
    assert (caught.value.at.path, caught.value.remedy) == (path, f"write {right}")


@pytest.mark.parametrize("content", sorted(NO_PATHS))
def test_content_is_neither_a_key_nor_a_path(content: str) -> None:
    assert misspelled({content: {"Path": "/etc"}}) is None
    assert list(texts({content: ["/etc"], "x": ["a", {"y": "b"}], "z": 1})) == ["a", "b"]
    assert not astray({content: "/etc/passwd"}, "app")
    assert astray({"path": "/etc/passwd"}, "app")


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("a.yaml", False),
        ("../a", False),
        ("../..", True),
        ("..", False),
        ("../../a", True),
        ("/a", True),
        ("k=/a", True),
        ("k=../../a", True),
        ("k=../a", False),
        ("..a", False),
    ],
)
def test_what_leads_out_of_the_repository(text: str, out: bool) -> None:
    assert astray({"files": [text]}, "app") is out
    if "=" not in text:
        assert (joined("app", text) is None) is out


def test_paths_count_from_their_directory() -> None:
    assert [joined("app/x", each) for each in ("a", "../a", "../..", "./b/..")] == ["app/x/a", "app/a", "", "app/x"]
    assert joined("", "..") is None
    assert joined("", "..a") == "..a"
    assert not astray({"path": 1}, "")


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize("behavior", ["merge", "replace"])
def test_a_generator_that_changes_what_is_not_known(kind: str, behavior: str) -> None:
    field = {"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"}[kind]
    other = {"ConfigMap": "secretGenerator", "Secret": "configMapGenerator"}[kind]
    generator = {"name": "c", "behavior": behavior}
    data = {field: [generator, {"name": "c"}, {"name": "d", "behavior": behavior}], "namePrefix": "a-"}
    here = Document(HERE, 0, 1, "", data)
    made, gone = without_target(here, data, (), ())
    assert made == {field: [{"name": "c"}], "namePrefix": "a-"}
    why = "what it changes is elsewhere, and nothing is fetched"
    assert gone == [
        (f"the {kind} {name}, which the kustomization {behavior}s", why, (field, number))
        for name, number in (("c", 0), ("d", 2))
    ]
    generated = document(f"{field}: [{{name: c}}, {{name: d}}]\n")
    assert without_target(here, data, [generated], ()) == (data, [])
    assert without_target(here, data, [document(f"{other}: [{{name: c}}, {{name: d}}]\n")], ())[1] == gone
    held = [document(f"kind: {kind}\nmetadata: {{name: {each}}}\n") for each in "cd"]
    assert without_target(here, data, (), held) == (data, [])
    assert without_target(here, data, (), [document("kind: Pod\nmetadata: {name: c}\n")])[1] == gone


@pytest.mark.parametrize("behavior", ["create", "Merge", "REPLACE"])
def test_any_other_behavior_makes_one_of_its_own(behavior: str) -> None:
    """kustomize knows the behaviors in lower case only, and takes every other text for create."""
    data = {"configMapGenerator": [{"name": "c", "behavior": behavior}]}
    assert without_target(Document(HERE, 0, 1, "", data), data, (), ()) == (data, [])


def test_a_generator_without_a_name_is_left_out_too() -> None:
    data = {"configMapGenerator": [{"behavior": "merge"}]}
    made, gone = without_target(Document(HERE, 0, 1, "", data), data, (), ())
    assert made == {"configMapGenerator": []}
    assert gone[0][0] == "the ConfigMap ?, which the kustomization merges"


def test_a_kustomization_is_written_as_json() -> None:
    assert written(HERE, {"resources": ["a"]}) == b'{"resources": ["a"]}'
    with pytest.raises(RefusedError, match="a number that JSON has no word for") as caught:
        written(HERE, {"a": float("inf")})
    assert (caught.value.at, caught.value.remedy) == (Location(HERE, 0), "fix it")


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
@pytest.mark.parametrize("data", [{"a": "x"}, {"a": ["x", 1]}, {"a": {"bc": "x"}}], ids=["text", "list", "mapping"])
def test_how_large_a_kustomization_may_be(
    monkeypatch: pytest.MonkeyPatch, data: dict[str, Any], more: int, fits: bool
) -> None:
    # a key and a text count their characters, everything else four
    size = {"x": 1 + 4 + 1, "list": 1 + 4 + 4 + 1 + 4, "mapping": 1 + 4 + 2 + 4 + 1}
    kind = "x" if data["a"] == "x" else type(data["a"]).__name__.replace("dict", "mapping")
    monkeypatch.setattr("trainlint.source.written_kustomization.MAX_BYTES", size[kind] - more)
    if fits:
        assert written(HERE, data)
        return
    with pytest.raises(RefusedError) as caught:
        written(HERE, data)
    assert (caught.value.at, caught.value.remedy) == (Location(HERE, 0), "split it")


def test_the_limit_is_said() -> None:
    with pytest.raises(RefusedError, match=r"^it is larger than 64 MiB$"):
        written(HERE, {"a": ["x" * (1 << 20)] * 64})
    assert MAX_BYTES == 64 * 1024 * 1024


@pytest.mark.parametrize("data", [{}, {"apiVersion": "a", "kind": "b", "metadata": {"name": "c"}}, {"resources": []}])
def test_a_kustomization_that_says_nothing_says_something_harmless(data: dict[str, Any]) -> None:
    assert not_empty(data) == {**data, "buildMetadata": ["originAnnotations"]}
    said = {**data, "namePrefix": "x-"}
    assert not_empty(said) == said


@pytest.mark.parametrize(
    ("name", "ignored"),
    [
        ("a.env", True),
        ("b/a.env", True),
        ("keep/a.env", False),
        ("keep/b/a.env", False),
        ("out/x", True),
        ("out/b/x", True),
        ("keep/only/x", True),
        ("only/x", False),
        ("a.txt", False),
        ("keep", False),
    ],
)
def test_the_nearest_ignore_file_that_speaks_of_a_file_counts(name: str, ignored: bool) -> None:
    files = {".gitignore": b"*.env\nout/\n", "keep/.gitignore": b"!*.env\nonly/\n"}
    assert IgnoreFiles(files.get)(name) is ignored
    assert not IgnoreFiles(lambda _: None)(name)


@pytest.mark.parametrize("field", ["patches", "components", "labels"])
def test_lists_of_the_deployer_follow(field: str) -> None:
    assert with_deployer_fields({field: ["a"], "x": 1}, {field: ["b"]}) == {field: ["a", "b"], "x": 1}
    assert with_deployer_fields({}, {field: ["b"]}) == {field: ["b"]}
    assert with_deployer_fields({field: "a"}, {field: ["b"]}) == {field: ["b"]}
    assert with_deployer_fields({field: ["a"]}, {field: "b"}) == {field: "b"}


@pytest.mark.parametrize("field", ["images", "replicas"])
def test_images_and_replicas_of_the_deployer_go_by_name(field: str) -> None:
    before = [{"name": "a", "v": 1}, {"name": "b", "v": 1}, "odd"]
    assert with_deployer_fields({field: before}, {field: [{"name": "b", "v": 2}]}) == {
        field: [{"name": "a", "v": 1}, "odd", {"name": "b", "v": 2}]
    }
    assert with_deployer_fields({field: "a"}, {field: before}) == {field: before}
    assert with_deployer_fields({field: before}, {field: "a"}) == {field: "a"}


@pytest.mark.parametrize("field", ["commonLabels", "commonAnnotations"])
def test_labels_of_the_deployer_go_by_key(field: str) -> None:
    assert with_deployer_fields({field: {"a": "1", "b": "1"}}, {field: {"b": "2"}}) == {field: {"a": "1", "b": "2"}}
    assert with_deployer_fields({field: ["a"]}, {field: {"b": "2"}}) == {field: {"b": "2"}}
    assert with_deployer_fields({field: {"a": "1"}}, {field: "b"}) == {field: "b"}


def test_everything_else_of_the_deployer_takes_the_place() -> None:
    assert with_deployer_fields({"namePrefix": "a", "resources": ["a"]}, {"namePrefix": "b", "resources": ["c"]}) == {
        "namePrefix": "b",
        "resources": ["c"],
    }


def overlay(fields: dict[str, Any]) -> Overlay:
    return Overlay("key", fields, document("kind: Kustomization\n", "flux.yaml").at)


def test_the_files_that_a_deployer_names() -> None:
    fields = {"components": ["../c", "", 1], "patches": [{"path": "p.yaml"}, {"patch": "x"}, "odd", {"path": ""}]}
    assert list(named(overlay(fields))) == [(("components", 0), "../c"), (("patches", 0, "path"), "p.yaml")]
    assert list(patch_files(overlay(fields), "app")) == ["app/p.yaml"]
    assert list(named(overlay({"components": "c", "patches": {"path": "p"}}))) == []


@pytest.mark.parametrize("fields", [{"components": [FAR]}, {"patches": [{"path": FAR_FILE}]}])
def test_what_a_deployer_names_elsewhere_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match=r"is elsewhere, and what it changes is unknown$") as caught:
        list(named(overlay(fields)))
    assert (caught.value.at.file, caught.value.remedy) == ("flux.yaml", "keep a copy of it in Git")


def test_patches_of_a_deployer_may_find_nothing() -> None:
    chosen = [{"patch": "a: b", "target": {"kind": "Pod"}}]
    assert tolerant(document("kind: Kustomization\n"), chosen) == chosen
    patch = "kind: Pod\nmetadata: {name: a.b}\n"
    (made,) = tolerant(document("kind: Kustomization\n"), [{"patch": patch}])
    assert made["target"] == {"kind": "Pod", "name": "a\\.b"}
