"""Kustomizations through the real kustomize: what comes out, and where it was written.

Expectations are what kustomize documents for each field (kubectl.docs.kubernetes.io, "The Kustomization File").
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.source.overlays import OVERLAYS
from tests.source.repositories import write

from trainlint.finding import Location
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source import definitions, kustomize_build
from trainlint.source.build_cache import Builds
from trainlint.source.correspondence import same, value_at
from trainlint.source.document import Document
from trainlint.source.documents import every_document
from trainlint.source.files import discover
from trainlint.source.kustomize import render
from trainlint.source.kustomize_program import kustomize
from trainlint.source.origins import Basis, ObjectOrigin
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read, read_file
from trainlint.source.rendered_root import BuildRoot, RenderedRoot
from trainlint.source.spans import locate

pytestmark = pytest.mark.needs("kustomize")

KINDS = KindFilter(READ_KINDS)


def rendered(
    root: Path, files: dict[str, str | bytes], *extra: BuildRoot, builds: Builds | None = None
) -> dict[str, RenderedRoot]:
    write(root, files)
    program = kustomize()
    assert program is not None
    world = discover([root])
    readings = [read_file(file, KINDS) for file in world.files]
    return {each.root: each for each in render(world, readings, KINDS, builds or Builds(), program, extra)}


def the(root: RenderedRoot, kind: str, name: str) -> Document:
    (only,) = (each for each in root.documents if (each.data["kind"], each.data["metadata"]["name"]) == (kind, name))
    return only


def why(root: RenderedRoot) -> str:
    (only,) = root.unknowns
    return only.missing


@pytest.fixture(scope="module")
def overlays(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, RenderedRoot]]:
    root = tmp_path_factory.mktemp("overlays")
    return root, rendered(root, OVERLAYS)


@pytest.fixture
def prod(overlays: tuple[Path, dict[str, RenderedRoot]]) -> RenderedRoot:
    return overlays[1]["overlays/prod/kustomization.yaml"]


@pytest.fixture
def dev(overlays: tuple[Path, dict[str, RenderedRoot]]) -> RenderedRoot:
    return overlays[1]["overlays/dev/kustomization.yaml"]


def line(root: Path, at: Location) -> str:
    """The source line to which a place leads."""
    documents = {each.index: each for each in every_document(at.file, (root / at.file).read_bytes())}
    _, span = locate(documents[at.document], at.path)
    return (root / at.file).read_text().splitlines()[span.line - 1].strip()


def test_both_overlays_are_rendered_and_the_base_by_itself_is_not(
    overlays: tuple[Path, dict[str, RenderedRoot]],
) -> None:
    assert {name: each.failed for name, each in overlays[1].items()} == {
        "overlays/dev/kustomization.yaml": False,
        "overlays/prod/kustomization.yaml": False,
    }


def test_what_is_rendered_stands_for_the_files_of_the_base(prod: RenderedRoot, dev: RenderedRoot) -> None:
    assert prod.files == dev.files == {"base/web.yaml", "base/worker.yaml"}


def test_objects_are_those_that_kustomize_makes_of_them(prod: RenderedRoot, dev: RenderedRoot) -> None:
    deployment = the(prod, "Deployment", "prod-web").data
    assert deployment["metadata"]["namespace"] == "prod"
    assert deployment["spec"]["replicas"] == 3
    assert deployment["spec"]["selector"]["matchLabels"] == {"app": "web", "team": "ml"}
    (web,) = (each for each in deployment["spec"]["template"]["spec"]["containers"] if each["name"] == "web")
    assert web["image"] == "registry.example/web:2"
    assert {each["name"]: each.get("value") for each in web["env"]} == {
        "QUIET": "yes",  # kustomize reads YAML 1.2 and puts quotes around what YAML 1.1 takes for a boolean
        "HOST": "prod-web",
        "MODE": None,
        "EXTRA": "on",
    }
    assert the(prod, "Job", "prod-worker").data["spec"]["template"]["spec"]["nodeSelector"] == {"pool": "gpu"}
    assert {
        (each.data["kind"], each.data["metadata"]["name"]) for each in dev.documents if each.data["kind"] == "Job"
    } == {("Job", "worker")}


def test_it_is_what_kustomize_makes_in_place(overlays: tuple[Path, dict[str, RenderedRoot]]) -> None:
    program = kustomize()
    assert program is not None
    for name, root in overlays[1].items():
        command = [*program.command, str((overlays[0] / name).parent)]
        output = subprocess.run(command, check=True, capture_output=True).stdout
        assert [each.data for each in root.documents] == [
            each.data for each in read("rendered.yaml", output, KINDS).documents
        ]


def test_no_annotation_of_ours_stays_behind(prod: RenderedRoot, dev: RenderedRoot) -> None:
    for document in prod.documents:
        assert document.data["metadata"]["annotations"] == {"owner": "prod"}
    for document in dev.documents:
        assert "annotations" not in document.data["metadata"]


@pytest.mark.parametrize(
    ("kind", "name", "path", "file", "text"),
    [
        # the base holds it
        ("Service", "prod-web", ("spec", "ports", 0, "port"), "base/web.yaml", "- port: 80"),
        ("Service", "prod-web", ("spec", "selector", "app"), "base/web.yaml", "selector: {app: web}"),
        (
            "Deployment",
            "prod-web",
            ("spec", "template", "spec", "containers", {"name": "web"}, "env", {"name": "QUIET"}, "value"),
            "base/web.yaml",
            "- {name: QUIET, value: yes}",
        ),
        (
            "Job",
            "prod-worker",
            ("spec", "template", "spec", "restartPolicy"),
            "base/worker.yaml",
            "restartPolicy: Never",
        ),
        (
            "Job",
            "prod-worker",
            ("spec", "template", "spec", "tolerations", {"key": "gpu"}, "operator"),
            "base/worker.yaml",
            "- {key: gpu, operator: Exists}",
        ),
        # a patch holds it
        (
            "Deployment",
            "prod-web",
            ("spec", "template", "spec", "hostNetwork"),
            "overlays/prod/merge.yaml",
            "hostNetwork: true",
        ),
        (
            "Deployment",
            "prod-web",
            ("spec", "template", "spec", "containers", {"name": "web"}, "env", {"name": "EXTRA"}, "value"),
            "overlays/prod/merge.yaml",
            "value: on",
        ),
        (
            "Job",
            "prod-worker",
            ("spec", "completions"),
            "overlays/prod/operations.json",
            '{"op": "replace", "path": "/spec/completions", "value": 4},',
        ),
        (
            "Job",
            "prod-worker",
            ("spec", "template", "spec", "tolerations", {"key": "spot"}, "key"),
            "overlays/prod/operations.json",
            '"value": {"key": "spot", "operator": "Exists"}}',
        ),
        (
            "Job",
            "prod-worker",
            ("spec", "template", "spec", "nodeSelector", "pool"),
            "component/pool.yaml",
            "nodeSelector: {pool: gpu}",
        ),
        (
            "Deployment",
            "prod-web",
            ("spec", "template", "spec", "priorityClassName"),
            "overlays/prod/kustomization.yaml",
            "value: high",
        ),
        ("Service", "prod-web", ("spec", "clusterIP"), "overlays/prod/kustomization.yaml", "clusterIP: None"),
        # a field of a kustomization makes it
        ("Service", "prod-web", ("metadata", "namespace"), "overlays/prod/kustomization.yaml", "namespace: prod"),
        ("Service", "prod-web", ("metadata", "name"), "overlays/prod/kustomization.yaml", "namePrefix: prod-"),
        ("Service", "prod-web", ("metadata", "labels", "team"), "base/kustomization.yaml", "- pairs: {team: ml}"),
        ("Service", "prod-web", ("spec", "selector", "team"), "base/kustomization.yaml", "- pairs: {team: ml}"),
        (
            "Service",
            "prod-web",
            ("metadata", "annotations", "owner"),
            "overlays/prod/kustomization.yaml",
            "commonAnnotations: {owner: prod}",
        ),
        ("Deployment", "prod-web", ("spec", "replicas"), "overlays/prod/kustomization.yaml", "count: 3"),
        (
            "Deployment",
            "prod-web",
            ("spec", "template", "spec", "containers", {"name": "web"}, "image"),
            "overlays/prod/kustomization.yaml",
            'newTag: "2"',
        ),
        (
            "Deployment",
            "prod-web",
            ("spec", "template", "spec", "containers", {"name": "web"}, "env", {"name": "HOST"}, "value"),
            "overlays/prod/kustomization.yaml",
            "- source: {kind: Service, name: web, fieldPath: metadata.name}",
        ),
        (
            "Deployment",
            "prod-web",
            (
                *("spec", "template", "spec", "containers", {"name": "web"}),
                *("env", {"name": "MODE"}, "valueFrom", "configMapKeyRef", "name"),
            ),
            "base/kustomization.yaml",
            "- name: settings",
        ),
        # what is not there belongs to its parent
        (
            "Job",
            "prod-worker",
            ("spec", "template", "spec", "hostNetwork"),
            "base/worker.yaml",
            "spec:",
        ),
    ],
)
def test_every_value_leads_to_the_line_that_wrote_it(
    overlays: tuple[Path, dict[str, RenderedRoot]],
    prod: RenderedRoot,
    kind: str,
    name: str,
    path: tuple[Any, ...],
    file: str,
    text: str,
) -> None:
    document = the(prod, kind, name)
    at = document.at(tuple(indices(document.data, path)))
    assert at.file == file
    assert line(overlays[0], at) == text


def indices(value: Any, path: tuple[Any, ...]) -> Iterator[str | int]:
    """A path in which elements of lists are named by what they hold."""
    for step in path:
        if isinstance(step, dict):
            step = next(at for at, each in enumerate(value) if step.items() <= each.items())  # noqa: PLW2901
        value = value[step] if isinstance(step, int) or step in value else None
        yield step


def test_generated_objects_lead_to_their_generator(
    overlays: tuple[Path, dict[str, RenderedRoot]], prod: RenderedRoot
) -> None:
    (made,) = (each for each in prod.documents if each.data["kind"] == "ConfigMap")
    assert made.data["metadata"]["name"].startswith("prod-settings-")
    assert line(overlays[0], made.at(())) == "- name: settings"
    assert line(overlays[0], made.at(("data", "mode"))) == "literals: [mode=fast]"
    assert line(overlays[0], made.at(("data", "run.sh"))) == "files: [data/run.sh]"


def scalars(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from scalars(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from scalars(each, (*path, index))
    else:
        yield path, value


def held(data: Any, path: tuple[str | int, ...]) -> Any:
    """The value at a path, also inside the text of a patch that stands in place."""
    for length in range(len(path)):
        inner = value_at(data, path[:length])
        if isinstance(inner, str):
            return value_at(every_document("patch", inner.encode())[0].data, path[length:])
    return value_at(data, path)


def test_every_scalar_of_every_object_leads_to_a_document_that_holds_it(
    overlays: tuple[Path, dict[str, RenderedRoot]],
) -> None:
    seen = set()
    for root in overlays[1].values():
        for document in root.documents:
            assert isinstance(document.origin, ObjectOrigin)
            for path, value in scalars(document.data):
                at, basis = document.origin.explain(path)
                documents = {each.index: each for each in every_document(at.file, (overlays[0] / at.file).read_bytes())}
                assert at.document in documents, (path, at)
                written = held(documents[at.document].data, at.path)
                seen.add(basis)
                if basis in (Basis.WRITTEN, Basis.PATCHED):
                    assert same(value, written), (path, at)
                elif basis is Basis.SET and not isinstance(written, dict) and "data" not in path:
                    assert str(written).partition("=")[0] in (str(value), *map(str, path)) or str(written) in str(value)
    assert seen >= {Basis.WRITTEN, Basis.PATCHED, Basis.SET}


JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "registry.example/c:1"}]}}}
"""


@pytest.mark.parametrize(
    "entry",
    [
        "https://github.com/example/manifests//base?ref=v1",
        "github.com/example/manifests/base?ref=v1",
        "GitHub.com/example/manifests//base",
        "git@github.com:example/manifests.git//base",
        "https://example.com/install.yaml",
        "ssh://git@example.com/x.git",
    ],
)
def test_remote_resources_are_left_out_and_the_rest_is_rendered(tmp_path: Path, entry: str) -> None:
    root = rendered(
        tmp_path, {"kustomization.yaml": f"namePrefix: x-\nresources: [job.yaml, '{entry}']\n", "job.yaml": JOB}
    )
    assert [each.data["metadata"]["name"] for each in root["kustomization.yaml"].documents] == ["x-a"]
    (only,) = root["kustomization.yaml"].unknowns
    assert only.subject == f"the objects of {entry}, in kustomization ."
    assert only.missing == "it is elsewhere, and nothing is fetched"


def test_a_patch_of_what_is_elsewhere_does_not_keep_the_rest_from_being_rendered(tmp_path: Path) -> None:
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: far.away}\nspec: {replicas: 2}\n"
    near = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {completions: 2}\n"
    root = rendered(
        tmp_path,
        {
            "kustomization.yaml": "resources: [base]\npatches: [{path: far.yaml}]\npatchesStrategicMerge: [both.yaml]\n"
            "patchesJson6902: [{path: ops.yaml, target: {version: v1, kind: Deployment, name: far.away}}]\n",
            "base/kustomization.yaml": "resources: [job.yaml, 'https://example.com/install.yaml']\n",
            "far.yaml": patch,
            "both.yaml": f"{patch}---\n{near}",
            "ops.yaml": "- {op: add, path: /spec/paused, value: true}\n",
            "base/job.yaml": JOB,
        },
    )["kustomization.yaml"]
    assert [each.data["spec"]["completions"] for each in root.documents] == [2]
    assert root.documents[0].at(("spec", "completions")) == Location("both.yaml", 1, ("spec", "completions"))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ("components: ['https://example.com/x.yaml']", "https://example.com/x.yaml is elsewhere"),
        ("patches: [{path: 'https://example.com/x.yaml'}]", "https://example.com/x.yaml is elsewhere"),
        ("transformers: [run.yaml]", "the transformer Sed would run a program"),
        ("resources: [/etc/hosts]", "/etc/hosts leads out of the repository"),
        ("resources: [../../../../../../../../etc/hosts]", "leads out of the repository"),
        ("resources: [outside.yaml]", "the symbolic link outside.yaml leads out of the repository"),
        ("resources: [nowhere.yaml]", "nowhere.yaml: no such file or directory"),
        ("patches: [{path: nowhere.yaml}]", "nowhere.yaml: no such file or directory"),
        ("patches: [{path: other.yaml}]", 'no resource matches strategic merge patch "Job.v1.batch/b.[noNs]"'),
        (f"resources: [{'x' * 300}]", "file name too long"),
        ('resources: ["a\\0b"]', "a"),
        ("unknownField: 1", 'unknown field "unknownField"'),
    ],
)
def test_a_root_that_cannot_be_rendered_says_why(tmp_path: Path, fields: str, reason: str) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "outside.yaml").write_text(JOB)
    (tmp_path / "here" / "outside.yaml").symlink_to("../outside.yaml")
    root = rendered(
        tmp_path / "here",
        {
            "kustomization.yaml": f"namePrefix: x-\n{fields}\n",
            "other.yaml": JOB.replace("name: a", "name: b"),
            "run.yaml": "apiVersion: example.com/v1\nkind: Sed\nmetadata: {name: s}\n",
        },
    )["kustomization.yaml"]
    assert root.failed
    assert root.documents == ()
    assert root.files == frozenset()
    assert reason in why(root)
    assert str(tmp_path) not in why(root)
    assert "trainlint-kustomize" not in why(root)


@pytest.mark.parametrize(
    ("fields", "what", "reason"),
    [
        ("generators: [run.yaml]", "the objects of the generator Maker", "it would run a program"),
        (
            "helmCharts: [{name: cilium, repo: 'https://example.com'}]",
            "the objects of the chart cilium",
            "charts in a kustomization are not rendered",
        ),
        (
            "configMapGenerator: [{name: far, files: ['https://example.com/x']}]",
            "far, made of https://example.com/x",
            "it is elsewhere, and nothing is fetched",
        ),
    ],
)
def test_what_would_run_or_fetch_something_is_left_out(tmp_path: Path, fields: str, what: str, reason: str) -> None:
    root = rendered(
        tmp_path,
        {
            "kustomization.yaml": f"namePrefix: x-\nresources: [job.yaml]\n{fields}\n",
            "job.yaml": JOB,
            "run.yaml": "apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: s}\n",
        },
    )["kustomization.yaml"]
    assert [each.data["metadata"]["name"] for each in root.documents] == ["x-a"]
    (only,) = root.unknowns
    assert only.subject == f"{what}, in kustomization ."
    assert only.missing == reason


@pytest.mark.parametrize("text", ["", "- a\n", "a: [\n", "resources: []\n---\nresources: [/etc]\n"])
def test_a_base_that_is_no_kustomization_is_not_left_to_kustomize(tmp_path: Path, text: str) -> None:
    # what we cannot read, we cannot have cleaned of what is elsewhere
    root = rendered(
        tmp_path,
        {"kustomization.yaml": "namePrefix: x-\nresources: [base]\n", "base/kustomization.yaml": text},
    )["kustomization.yaml"]
    assert why(root).startswith("its rendered objects: the kustomization is not one YAML mapping")
    assert root.unknowns[0].at == Location("base/kustomization.yaml", 0)


def test_secrets_that_are_kept_out_of_git_keep_nothing_from_being_rendered(tmp_path: Path) -> None:
    generator = "secretGenerator: [{name: token, envs: [token.env]}]"
    root = rendered(
        tmp_path, {"kustomization.yaml": f"namePrefix: x-\nresources: [job.yaml]\n{generator}\n", "job.yaml": JOB}
    )["kustomization.yaml"]
    assert [each.data["metadata"]["name"] for each in root.documents] == ["x-a"]
    assert root.unknowns == ()


def test_the_fault_of_a_base_is_an_unknown_at_the_base(tmp_path: Path) -> None:
    root = rendered(
        tmp_path,
        {
            "prod/kustomization.yaml": "namePrefix: x-\nresources: [../base]\n",
            "base/kustomization.yaml": "resources: [x.yaml]\n",
        },
    )["prod/kustomization.yaml"]
    assert root.unknowns[0].at == Location("base/kustomization.yaml", 0)
    assert why(root).endswith("base/x.yaml: no such file or directory (in base)")


def test_links_inside_of_the_repository_are_followed(tmp_path: Path) -> None:
    (tmp_path / "overlay").mkdir()
    (tmp_path / "overlay" / "link").symlink_to("../base")
    root = rendered(
        tmp_path,
        {
            "overlay/kustomization.yaml": "namePrefix: x-\nresources: [link]\n",
            "base/kustomization.yaml": "resources: [job.yaml]\n",
            "base/job.yaml": JOB,
        },
    )["overlay/kustomization.yaml"]
    assert [each.data["metadata"]["name"] for each in root.documents] == ["x-a"]
    assert root.documents[0].at(("spec",)) == Location("base/job.yaml", 0, ("spec",))


def test_a_directory_that_is_deployed_is_rendered_although_another_one_uses_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "prod/kustomization.yaml": "namePrefix: x-\nresources: [../base]\n",
        "base/kustomization.yaml": "nameSuffix: -y\nresources: [job.yaml]\n",
        "base/job.yaml": JOB,
    }
    assert set(rendered(tmp_path, files)) == {"prod/kustomization.yaml"}
    assert set(rendered(tmp_path, files, BuildRoot("base"))) == {"prod/kustomization.yaml", "base/kustomization.yaml"}


def test_who_deploys_a_directory_may_put_all_of_it_into_another_namespace(tmp_path: Path) -> None:
    # Flux' targetNamespace overrides the namespace of the kustomization
    files: dict[str, str | bytes] = {
        "app/kustomization.yaml": "namespace: own\nresources: [job.yaml]\n",
        "app/job.yaml": JOB,
    }
    write(tmp_path, files)
    program = kustomize()
    assert program is not None
    world = discover([tmp_path])
    readings = [read_file(file, KINDS) for file in world.files]
    extra = [BuildRoot("app", "one"), BuildRoot("app", "two")]
    made = render(world, readings, KINDS, Builds(), program, extra)
    documents = [document for each in made for document in each.documents]
    assert [each.data["metadata"]["namespace"] for each in documents] == ["one", "two"]
    assert len({(each.file, each.index) for each in documents}) == 2


BESIDE: dict[str, str | bytes] = {
    "app/kustomization.yaml": "namePrefix: x-\nresources: [../shared/job.yaml]\n",
    "shared/job.yaml": JOB,
}


def test_a_file_beside_the_directory_is_read_where_flux_deploys_it_and_not_where_argo_cd_does(tmp_path: Path) -> None:
    # kustomize-controller builds without a load restrictor, within the root of the source; Argo CD leaves the default
    assert "is not in or below" in why(rendered(tmp_path, BESIDE, BuildRoot("app"))["app/kustomization.yaml"])
    root = rendered(tmp_path, BESIDE, BuildRoot("app", unrestricted=True))["app/kustomization.yaml"]
    assert not root.failed
    assert [each.data["metadata"]["name"] for each in root.documents] == ["x-a"]
    assert root.documents[0].at(("spec", "template")) == Location("shared/job.yaml", 0, ("spec", "template"))
    assert root.assumptions == ()


def test_where_nothing_says_how_it_is_built_it_may_read_a_file_beside_it_and_that_is_said(tmp_path: Path) -> None:
    # a deployer that builds it lifts the restriction, because it does not build otherwise
    builds = Builds(tmp_path / "cache")
    for _ in range(2):
        root = rendered(tmp_path / "w", BESIDE, builds=builds)["app/kustomization.yaml"]
        assert [each.data["metadata"]["name"] for each in root.documents] == ["x-a"]
        assert ["LoadRestrictionsNone" in each for each in root.assumptions] == [True]
    within = {"app/kustomization.yaml": "namePrefix: x-\nresources: [job.yaml]\n", "app/job.yaml": JOB}
    assert rendered(tmp_path / "v", within)["app/kustomization.yaml"].assumptions == ()


def test_the_two_ways_to_build_a_directory_are_kept_apart(tmp_path: Path) -> None:
    builds = Builds(tmp_path / "cache")
    for unrestricted in (True, False, True):
        extra = BuildRoot("app", unrestricted=unrestricted)
        root = rendered(tmp_path / "w", BESIDE, extra, builds=builds)["app/kustomization.yaml"]
        assert root.failed is not unrestricted


OUTSIDE = """apiVersion: builtin
kind: PatchTransformer
metadata: {name: t}
path: %s
target: {kind: Job}
"""


@pytest.mark.parametrize("path", ["{tmp}/outside.yaml", "../../../../../../../../../..{tmp}/outside.yaml"])
@pytest.mark.parametrize("inline", [False, True])
def test_no_path_leads_out_of_the_repository_where_flux_deploys_it(tmp_path: Path, path: str, inline: bool) -> None:
    (tmp_path / "outside.yaml").write_text("[{op: add, path: /spec/completions, value: 9}]")
    plugin = OUTSIDE % path.format(tmp=tmp_path)
    listed = json.dumps([plugin]) if inline else "[t.yaml]"
    files: dict[str, str | bytes] = {
        "app/kustomization.yaml": f"resources: [job.yaml]\nnamePrefix: x-\ntransformers: {listed}\n",
        "app/job.yaml": JOB,
        "app/t.yaml": plugin,
    }
    root = rendered(tmp_path / "w", files, BuildRoot("app", unrestricted=True))["app/kustomization.yaml"]
    assert root.failed
    assert str(tmp_path) not in why(root).replace(f"{tmp_path}/outside.yaml", "")
    for fields in (f"patches: [{{path: {tmp_path}/outside.yaml}}]", f"patchesStrategicMerge: ['{tmp_path}/a:b']"):
        files["app/kustomization.yaml"] = f"resources: [job.yaml]\n{fields}\n"
        (tmp_path / "a:b").write_text(JOB)
        root = rendered(tmp_path / "w", files, BuildRoot("app", unrestricted=True))["app/kustomization.yaml"]
        assert root.failed, fields


def test_files_that_another_root_deploys_as_they_are_stay_what_they_are(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "prod/kustomization.yaml": "namePrefix: x-\nresources: [../base]\n",
        "plain/kustomization.yaml": "resources: [../base]\n",
        "base/kustomization.yaml": "resources: [job.yaml]\n",
        "base/job.yaml": JOB,
    }
    assert rendered(tmp_path, files)["prod/kustomization.yaml"].files == frozenset()


def test_a_kustomization_that_changes_nothing_is_not_rendered(tmp_path: Path) -> None:
    assert rendered(tmp_path, {"kustomization.yaml": "resources: [job.yaml]\n", "job.yaml": JOB}) == {}


def test_nothing_is_rendered_twice_from_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes] = {
        "a/kustomization.yaml": "namePrefix: x-\nresources: [job.yaml]\n",
        "a/job.yaml": JOB,
    }
    home = tmp_path / "cache"
    first = rendered(tmp_path / "w", files, builds=Builds(home))

    def fail(*_: object) -> bytes:
        raise AssertionError("kustomize was started")

    monkeypatch.setattr("trainlint.source.kustomize_build.build", fail)
    again = rendered(tmp_path / "w", files, builds=Builds(home))
    assert [each.data for each in again["a/kustomization.yaml"].documents] == [
        each.data for each in first["a/kustomization.yaml"].documents
    ]
    with pytest.raises(AssertionError, match="was started"):
        rendered(tmp_path / "w", {"a/job.yaml": JOB.replace("name: c", "name: d")}, builds=Builds(home))


def test_a_build_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kustomize_build, "MAX_SECONDS", 0.001)
    root = rendered(tmp_path, {"kustomization.yaml": "namePrefix: x-\nresources: [job.yaml]\n", "job.yaml": JOB})
    assert "it takes longer than" in why(root["kustomization.yaml"])


def test_output_that_is_too_long_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kustomize_build, "MAX_OUTPUT", 10)
    root = rendered(tmp_path, {"kustomization.yaml": "namePrefix: x-\nresources: [job.yaml]\n", "job.yaml": JOB})
    assert "it makes more than" in why(root["kustomization.yaml"])


DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trains.example.com}
spec:
  group: example.com
  names: {kind: Train, plural: trains}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: a
        type: object
    served: true
"""


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "- {op: replace, path: /spec/versions/0/served, value: false}",
        "- {op: replace, path: /spec/versions/0/schema/openAPIV3Schema/description, value: b}",
    ],
)
def test_a_root_makes_the_same_whatever_it_says_about_definitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patch: str
) -> None:
    # kustomize gets them without the structures of their kinds, and with them where it refuses that
    monkeypatch.setattr(definitions, "WORTH", 0)
    patches = "patches: [{path: p.yaml, target: {kind: CustomResourceDefinition}}]\n" if patch else ""
    files: dict[str, str | bytes] = {
        "kustomization.yaml": f"namePrefix: x-\nresources: [crd.yaml, job.yaml]\n{patches}",
        "crd.yaml": DEFINITION,
        "job.yaml": JOB,
        "p.yaml": patch,
    }
    root = rendered(tmp_path, files)["kustomization.yaml"]
    assert (root.unknowns, [each.data["metadata"]["name"] for each in root.documents]) == ((), ["x-a"])
