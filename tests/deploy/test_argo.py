"""What Argo CD brings where: Applications, and ApplicationSets as far as the repository decides them."""

from __future__ import annotations

import pytest
from tests.deploy.deployers import URL, job, names, snapshots


def application(
    path: str, destination: str = "server: https://kubernetes.default.svc", extra: str = "", name: str = "app"
) -> str:
    return f"""apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  destination: {{{destination}}}
  source:
    repoURL: {URL}
    path: {path}
{extra}"""


def application_set(generators: str, template: str, go: bool = False) -> str:
    return f"""apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: set, namespace: argocd}}
spec:
  goTemplate: {str(go).lower()}
  generators:
{generators}
  template:
    metadata: {{name: one}}
    spec:
{template}
"""


def template(path: str, destination: str = '{name: "{{cluster}}", namespace: "{{space}}"}') -> str:
    return f"""      destination: {destination}
      source: {{repoURL: "{URL}", path: "{path}"}}"""


def test_the_destination_fills_in_namespaces_and_overrules_none() -> None:
    files = {
        "root.yaml": application("apps", "server: https://kubernetes.default.svc, namespace: given"),
        "apps/one.yaml": job("one", "own"),
        "apps/two.yaml": job("two"),
    }
    (made,) = snapshots(files).values()
    assert names(made) == {"Job own/one", "Job given/two"}


def test_a_plain_directory_is_read_without_what_is_below_it_unless_it_says_so() -> None:
    files = {
        "root.yaml": application("apps"),
        "apps/one.yaml": job("one", "a"),
        "apps/deep/two.yaml": job("two", "a"),
    }
    assert names(snapshots(files)["in-cluster"]) == {"Job a/one"}
    files["root.yaml"] = application("apps", extra="    directory: {recurse: true}\n")
    assert names(snapshots(files)["in-cluster"]) == {"Job a/one", "Job a/two"}


@pytest.mark.parametrize(
    ("directory", "kept"),
    [
        ("{recurse: true, include: '*.job.yaml'}", {"one", "two"}),
        ("{recurse: true, exclude: 'deep/*'}", {"one", "three"}),
        ("{recurse: true, include: '{one.job.yaml,three.yaml}'}", {"one", "three"}),
    ],
)
def test_include_and_exclude_narrow_a_directory(directory: str, kept: set[str]) -> None:
    files = {
        "root.yaml": application("apps", extra=f"    directory: {directory}\n"),
        "apps/one.job.yaml": job("one", "a"),
        "apps/deep/two.job.yaml": job("two", "a"),
        "apps/three.yaml": job("three", "a"),
    }
    assert names(snapshots(files)["in-cluster"]) == {f"Job a/{name}" for name in kept}


def test_the_namespace_of_kustomize_wins_over_that_of_objects() -> None:
    files = {
        "root.yaml": application("apps", "name: east, namespace: given", "    kustomize: {namespace: moved}\n"),
        "apps/kustomization.yaml": "resources: [one.yaml]\n",
        "apps/one.yaml": job("one", "own"),
    }
    assert names(snapshots(files)["east"]) == {"Job moved/one"}


def test_each_destination_is_a_cluster() -> None:
    files = {
        "root.yaml": application("apps"),
        "apps/a.yaml": application("shared", "server: 'https://east.example:6443', namespace: x", name="a"),
        "apps/b.yaml": application("shared", "name: west, namespace: z", name="b"),
        "shared/job.yaml": job(),
    }
    found = snapshots(files)
    assert names(found["east.example:6443"]) == {"Job x/train"}
    assert names(found["west"]) == {"Job z/train"}
    assert set(found) == {"in-cluster", "east.example:6443", "west"}


def test_two_roots_that_differ_are_two_clusters() -> None:
    files = {
        "clusters/dev/root.yaml": application("apps/dev", name="root"),
        "clusters/prod/root.yaml": application("apps/prod", name="root"),
        "apps/dev/job.yaml": job(namespace="d"),
        "apps/prod/job.yaml": job(namespace="p"),
    }
    found = snapshots(files)
    assert {name: names(made) for name, made in found.items()} == {"dev": {"Job d/train"}, "prod": {"Job p/train"}}


def test_all_sources_count() -> None:
    text = application("apps").replace(
        f"  source:\n    repoURL: {URL}\n    path: apps\n",
        "  sources:\n"
        + "".join(f"  - {{repoURL: {URL}, {each}}}\n" for each in ("path: one", "path: two", "ref: values")),
    )
    files = {"root.yaml": text, "one/job.yaml": job("one", "a"), "two/job.yaml": job("two", "a")}
    (made,) = snapshots(files).values()
    assert names(made) == {"Job a/one", "Job a/two"}
    assert made.unknowns == ()


def test_a_list_makes_one_application_for_each_element() -> None:
    generators = "  - list: {elements: [{cluster: east, space: x}, {cluster: west, space: z}]}"
    files = {"set.yaml": application_set(generators, template("apps")), "apps/job.yaml": job()}
    found = snapshots(files)
    assert {name: names(made) for name, made in found.items()} == {"east": {"Job x/train"}, "west": {"Job z/train"}}


DIRECTORIES = f"""  - git:
      repoURL: {URL}
      directories: [{{path: apps/*}}, {{path: apps/not, exclude: true}}]"""


@pytest.mark.parametrize(
    ("go", "path", "space"),
    [(False, "{{path}}", "{{path.basename}}"), (True, "{{.path.path}}", "{{ .path.basename | lower }}")],
)
def test_directories_make_one_application_each(go: bool, path: str, space: str) -> None:
    text = application_set(DIRECTORIES, template(path, f'{{name: c, namespace: "{space}"}}'), go)
    files = {
        "set.yaml": text,
        "apps/one/job.yaml": job(),
        "apps/two/job.yaml": job(),
        "apps/two/deep/job.yaml": job("deep"),
        "apps/not/job.yaml": job(),
    }
    assert names(snapshots(files)["c"]) == {"Job one/train", "Job two/train"}


def test_files_make_one_application_each_of_what_they_hold() -> None:
    generators = f"  - git: {{repoURL: {URL}, files: [{{path: 'clusters/**/config.json'}}]}}"
    text = application_set(generators, template("apps", '{name: "{{cluster.name}}", namespace: "{{path[1]}}"}'))
    files = {
        "set.yaml": text,
        "clusters/a/config.json": '{"cluster": {"name": "east"}}',
        "clusters/b/deep/config.json": '{"cluster": {"name": "west"}}',
        "apps/job.yaml": job(),
    }
    found = snapshots(files)
    assert names(found["east"]) == {"Job a/train"}
    assert names(found["west"]) == {"Job b/train"}


def test_a_matrix_is_every_pair_and_its_second_generator_sees_the_first() -> None:
    generators = f"""  - matrix:
      generators:
      - list: {{elements: [{{cluster: east}}, {{cluster: west}}]}}
      - git: {{repoURL: {URL}, directories: [{{path: "{{{{cluster}}}}/*"}}]}}"""
    text = application_set(generators, template("{{path}}", '{name: "{{cluster}}", namespace: "{{path.basename}}"}'))
    files = {"set.yaml": text, "east/a/job.yaml": job(), "west/b/job.yaml": job(), "west/c/job.yaml": job()}
    found = snapshots(files)
    assert names(found["east"]) == {"Job a/train"}
    assert names(found["west"]) == {"Job b/train", "Job c/train"}


def test_a_generator_that_asks_others_is_an_unknown() -> None:
    files = {
        "root.yaml": application("apps"),
        "apps/set.yaml": application_set("  - clusters: {}", template("jobs", "{name: '{{name}}'}")),
        "jobs/job.yaml": job(namespace="a"),
    }
    made = snapshots(files)["in-cluster"]
    assert any("clusters generator" in each.missing for each in made.unknowns)
    assert made.may_hold_more("a")


def test_what_a_template_says_and_is_not_understood_is_no_value() -> None:
    generators = "  - list: {elements: [{cluster: east}]}"
    text = application_set(generators, template("{{ if eq .cluster 1 }}apps{{ end }}", "{name: east}"), go=True)
    found = snapshots({"set.yaml": text, "apps/job.yaml": job(namespace="a")})
    assert names(found["."]) == {"Job a/train"}


# What the Git generators of Argo CD offer (its Generators-Git.md); its SanitizeName makes the normalized names.
ONE_FILE = {
    True: {
        "path": {
            "path": "clusters/East_1",
            "basename": "East_1",
            "basenameNormalized": "east-1",
            "segments": ["clusters", "East_1"],
            "filename": "My_Config.json",
            "filenameNormalized": "my-config.json",
        },
        "cluster": {"name": "east"},
    },
    False: {
        "path": "clusters/East_1",
        "path.basename": "East_1",
        "path.basenameNormalized": "east-1",
        "path[0]": "clusters",
        "path[1]": "East_1",
        "path.filename": "My_Config.json",
        "path.filenameNormalized": "my-config.json",
        "cluster.name": "east",
    },
}


@pytest.mark.parametrize("go", [True, False])
def test_a_template_may_use_every_parameter_that_argo_documents(go: bool) -> None:
    generator = f"  - git: {{repoURL: {URL}, files: [{{path: 'clusters/*/*.json'}}]}}"
    text = "clusters/East_1/My_Config.json"
    for name, value in _flat(ONE_FILE[go]):
        step = (
            f"index .path.segments {name.rpartition('.')[2]}"
            if go and "segments" in name
            else f".{name}"
            if go
            else name
        )
        made = snapshots(
            {
                "set.yaml": application_set(
                    generator, template("apps", f'{{name: c, namespace: "x-{{{{{step}}}}}"}}'), go
                ),
                text: '{"cluster": {"name": "east"}}',
                "apps/job.yaml": job(),
            }
        )
        assert names(made["c"]) == {f"Job x-{value}/train"}, name


def _flat(value: object, name: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [each for key, item in value.items() for each in _flat(item, f"{name}.{key}" if name else key)]
    if isinstance(value, list):
        return [each for number, item in enumerate(value) for each in _flat(item, f"{name}.{number}")]
    return [(name, str(value))]


@pytest.mark.parametrize(
    ("destination", "cluster"),
    [
        ("{server: 'https://kubernetes.default.svc'}", "in-cluster"),
        ("{server: 'https://kubernetes.default.svc/'}", "in-cluster"),
        ("{server: 'https://kubernetes.default'}", "in-cluster"),
        ("{name: in-cluster}", "in-cluster"),
        ("{}", "in-cluster"),
        ("{name: east}", "east"),
        ("{name: east, server: 'https://west.example'}", "east"),
        ("{server: 'https://west.example'}", "west.example"),
        ("{server: 'https://west.example:6443/'}", "west.example:6443"),
        ("{server: 'https://west.example/k8s/clusters/c-1'}", "west.example"),
        ("{server: west.example}", "west.example"),
    ],
)
def test_a_destination_is_a_cluster_by_its_name_or_the_host_of_its_address(destination: str, cluster: str) -> None:
    text = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\n"
        f"spec: {{source: {{repoURL: {URL}, path: jobs}}, destination: {destination}}}\n"
    )
    found = snapshots({"apps/a.yaml": text, "jobs/job.yaml": job()})
    assert [name for name, each in found.items() if any("train" in shown for shown in names(each))] == [cluster]
