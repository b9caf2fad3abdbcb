"""Kustomizations: what they reach, what they change, and which are at the top."""

import pytest

from trainlint.source.kustomization import kustomization, resolve
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read


def kustom(text, file="overlays/prod/kustomization.yaml"):
    (document,) = read(file, text.encode(), KindFilter(())).documents
    return kustomization(document)


def test_paths_are_relative_to_the_root_and_normal():
    found = kustom("resources: [../../base, ./job.yaml, sub/]\nbases: [../../old]\ncomponents: [../../parts/a]\n")
    assert found.directory == "overlays/prod"
    assert found.resources == ("base", "overlays/prod/job.yaml", "overlays/prod/sub", "old", "parts/a")
    assert kustom("resources: [., a.yaml]\n", "kustomization.yml").resources == ("", "a.yaml")


def test_remote_resources_are_told_apart():
    remote = [
        "https://github.com/kubeflow/trainer/manifests?ref=v2",
        "git@github.com:o/r.git//base",
        "github.com/o/r//base?ref=main",
        "git::https://example.com/x",
        "ssh://git@example.com/x",
        "https://example.com/crds.yaml",
        "oci://example.com/x",
    ]
    found = kustom(f"resources: {[*remote, 'a.yaml']}\n")
    assert found.remote == tuple(remote)
    assert found.resources == ("overlays/prod/a.yaml",)


def test_patches_are_paths_and_texts_in_place_are_none():
    found = kustom(
        "patches:\n- path: a.yaml\n- path: ops.yaml\n  target: {kind: Job}\n- patch: |-\n    - op: add\n"
        "patchesStrategicMerge:\n- b.yaml\n- |-\n  kind: Job\n- '{kind: Job}'\n"
        "patchesJson6902:\n- {path: c.yaml, target: {}}\n- {patch: '[]'}\n"
        "replacements:\n- path: d.yaml\n- source: {}\nconfigurations: [e.yaml]\n"
    )
    assert found.patch_files == tuple(f"overlays/prod/{name}.yaml" for name in ("b", "a", "ops", "c", "d", "e"))
    assert found.changes == ("patches", "patchesStrategicMerge", "patchesJson6902", "replacements", "configurations")


def test_plugins_data_and_charts_are_listed():
    found = kustom(
        "generators: [g.yaml]\ntransformers: [t]\nvalidators: [v.yaml]\n"
        "configMapGenerator:\n- {name: a, files: [x.json, key=y.yaml], envs: [z.env]}\n- {name: b, literals: [a=b]}\n"
        "secretGenerator: [{env: s.env}]\nhelmCharts: [{name: kueue}]\n"
    )
    assert found.plugin_files == ("overlays/prod/g.yaml", "overlays/prod/t", "overlays/prod/v.yaml")
    assert found.data_files == tuple(f"overlays/prod/{name}" for name in ("x.json", "y.yaml", "z.env", "s.env"))
    assert found.charts == ("kueue",)


@pytest.mark.parametrize(
    "field",
    [
        "namespace: x",
        "namePrefix: x-",
        "nameSuffix: -x",
        "labels: [{pairs: {a: b}}]",
        "commonLabels: {a: b}",
        "commonAnnotations: {a: b}",
        "images: [{name: a}]",
        "replicas: [{name: a, count: 2}]",
        "patches: [{path: a.yaml}]",
        "replacements: [{path: a.yaml}]",
        "vars: [{name: A}]",
        "transformers: [a.yaml]",
        "components: [a]",
        "helmCharts: [{name: a}]",
        "generators: [a.yaml]",
    ],
)
def test_every_field_that_changes_objects_is_known(field):
    assert kustom(field + "\n").transforms
    assert kustom(field + "\n").changes == (field.partition(":")[0],)


def test_what_only_gathers_changes_nothing():
    assert not kustom("resources: [a.yaml]\nnamespace: ''\npatches: []\nsortOptions: {}\n").transforms
    assert kustom("namespace: ml\n").namespace == "ml"


def test_the_kind_may_be_missing_or_component():
    assert kustom("resources: []\n") is not None
    assert kustom("kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n").component
    assert kustom("kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\nspec: {}\n") is None
    assert kustom("kind: Job\n") is None
    assert kustom("- a\n") is None


@pytest.mark.parametrize("text", ["resources: a.yaml", "resources: [1, null, {a: b}]", "patches: x", "patches: [x, 1]"])
def test_odd_values_are_passed_over(text):
    assert kustom(text + "\n").resources == ()


def test_odd_generators_are_passed_over():
    assert kustom("configMapGenerator: [{files: 3}, {files: {a: b}}, x, {envs: [1]}]\n").data_files == ()


def world(**texts):
    return [kustom(text, f"{directory}/kustomization.yaml".lstrip("/")) for directory, text in texts.items()]


FILES = ["base/job.yaml", "prod/patch.yaml", "prod/queue.yaml", "dev/patch.yaml", "lib/x.yaml", "free.yaml"]


def test_files_are_reached_through_other_kustomizations():
    found = resolve(
        world(
            base="resources: [job.yaml, ../lib]\n",
            lib="resources: [x.yaml]\n",
            prod="resources: [../base, queue.yaml]\npatches: [{path: patch.yaml}]\n",
            dev="resources: [../base]\npatches: [{path: patch.yaml}]\n",
        ),
        FILES,
    )
    assert found.files["prod"] == {"base/job.yaml", "lib/x.yaml", "prod/queue.yaml"}
    assert found.files["dev"] == {"base/job.yaml", "lib/x.yaml"}
    assert found.uses["prod"] == {"base", "lib"}
    assert found.roots == ("dev", "prod")
    assert found.patch_files == {"prod/patch.yaml", "dev/patch.yaml"}
    assert not found.missing


def test_circles_end_and_one_of_them_is_a_root():
    found = resolve(world(a="resources: [../b]\n", b="resources: [../a, ../b]\n", c="resources: []\n"), [])
    assert found.roots == ("c", "a")
    assert found.uses["a"] == {"b"}
    found = resolve(world(a="resources: [../b]\n", b="resources: [../c]\n", c="resources: [../b]\n"), [])
    assert found.roots == ("a",)


def test_what_leads_nowhere_is_named():
    found = resolve(world(a="resources: [gone.yaml, ../../up, ../free.yaml]\n"), FILES)
    assert found.missing == {"a": ("a/gone.yaml", "../up")}
    assert found.files["a"] == {"free.yaml"}


def test_links_are_followed():
    links = {"a/link.yaml": "free.yaml", "a/base": "base", "a/p.yaml": "dev/patch.yaml"}
    found = resolve(
        world(a="resources: [link.yaml, base]\npatches: [path: p.yaml]\n", base="resources: [job.yaml]\n"),
        FILES,
        real=lambda name: links.get(name, name),
    )
    assert found.files["a"] == {"free.yaml", "base/job.yaml"}
    assert found.patch_files == {"dev/patch.yaml"}


def test_a_file_that_is_a_resource_somewhere_is_an_object():
    found = resolve(world(a="patches: [path: ../free.yaml]\n", b="resources: [../free.yaml]\n"), FILES)
    assert found.patch_files == frozenset()


def test_without_kustomizations_there_is_nothing():
    found = resolve([], FILES)
    assert (found.files, found.roots, found.patch_files) == ({}, (), frozenset())
