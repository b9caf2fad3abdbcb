"""What is not here and is left out alone: the rest of a kustomization is rendered."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from tests.source.repositories import write

from trainlint.engine import check
from trainlint.result import Result
from trainlint.source.helm.archive import unpacked
from trainlint.source.ignore_files import IgnoreFiles
from trainlint.source.loader import lost_keys

REMOTE = "https://example.com/o/r//d?ref=v1"
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master: &role
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: "registry.example/train:1"}]}}
    Worker: *role
"""


def lint(root: Path, files: dict[str, str]) -> Result:
    write(root, files)
    return check([root])


def notes(result: Result) -> list[str]:
    return [each.finding.message for each in result.findings if each.finding.rule == "unrendered-template"]


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("field", ["envs: [a.env]", "env: a.env", "files: [a.env]", "files: [key=a.env]"])
def test_a_generator_does_without_a_file_that_git_ignores(tmp_path: Path, field: str) -> None:
    files = {
        ".gitignore": "*.env\n",
        "base/job.yaml": JOB,
        "base/kustomization.yaml": f"resources: [job.yaml]\nconfigMapGenerator: [{{name: c, {field}}}]\n",
        "one/kustomization.yaml": "resources: [../base]\nnamePrefix: one-\n",
        "two/kustomization.yaml": "resources: [../base]\nnamePrefix: two-\n",
    }
    result = lint(tmp_path, files)
    assert notes(result) == [
        "a.env, in kustomization base, was left out of what is rendered: Git ignores the file, so it is not here"
    ]
    assert {group.name for group in result.groups} == {"ml/one-train", "ml/two-train"}


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("behavior", ["merge", "replace"])
def test_a_generator_that_changes_what_is_elsewhere_is_left_out(tmp_path: Path, behavior: str) -> None:
    generator = f"configMapGenerator: [{{name: c, behavior: {behavior}, literals: [a=b]}}]\n"
    files = {
        "job.yaml": JOB,
        "kustomization.yaml": f"resources: [{REMOTE!r}, job.yaml]\nnamePrefix: x-\n{generator}",
    }
    result = lint(tmp_path, files)
    assert [f"which the kustomization {behavior}s" in note for note in notes(result)] == [True]
    assert {group.name for group in result.groups} == {"ml/x-train"}


@pytest.mark.needs("kustomize")
def test_a_generator_that_changes_what_is_here_stays(tmp_path: Path) -> None:
    files = {
        "base/job.yaml": JOB,
        "base/kustomization.yaml": "resources: ['https://example.com/o/r//d?ref=v1', job.yaml]\n"
        "configMapGenerator: [{name: c, literals: [a=b]}]\n",
        "kustomization.yaml": "resources: [base]\nnamePrefix: x-\n"
        "configMapGenerator: [{name: c, behavior: merge, literals: [d=e]}]\n",
    }
    result = lint(tmp_path, files)
    assert notes(result) == []
    assert {group.name for group in result.groups} == {"ml/x-train"}


@pytest.mark.needs("kustomize")
def test_definitions_of_kinds_that_are_not_here_keep_nothing_from_being_rendered(tmp_path: Path) -> None:
    files = {
        "job.yaml": JOB,
        "kustomization.yaml": "resources: [job.yaml]\nnamePrefix: x-\nopenapi: {path: schema.json}\n",
    }
    result = lint(tmp_path, files)
    assert notes(result) == [
        "schema.json, in kustomization ., was left out of what is rendered: the definitions of kinds are not here"
    ]
    assert {group.name for group in result.groups} == {"ml/x-train"}


def test_ignore_files_speak_of_files_that_are_not_there() -> None:
    files = {".gitignore": b"*.env\nout/\n", "keep/.gitignore": b"!*.env\n"}
    ignored = IgnoreFiles(files.get)
    names = ("a.env", "x/a.env", "x/out/b.yaml", "keep/a.env", "keep/deep/a.env", "a.yaml")
    assert [ignored(name) for name in names] == [True, True, True, False, False, False]


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("a: 1\na: 1\n", ()),
        ("a:\na: 1\n", ()),
        ("a: []\na: [x]\n", ()),
        ("a: 1\na: 2\n", (("a",),)),
        ("a: [x]\na:\n", (("a",),)),
        ("b: {a: 1, a: 2}\n", (("b", "a"),)),
    ],
)
def test_what_the_earlier_of_two_keys_loses(text: str, lost: tuple[tuple[str, ...], ...]) -> None:
    assert lost_keys(text) == lost


def test_a_kustomization_with_a_key_twice_is_read_as_kustomize_reads_it(tmp_path: Path) -> None:
    files = {"job.yaml": JOB, "kustomization.yaml": "namePrefix: a-\nresources: [job.yaml]\nnamePrefix: b-\n"}
    result = lint(tmp_path, files)
    (twice,) = [each.finding for each in result.findings if each.finding.rule == "duplicate-key"]
    assert twice.severity == "error"
    assert {group.name for group in result.groups} <= {"ml/b-train", "ml/train"}


def test_a_packed_chart_with_an_extra_field_in_its_header_is_read() -> None:
    # `helm package` writes the field "Helm" into the header (helm.sh/helm, pkg/chartutil/save.go: headerBytes)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo("sub/Chart.yaml")
        member.size = 10
        tar.addfile(member, io.BytesIO(b"name: sub\n"))
    plain = gzip.compress(archive.getvalue(), mtime=0)
    extra = b"+aHR0cHM6Ly95b3V0dS5iZS96OVV6MWljandyTQo="
    header = plain[:3] + bytes([plain[3] | 4]) + plain[4:10] + len(extra).to_bytes(2, "little") + extra
    assert unpacked("sub.tgz", header + plain[10:], 1 << 20) == {"sub/Chart.yaml": b"name: sub\n"}


CHART = {
    "Chart.yaml": "apiVersion: v2\nname: one\nversion: 1.0.0\n",
    "templates/a.yaml": 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ required "a name" .Values.name }}}\n',
    "templates/b.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ .Values.other }}}\n",
}


@pytest.mark.needs("helm")
@pytest.mark.parametrize("home", ["", "charts/one/"])
def test_a_chart_that_helm_refuses_says_one_thing(tmp_path: Path, home: str) -> None:
    assert len(notes(lint(tmp_path, {f"{home}{name}": text for name, text in CHART.items()}))) == 1


@pytest.mark.parametrize("home", ["", "charts/one/"])
def test_a_chart_that_nothing_renders_says_one_thing(tmp_path: Path, no_renderer: None, home: str) -> None:
    assert len(notes(lint(tmp_path, {f"{home}{name}": text for name, text in CHART.items()}))) == 1
