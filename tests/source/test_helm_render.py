"""What the real helm makes of charts, and why it makes nothing of others."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
import tarfile
import time
from pathlib import Path

import pytest
from tests.source.charts import CHART, TRAIN, chart, only, render, rendered_by, where, write
from tests.source.repositories import commit, repository

from trainlint.finding import Location, Span
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.build_cache import Builds
from trainlint.source.files import discover
from trainlint.source.helm.install import HelmInstall, TemplateCluster
from trainlint.source.helm.manifests import manifests
from trainlint.source.helm.message import complaint
from trainlint.source.helm.renderer import Failed, HelmProgram, Request, Worker, helm
from trainlint.source.helm.worker import by_source
from trainlint.source.prefilter import KindFilter
from trainlint.source.revision import read_revision

pytestmark = pytest.mark.needs("helm")

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  value: %s\n"


def value_of(root: Path, expression: str, **more: str) -> object:
    """What a template expression comes to."""
    files = chart({"templates/c.yaml": MAP % expression, **more})
    return only(render(root, files)).data["data"]["value"]


def test_a_chart_is_rendered_with_its_own_values_under_its_own_name(tmp_path: Path) -> None:
    (made,) = render(tmp_path, TRAIN)
    document = made.documents[0]
    assert document.data["metadata"] == {"name": "train", "namespace": "default"}
    assert document.data["spec"]["parallelism"] == 4
    assert document.file == made.root == "charts/train/Chart.yaml"
    assert made.files == {"charts/train/templates/job.yaml"}
    assert made.undeployed


def test_each_values_file_makes_a_release_of_its_own(tmp_path: Path) -> None:
    made = render(tmp_path, {**TRAIN, "charts/train/values-prod.yaml": "workers: 16\nresources:\n  limits: {cpu: 1}\n"})
    assert [each.root for each in made] == ["charts/train/Chart.yaml", "charts/train/values-prod.yaml"]
    assert [each.documents[0].data["spec"]["parallelism"] for each in made] == [4, 16]
    container = made[1].documents[0].data["spec"]["template"]["spec"]["containers"][0]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": 8, "cpu": 1}  # mappings are merged
    assert container["image"] == "registry.example/train:v1"


def test_a_value_stands_in_the_file_that_gives_it(tmp_path: Path) -> None:
    files = {**TRAIN, "charts/train/values-prod.yaml": "# production\nworkers: 16\n"}
    own, prod = render(tmp_path, files)
    gpus = ("spec", "template", "spec", "containers", 0, "resources", "limits", "nvidia.com/gpu")
    assert where(tmp_path, own, own.documents[0], "spec", "parallelism") == ("charts/train/values.yaml", 1)
    assert where(tmp_path, prod, prod.documents[0], "spec", "parallelism") == ("charts/train/values-prod.yaml", 2)
    assert where(tmp_path, prod, prod.documents[0], *gpus) == ("charts/train/values.yaml", 7)
    image = ("spec", "template", "spec", "containers", 0, "image")  # made of two values: the template says how
    assert where(tmp_path, own, own.documents[0], *image) == ("charts/train/templates/job.yaml", 13)
    assert where(tmp_path, own, own.documents[0]) == ("charts/train/templates/job.yaml", 1)


def test_a_deployer_says_release_namespace_files_and_values(tmp_path: Path) -> None:
    files = {**TRAIN, "apps/train.yaml": "", "apps/values.yaml": "workers: 2\nimage: {tag: v2}\n"}
    at = Location("apps/train.yaml", 0)
    install = HelmInstall(
        "charts/train", "nightly", "training", ("apps/values.yaml",), {"workers": 3}, at.child("spec", "values"), at
    )
    (made,) = render(tmp_path, files, install)
    document = made.documents[0]
    assert document.data["metadata"] == {"name": "nightly", "namespace": "training"}
    assert document.data["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example/train:v2"
    assert document.at(("spec", "parallelism")) == at.child("spec", "values", "workers")
    assert made.root == "apps/train.yaml"
    assert not made.undeployed


def test_two_releases_of_one_chart_have_documents_of_their_own(tmp_path: Path) -> None:
    at = Location("apps.yaml", 0)
    made = render(
        tmp_path,
        TRAIN,
        HelmInstall("charts/train", "a", "one", at=at),
        HelmInstall("charts/train", "b", "two", at=at),
    )
    documents = [document for each in made for document in each.documents]
    assert len({(each.file, each.index) for each in documents}) == 2
    assert len({(at.file, at.document) for at in (each.at(()) for each in documents)}) == 2


def test_helpers_loops_and_conditions_are_followed_to_their_lines(tmp_path: Path) -> None:
    template = """\
{{- range $role := .Values.roles }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $role.name }}
  labels:
    {{- include "train.labels" $ | nindent 4 }}
    role: {{ $role.name }}
spec:
  parallelism: {{ $role.count }}
  template:
    spec:
      {{- with $.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      tolerations: {{- toYaml $.Values.tolerations | nindent 6 }}
      containers:
        {{- if eq $role.name "absent" }}
        - name: absent
        {{- else }}
        - name: main
          command: [run]
        {{- end }}
        - name: side
          image: {{ include "train.image" $ | quote }}
{{- end }}
"""
    helpers = '{{- define "train.labels" -}}\napp: train\n{{- end -}}\n{{ define "train.image" }}side:1{{ end }}\n'
    values = """\
roles:
  - name: worker
    count: 4
  - name: master
    count: 1
nodeSelector:
  pool: gpu
tolerations:
  - key: nvidia.com/gpu
    operator: Exists
"""
    files = chart({"templates/jobs.yaml": template, "templates/_helpers.tpl": helpers, "values.yaml": values})
    (made,) = render(tmp_path, files)
    worker, master = made.documents
    home, given = "charts/train/templates/jobs.yaml", "charts/train/values.yaml"

    def line(*path: str | int) -> tuple[str, int]:
        return where(tmp_path, made, master, *path)

    assert line("spec", "parallelism") == (given, 5)
    assert where(tmp_path, made, worker, "spec", "parallelism") == (given, 3)
    assert line("metadata", "name") == (given, 4)
    assert line("metadata", "labels", "app") == (home, 8)
    assert line("metadata", "labels", "role") == (given, 4)
    assert line("spec", "template", "spec", "nodeSelector", "pool") == (given, 7)
    assert line("spec", "template", "spec", "nodeSelector") == (given, 6)  # all of it is given
    assert line("spec", "template", "spec", "nodeSelector", "zone") == (given, 6)  # is not there: its parent
    assert line("spec", "template", "spec", "tolerations", 0, "operator") == (given, 10)
    assert line("spec", "template", "spec", "containers", 0, "command") == (home, 24)
    assert line("spec", "template", "spec", "containers", 1, "image") == (home, 27)
    assert line("spec", "template", "spec", "hostNetwork") == (home, 13)  # is not there: its parent


def test_tests_notes_partials_and_custom_resource_definitions_are_left_out_and_hooks_stay(tmp_path: Path) -> None:
    hook = MAP.replace("{name: c}", '{{name: {}, annotations: {{"helm.sh/hook": "{}"}}}}') % "x"
    files = chart(
        {
            "templates/NOTES.txt": "kind: ConfigMap",
            "templates/_partial.yaml": MAP % "partial",
            "templates/tests/t.yaml": hook.format("test", "test"),
            "templates/s.yaml": hook.format("success", "test-success"),
            "templates/h.yaml": hook.format("hook", "pre-install, test"),
            "crds/c.yaml": MAP % "crd",
            "templates/a.yaml": MAP % "a",
        }
    )
    (made,) = render(tmp_path, files)
    assert [each.data["metadata"]["name"] for each in made.documents] == ["c", "hook"]


def test_a_library_makes_nothing_and_stands_for_its_templates(tmp_path: Path) -> None:
    files = {
        **chart({"templates/a.yaml": MAP % "{{ .Values.absent.gives.this }}"}),
        "charts/train/Chart.yaml": CHART.format("train") + "type: library\n",
    }
    (made,) = render(tmp_path, files)
    assert (made.documents, made.unknowns, made.files) == ((), (), {"charts/train/templates/a.yaml"})


def test_a_value_that_is_required_is_helms_own_message_at_its_line(tmp_path: Path) -> None:
    (made,) = render(
        tmp_path, chart({"templates/a.yaml": MAP % '{{ required "say where: .Values.bucket" .Values.bucket }}'})
    )
    assert made.failed
    (unknown,) = made.unknowns
    assert unknown.missing == "its rendered objects: say where: .Values.bucket"
    assert (unknown.at, unknown.span) == (Location("charts/train/templates/a.yaml", 0), Span(5, 1, 5, 2))
    assert "charts/train/values-prod.yaml" in unknown.remedy
    assert str(tmp_path) not in str(unknown)


def test_a_missing_mapping_is_told_with_its_reference(tmp_path: Path) -> None:
    files = chart(
        {
            "templates/a.yaml": MAP % '{{ include "x" . }}',
            "templates/_x.tpl": '{{ define "x" }}\n{{ .Values.a.b.c }}{{ end }}',
        }
    )
    (made,) = render(tmp_path, files)
    assert made.failure == "train/templates/_x.tpl:2 at <.Values.a.b.c>: nil pointer evaluating interface {}.b"
    assert made.unknowns[0].at == Location("charts/train/templates/_x.tpl", 0)


def test_a_chart_that_needs_values_is_judged_with_those_beside_it(tmp_path: Path) -> None:
    made = render(
        tmp_path,
        chart(
            {"templates/a.yaml": MAP % '{{ required "x" .Values.x }}', "values-a.yaml": "x: 1", "values-b.yaml": "y: 1"}
        ),
    )
    assert [(each.root, each.failed) for each in made] == [
        ("charts/train/values-a.yaml", False),
        ("charts/train/values-b.yaml", True),
    ]


def test_what_a_template_makes_must_be_yaml(tmp_path: Path) -> None:
    (made,) = render(tmp_path, chart({"templates/a.yaml": MAP % "{{ .Chart.Name }}: [x"}))
    assert made.unknowns[0].at == Location("charts/train/templates/a.yaml", 0)
    assert "it makes no YAML" in made.failure


def test_a_values_file_that_does_not_parse_says_so(tmp_path: Path) -> None:
    made = render(tmp_path, {**TRAIN, "charts/train/values-bad.yaml": "a: [", "charts/train/values-list.yaml": "- a"})
    assert [each.failure.partition(": ")[0] for each in made if each.failed] == [
        "charts/train/values-bad.yaml",
        "charts/train/values-list.yaml",
    ]
    assert made[2].failure.endswith("it is no mapping")


DEPENDENT = (
    CHART.format("train")
    + "dependencies:\n- {name: redis, version: 1.x, repository: 'https://charts.example', condition: redis.enabled}\n"
)


def test_a_dependency_that_is_not_there_is_named_and_the_rest_is_rendered(tmp_path: Path) -> None:
    (made,) = render(tmp_path, {**TRAIN, "charts/train/Chart.yaml": DEPENDENT})
    assert len(made.documents) == 1
    (unknown,) = made.unknowns
    assert unknown.subject == "the chart redis from https://charts.example, in chart charts/train"
    assert unknown.missing == "the chart is not in the repository"
    assert "helm dependency build" in unknown.remedy
    assert unknown.at == Location("charts/train/Chart.yaml", 0, ("dependencies", 0))
    assert not made.failed


def test_a_dependency_that_is_switched_off_is_not_missed(tmp_path: Path) -> None:
    (made,) = render(
        tmp_path,
        {
            **TRAIN,
            "charts/train/Chart.yaml": DEPENDENT,
            "charts/train/values.yaml": "redis: {enabled: false}\nimage: {}\n",
        },
    )
    assert made.unknowns == ()


def test_without_a_dependency_that_it_needs_a_chart_says_so(tmp_path: Path) -> None:
    (made,) = render(
        tmp_path,
        {**chart({"templates/a.yaml": MAP % '{{ include "redis.name" . }}'}), "charts/train/Chart.yaml": DEPENDENT},
    )
    assert "charts that it brings in are not there (redis)" in made.failure
    assert "helm dependency build charts/train" in made.unknowns[0].remedy


def test_an_unpacked_dependency_is_rendered_under_its_alias_with_the_values_of_its_parent(tmp_path: Path) -> None:
    files = {
        "charts/train/Chart.yaml": CHART.format("train") + "dependencies: [{name: sub, alias: store, version: 0.x}]\n",
        "charts/train/values.yaml": "global:\n  zone: a\nstore:\n  size: 3\n",
        "charts/train/charts/sub/Chart.yaml": CHART.format("sub"),
        "charts/train/charts/sub/values.yaml": "size: 1\n",
        "charts/train/charts/sub/templates/c.yaml": MAP % "{{ .Values.size }}",
        "charts/train/charts/sub/templates/d.yaml": (MAP % "{{ .Values.global.zone }}").replace("name: c", "name: d"),
    }
    (made,) = render(tmp_path, files)
    first, second = made.documents
    assert where(tmp_path, made, first, "data", "value") == ("charts/train/values.yaml", 4)
    assert where(tmp_path, made, second, "data", "value") == ("charts/train/values.yaml", 2)
    assert where(tmp_path, made, first, "metadata", "name") == ("charts/train/charts/sub/templates/c.yaml", 3)
    assert made.files == {f"charts/train/charts/sub/templates/{name}.yaml" for name in "cd"}


def packed(files: dict[str, str]) -> bytes:
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
        link = tarfile.TarInfo("sub/templates/link.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("../../outside"), io.BytesIO(b""))
    return output.getvalue()


def test_a_packed_dependency_stands_where_it_is_brought_in(tmp_path: Path) -> None:
    archive = packed(
        {
            "sub/Chart.yaml": CHART.format("sub"),
            "sub/values.yaml": "size: 1\n",
            "sub/templates/c.yaml": MAP % "{{ .Values.size }}",
        }
    )
    files: dict[str, str | bytes] = {
        "charts/train/Chart.yaml": CHART.format("train") + "dependencies:\n- name: sub\n  version: 0.x\n",
        "charts/train/values.yaml": "sub:\n  size: 2\n",
        "charts/train/charts/sub-0.1.0.tgz": archive,
    }
    (made,) = render(tmp_path, files)
    (document,) = made.documents
    assert document.data["data"]["value"] == 2
    assert where(tmp_path, made, document, "metadata", "name") == ("charts/train/Chart.yaml", 5)
    assert where(tmp_path, made, document, "data", "value") == ("charts/train/values.yaml", 2)
    assert document.at(()).document != 0  # that is Chart.yaml itself


def test_a_chart_of_the_repository_that_another_one_brings_in_is_not_installed_by_itself(tmp_path: Path) -> None:
    files = {
        "charts/common/Chart.yaml": CHART.format("common"),
        "charts/common/templates/c.yaml": MAP % "{{ .Release.Name }}",
        "charts/train/Chart.yaml": CHART.format("train")
        + "dependencies: [{name: common, version: 9.9.9, repository: 'file://../common'}]\n",
    }
    (made,) = render(tmp_path, files)
    assert made.root == "charts/train/Chart.yaml"
    assert made.documents[0].data["data"]["value"] == "train"
    assert made.files == {"charts/common/templates/c.yaml"}


def test_templates_see_no_cluster_no_network_and_no_environment(tmp_path: Path) -> None:
    assert value_of(tmp_path / "a", '{{ lookup "v1" "Secret" "default" "x" | toJson | quote }}') == "{}"
    assert value_of(tmp_path / "b", '{{ getHostByName "localhost" | quote }}') == ""
    assert value_of(tmp_path / "c", '{{ .Files.Get "../../secret" | quote }}', **{"../../secret": "s"}) == ""
    (made,) = render(tmp_path / "d", chart({"templates/a.yaml": MAP % '{{ env "HOME" }}'}))
    assert 'function "env" not defined' in made.failure


def test_files_of_the_chart_are_there_but_for_those_that_it_ignores(tmp_path: Path) -> None:
    more = {"files/a.txt": "A", "files/b.txt": "B", ".helmignore": "files/b.txt\n"}
    assert value_of(tmp_path, '{{ .Files.Get "files/a.txt" }}{{ .Files.Get "files/b.txt" }}', **more) == "A"


def test_files_that_templates_print_are_no_manifests_of_their_own(tmp_path: Path) -> None:
    runtime = MAP % "{{ .Values.x }}"
    (made,) = render(
        tmp_path, chart({"files/a.yaml": runtime, "templates/a.yaml": '{{ tpl (.Files.Get "files/a.yaml") . }}'})
    )
    assert made.files == {"charts/train/files/a.yaml", "charts/train/templates/a.yaml"}
    assert len(made.documents) == 1


def test_templates_are_told_the_version_of_kubernetes_and_the_apis(tmp_path: Path) -> None:
    has = "{{ .Capabilities.APIVersions.Has %s }}"
    asks = MAP % " ".join(("{{ .Capabilities.KubeVersion.Version }}", has % '"cilium.io/v2"', has % '"batch/v1"'))
    world = write(tmp_path, chart({"templates/c.yaml": asks}))
    (without,) = rendered_by(world, cluster=TemplateCluster("1.29"))
    assert without.documents[0].data["data"]["value"] == "v1.29.0 false true"
    assert any("does not serve cilium.io/v2" in each for each in without.assumptions)
    (made,) = rendered_by(world, cluster=TemplateCluster("1.29", frozenset({"cilium.io/v2"})))
    assert made.documents[0].data["data"]["value"] == "v1.29.0 true true"
    assert any("serves cilium.io/v2" in each for each in made.assumptions)


def test_a_schema_that_the_values_break_is_helms_message(tmp_path: Path) -> None:
    files = {**TRAIN, "charts/train/values.schema.json": '{"properties": {"workers": {"type": "string"}}}'}
    (made,) = render(tmp_path, files)
    assert "workers" in made.failure


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(
            '{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}', id="a template that includes itself"
        ),
        pytest.param(
            '{{ define "r" }}{{ tpl "{{ include \\"r\\" . }}" . }}{{ end }}{{ include "r" . }}',
            id="a text that renders itself",
        ),
        pytest.param('a: {{ repeat 100000000 "x" }}', id="a hundred million characters"),
        pytest.param("a: {{ range until 2000000000 }}x{{ end }}", id="two thousand million elements"),
    ],
)
def test_endless_recursion_and_huge_output_end_and_harm_no_other_chart(tmp_path: Path, template: str) -> None:
    files = {**chart({"templates/a.yaml": template}, "endless"), **TRAIN}
    endless, train = render(tmp_path, files)
    assert endless.failed
    assert len(endless.failure) < 400
    assert len(train.documents) == 1


def test_a_template_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    loop = "{{ range $i := until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}"
    write(tmp_path, {**chart({"templates/a.yaml": loop}), **chart({"templates/a.yaml": "a: 1"}, "quick")})
    program = helm()
    assert program is not None
    with Worker(program, time_limit=2) as worker:
        started = time.monotonic()
        with pytest.raises(Failed, match="took more than 2 seconds"):
            worker.render(Request("train", "default", chart=str(tmp_path / "charts/train")))
        assert time.monotonic() - started < 30
        assert worker.render(Request("quick", "default", chart=str(tmp_path / "charts/quick")))


def test_what_was_rendered_is_kept_by_all_that_it_was_made_from(tmp_path: Path) -> None:
    store = Builds(tmp_path / "cache")
    template = "{{ randAlphaNum 30 }}"  # another one each time
    world = write(tmp_path / "w", chart({"templates/c.yaml": MAP % template}))

    def value(store: Builds) -> object:
        return rendered_by(discover([tmp_path / "w"]), store=store)[0].documents[0].data["data"]["value"]

    first = value(store)
    assert value(store) == first == value(Builds(tmp_path / "cache"))
    write(tmp_path / "w", {"charts/train/files/new.txt": "new"})
    assert value(store) != first
    assert world.root == tmp_path / "w"


@pytest.mark.needs("git")
def test_a_revision_is_rendered_from_its_own_objects(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "r",
        {
            **TRAIN,
            "charts/train/templates/_h.tpl": '{{ define "h" }}old{{ end }}',
            "charts/train/templates/c.yaml": MAP % '{{ include "h" . }}',
        },
    )
    (root / "charts/train/templates/_h.tpl").write_text('{{ define "h" }}new{{ end }}')
    (root / "charts/train/values.yaml").write_text("workers: 9\nimage: {}\n")
    head = discover([root])
    base = read_revision(head, "HEAD").world

    def made(world: object) -> tuple[object, object]:
        assert world in (head, base)
        (found,) = rendered_by(head if world is head else base)
        by_kind = {each.data["kind"]: each.data for each in found.documents}
        return by_kind["ConfigMap"]["data"]["value"], by_kind["Job"]["spec"]["parallelism"]

    assert made(base) == ("old", 4)
    assert made(head) == ("new", 9)


@pytest.mark.needs("git")
def test_what_git_ignores_is_not_read_but_for_the_charts_that_were_brought_in(tmp_path: Path) -> None:
    root = repository(
        tmp_path / "r",
        {
            **TRAIN,
            ".gitignore": "secret.txt\n/charts/train/charts/\n",
            "charts/train/templates/c.yaml": MAP % '{{ .Files.Get "secret.txt" | quote }}',
        },
    )
    sub = {
        "charts/train/charts/sub/Chart.yaml": CHART.format("sub"),
        "charts/train/charts/sub/templates/d.yaml": (MAP % "sub").replace("name: c", "name: d"),
    }
    write(root, {"charts/train/secret.txt": "secret", **sub})
    (made,) = rendered_by(discover([root]))
    values = {
        each.data["metadata"]["name"]: each.data["data"]["value"] for each in made.documents if "data" in each.data
    }
    assert values == {"c": "", "d": "sub"}
    commit(root)


def test_a_directory_of_the_repository_is_never_taken_for_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"helm_python/__init__.py": "raise SystemExit('taken')"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    monkeypatch.setenv("PATH", "")
    found = helm()
    assert found is not None
    assert Path(found.path) != tmp_path


PROGRAM = """\
#!{python}
import json, os, sys
said = {{"arguments": sys.argv[1:], "environment": dict(os.environ)}}
json.dump(said, open({log!r}, "w"))
values = json.load(open(next(each for each in sys.argv if each.startswith("--values="))[9:]))
if values.get("fail"):
    sys.exit("Error: execution error at (train/templates/a.yaml:3:4): no")
print("---\\n# Source: train/templates/a.yaml\\nkind: ConfigMap")
print("---\\n# Source: train/charts/s/templates/b.yaml\\nb: 1")
print("---\\n# Source: train/templates/a.yaml\\nkind: Job")
"""


@pytest.fixture
def program(tmp_path: Path) -> HelmProgram:
    """A helm that writes down what it is asked."""
    path = tmp_path / "bin/helm"
    path.parent.mkdir()
    path.write_text(PROGRAM.format(python=sys.executable, log=str(tmp_path / "log")))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return HelmProgram(str(path), "helm on the PATH", "test")


def test_the_program_on_the_path_is_asked_without_plugins_repositories_and_cluster(
    tmp_path: Path, program: HelmProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HELM_PLUGINS", "HELM_KUBETOKEN", "KUBECONFIG", "TOKEN"):
        monkeypatch.setenv(name, "ours")
    with Worker(program) as worker:
        made = worker.render(Request("train", "ns", '{"a": 1}', "v1.30.0", ("x.io/v1", "y.io/v1"), str(tmp_path)))
    said = json.loads((tmp_path / "log").read_text())
    assert said["arguments"][:2] == ["template", "--namespace=ns"]
    assert said["arguments"][3:] == [
        "--kube-version=v1.30.0",
        "--api-versions=x.io/v1",
        "--api-versions=y.io/v1",
        "--",
        "train",
        str(tmp_path),
    ]
    environment = said["environment"]
    assert environment["KUBECONFIG"] == os.devnull
    assert "ours" not in environment.values()
    assert not Path(environment["HELM_PLUGINS"]).exists()  # it went with the process
    assert [each.template for each in manifests(made, KindFilter(READ_KINDS))] == ["train/templates/a.yaml"] * 2
    assert made["train/charts/s/templates/b.yaml"] == "b: 1\n"


def test_the_program_on_the_path_says_why_it_makes_nothing(tmp_path: Path, program: HelmProgram) -> None:
    with Worker(program) as worker, pytest.raises(Failed, match=r"^execution error at") as failure:
        worker.render(Request("train", "ns", '{"fail": true}', chart=str(tmp_path)))
    said = complaint(str(failure.value))
    assert (said.text, said.template, said.line) == ("no", "train/templates/a.yaml", 3)


def test_a_chart_that_makes_nothing_is_no_fault() -> None:
    assert by_source("") == {}


BLANKS = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Values.prefix }}-train
  labels:
    suffix: run{{ if .Values.suffix }}-{{ .Values.suffix }}{{ end }}-
    fixed: all-
spec:
  template:
    spec:
      serviceAccountName: {{ .Values.account }}
      containers:
        - name: {{ .Values.container }}
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          args: ["--epochs", "3"]
"""
VALUES = "prefix: {}\ncontainer:\naccount: \nimage: {{repository: '', tag: ''}}\n"


def test_what_a_chart_leaves_to_its_installation_is_not_known_where_nothing_installs_it(tmp_path: Path) -> None:
    files = chart({"templates/job.yaml": BLANKS, "values.yaml": VALUES.format("''")})
    (made,) = render(tmp_path, files)
    data = made.documents[0].data
    pod = data["spec"]["template"]["spec"]
    assert data["metadata"]["name"] == "{{ .Values.prefix }}-train"
    assert pod["containers"][0]["name"] == "{{ .Values.container }}"
    assert pod["containers"][0]["image"] == "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
    assert pod["containers"][0]["args"] == ["--epochs", "3"]
    assert not pod["serviceAccountName"], "none is a value that the API server takes"
    assert data["metadata"]["labels"] == {"suffix": "run-", "fixed": "all-"}, "a condition says that nothing is meant"


def test_values_that_are_given_stand_as_they_are(tmp_path: Path) -> None:
    files = chart({"templates/job.yaml": BLANKS, "values.yaml": VALUES.format("nightly")})
    at = Location("apps/train.yaml", 0)
    (own,) = render(tmp_path, files)
    assert own.documents[0].data["metadata"]["name"] == "nightly-train"
    (made,) = render(tmp_path, files, HelmInstall("charts/train", "a", values={"prefix": ""}, at=at))
    assert made.documents[0].data["metadata"]["name"] == "-train", "an empty value that a deployer gives stays empty"
