"""Attacks through what renders manifests that never worked, each with the repository that tries it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from tests.source.repositories import repository, write

from trainlint.source.helm.archive import unpacked

pytestmark = [pytest.mark.needs("git"), pytest.mark.skipif(sys.platform == "win32", reason="scripts and links")]

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a}]}\n"
CHART = "apiVersion: v2\nname: train\nversion: 1.0.0\n"
SECRET = "0f-the-host"


def checked(home: Path, **variables: str) -> str:
    """The whole JSON report of a run, which must end with one of our exit codes."""
    command = [sys.executable, "-I", "-m", "trainlint", "check", ".", "--output=json", "--no-cache"]
    done = subprocess.run(
        command, cwd=home, env={**os.environ, **variables}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    json.loads(done.stdout)
    return done.stdout


def traps(tmp_path: Path, mark: Path, *names: str) -> dict[str, str]:
    """Programs on the PATH that leave a mark with what they were started with."""
    for name in names:
        program = tmp_path / "traps" / name
        write(tmp_path, {f"traps/{name}": f'#!/bin/sh\necho "{name} $*" >> {mark}\nexit 1\n'})
        program.chmod(0o755)
    return {"PATH": f"{tmp_path / 'traps'}{os.pathsep}{os.environ['PATH']}"}


# Plugins of kustomize.


def function(kind: str, how: str) -> str:
    return (
        f"apiVersion: example.org/v1\nkind: {kind}\nmetadata:\n  name: x\n  annotations:\n"
        f"    config.kubernetes.io/function: |\n      {how}\n"
    )


PLUGINS = {
    "exec in transformers": ("transformers: [f.yaml]", "exec: {path: ./run.sh}"),
    "exec in generators": ("generators: [f.yaml]", "exec: {path: ./run.sh}"),
    "exec in validators": ("validators: [f.yaml]", "exec: {path: ./run.sh}"),
    "exec by its whole path": ("transformers: [f.yaml]", "exec: {path: HOME/run.sh}"),
    "container": ("transformers: [f.yaml]", "container: {image: 'registry.example/run:1', network: true}"),
    "container with mounts": (
        "generators: [f.yaml]",
        "container: {image: x, mounts: [{type: bind, src: /etc, dst: /etc}]}",
    ),
    "starlark": ("transformers: [f.yaml]", "starlark: {path: run.star}"),
    "of an older kind": ("transformers: [old.yaml]", "exec: {path: ./run.sh}"),
    "in a resource": ("resources: [a.yaml, f.yaml]\nnamePrefix: x-", "exec: {path: ./run.sh}"),
}


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("name", PLUGINS)
def test_no_plugin_of_a_kustomization_runs(tmp_path: Path, name: str) -> None:
    fields, how = PLUGINS[name]
    home, mark = tmp_path / "r", tmp_path / "mark"
    script = f"#!/bin/sh\ntouch {mark}\ncat\n"
    files: dict[str, str | bytes] = {
        "kustomization.yaml": fields + ("\n" if "resources" in fields else "\nresources: [a.yaml]\n"),
        "a.yaml": POD,
        "f.yaml": function("Sed", how.replace("HOME", str(home))),
        "run.sh": script,
        "run.star": "load('x')\n",
        "old.yaml": "apiVersion: someteam.example.com/v1\nkind: SedTransformer\nmetadata: {name: x}\n",
        "kustomize/plugin/someteam.example.com/v1/sedtransformer/SedTransformer": script,
    }
    repository(home, files)
    for each in home.rglob("*"):
        if each.name in {"run.sh", "SedTransformer"}:
            each.chmod(0o755)
    variables = {"KUSTOMIZE_PLUGIN_HOME": str(home / "kustomize/plugin"), "XDG_CONFIG_HOME": str(home)}
    checked(home, **variables, **traps(tmp_path, mark, "docker", "podman"))
    assert not mark.exists()


REMOTE = [
    "https://github.com/a/b//c?ref=d",
    "https://github.com/a/b.git",
    "http://127.0.0.1:9/a.yaml",
    "git::https://example.org/a//b",
    "git::ssh://git@example.org/a",
    "git@github.com:a/b.git//c?ref=main&timeout=1s&submodules=true",
    "github.com/a/b",
    "gh:a/b",
    "gitlab.com/a/b//c",
    "ssh://git@example.org:22/a/b",
    "git://example.org/a/b",
    "file:///etc",
    "file://localhost/etc/a.yaml",
    "hg::http://example.org/a",
    "s3::https://s3.amazonaws.com/a/b.zip",
    "https://dev.azure.com/o/p/_git/r?ref=main",
    "example.org:a/b.git",
    "//example.org/a",
    "--upload-pack=touch MARK",
    "ext::sh -c 'touch MARK'",
    "oci://example.org/a:1",
]


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("field", ["resources", "bases", "components"])
def test_no_remote_base_is_fetched_whatever_its_form(tmp_path: Path, field: str) -> None:
    """All forms in one run, each in a kustomization of its own; what would fetch them is never started."""
    home, mark = tmp_path / "r", tmp_path / "mark"
    files: dict[str, str | bytes] = {}
    for number, url in enumerate(REMOTE):
        entry = json.dumps(url.replace("MARK", str(mark)))
        more = "resources: [a.yaml]\n" if field != "resources" else ""
        entries = f"[a.yaml, {entry}]" if field == "resources" else f"[{entry}]"
        files[f"{number}/kustomization.yaml"] = f"namePrefix: x-\n{more}{field}: {entries}\n"
        files[f"{number}/a.yaml"] = POD
    write(home, files)  # outside of Git, of which a run asks nothing here
    report = json.loads(checked(home, **traps(tmp_path, mark, "git", "ssh", "curl", "hg", "aws")))
    assert not mark.exists(), mark.read_text()
    told = {
        each["file"].partition("/")[0]
        for each in (*report["unknowns"], *[found["location"] for found in report["findings"]])
    }
    assert told >= {str(number) for number in range(len(REMOTE))}


HELM_CHARTS = {
    "repository": "helmCharts: [{name: a, repo: 'http://127.0.0.1:9/x', version: 1.0.0}]",
    "oci": "helmCharts: [{name: a, repo: 'oci://127.0.0.1:9/x', version: 1.0.0}]",
    "local": "helmGlobals: {chartHome: charts}\nhelmCharts: [{name: a, releaseName: '--post-renderer=./run.sh'}]",
    "values": "helmCharts: [{name: a, valuesFile: ../../../../etc/passwd, additionalValuesFiles: [/etc/passwd]}]",
    "older": "helmChartInflationGenerator: [{chartName: a, chartRepoUrl: 'http://127.0.0.1:9/x', helmBin: ./run.sh}]",
    "plugin": "generators: [g.yaml]",
}


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("name", HELM_CHARTS)
def test_kustomize_starts_no_helm(tmp_path: Path, name: str) -> None:
    home, mark = tmp_path / "r", tmp_path / "mark"
    generator = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: a\n"
    files: dict[str, str | bytes] = {
        "kustomization.yaml": f"resources: [a.yaml]\nnamePrefix: x-\n{HELM_CHARTS[name]}\n",
        "a.yaml": POD,
        "g.yaml": f"{generator}repo: http://127.0.0.1:9/x\nhelmCommand: ./run.sh\n",
        "charts/a/Chart.yaml": CHART.replace("train", "a"),
        "charts/a/templates/a.yaml": POD,
        "run.sh": f"#!/bin/sh\ntouch {mark}\n",
    }
    repository(home, files)
    (home / "run.sh").chmod(0o755)
    report = checked(home, **traps(tmp_path, mark, "run.sh"))
    assert not mark.exists()
    assert "root:" not in report


# Helm.


def test_names_of_releases_start_no_post_renderer(tmp_path: Path) -> None:
    """The names of an Argo CD Application and of a Flux HelmRelease become no options of the helm on the PATH."""
    home, log = tmp_path / "r", tmp_path / "log"
    hostile = ["--post-renderer=./run.sh", "--kubeconfig=/etc/passwd", "-f/etc/passwd", "--repo=http://127.0.0.1:9"]
    files: dict[str, str | bytes] = {"train/Chart.yaml": CHART, "train/templates/a.yaml": POD}
    for number, name in enumerate(hostile):
        files[f"argo{number}.yaml"] = (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            f"metadata: {{name: a{number}, namespace: argocd}}\nspec:\n"
            f"  destination: {{namespace: '{name}', server: 'https://kubernetes.default.svc'}}\n"
            f"  source: {{repoURL: 'https://git.example/r.git', path: train, helm: {{releaseName: '{name}'}}}}\n"
        )
        files[f"flux{number}.yaml"] = (
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
            f"metadata: {{name: f{number}, namespace: ml}}\nspec:\n"
            f"  releaseName: '{name}'\n  targetNamespace: '{name}'\n"
            "  chart: {spec: {chart: ./train, sourceRef: {kind: GitRepository, name: g}}}\n"
            "  postRenderers: [{kustomize: {patches: [{patch: 'a'}]}}]\n"
        )
    repository(home, files)
    checked(home, **traps(tmp_path, log, "helm"))
    started = log.read_text() if log.exists() else ""
    assert not [name for name in hostile if name in started], started


@pytest.mark.needs("helm")
@pytest.mark.parametrize(
    "said",
    [
        '.Files.Get "../secret.yaml"',
        '.Files.Get "PATH"',
        '.Files.Get "templates/../../secret.yaml"',
        '.Files.Get "link.txt"',
        '(.Files.Glob "../**").AsConfig',
        '(.Files.Glob "PATH").AsSecrets',
        '.Files.Lines "../secret.yaml" | join " "',
        'tpl (.Files.Get "../secret.yaml") .',
        'env "TRAINLINT_SECRET"',
        'expandenv "$TRAINLINT_SECRET"',
        'lookup "v1" "Secret" "kube-system" "" | toJson',
        'getHostByName "localhost"',
    ],
)
def test_templates_read_no_file_and_no_variable_of_the_machine(tmp_path: Path, said: str) -> None:
    home, secret = tmp_path / "r", tmp_path / "secret.yaml"
    secret.write_text(f"a: {SECRET}\n")
    said = said.replace("PATH", str(secret))
    template = (
        f"{POD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b}}\ndata: {{a: {{{{ {said} | quote }}}}}}\n"
    )
    repository(home, {"Chart.yaml": CHART, "templates/a.yaml": template})
    (home / "link.txt").symlink_to(secret)
    (home / "templates/b.yaml").symlink_to(secret)
    report = checked(home, TRAINLINT_SECRET=SECRET)
    assert SECRET not in report
    assert "127.0.0.1" not in report


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", content: bytes = b"a: 1\n") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    made.size = len(content) if kind == tarfile.REGTYPE else 0
    return made


def packed(*members: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for each in members:
            archive.addfile(each, io.BytesIO(b"a: 1\n") if each.size else None)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["../out.yaml", "/out.yaml", "c/../../out.yaml", "./../out.yaml", "..", "c/./../../x"])
def test_members_that_lead_out_of_an_archive_are_left_out(name: str) -> None:
    assert unpacked("c.tgz", packed(member(name), member("c/Chart.yaml")), 1 << 20) == {"c/Chart.yaml": b"a: 1\n"}


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
)
def test_links_and_devices_of_an_archive_are_left_out(kind: bytes) -> None:
    made = packed(member("c/values.yaml", kind, "/etc/passwd"), member("c/Chart.yaml"))
    assert list(unpacked("c.tgz", made, 1 << 20)) == ["c/Chart.yaml"]


@pytest.mark.needs("helm")
def test_a_packed_chart_writes_nothing_beside_its_copy_and_reads_nothing_there(tmp_path: Path) -> None:
    home = tmp_path / "r"
    (tmp_path / "secret.yaml").write_text(f"a: {SECRET}\n")
    link = member("c/templates", tarfile.SYMTYPE, str(tmp_path))
    below = [member(f"c/templates/{name}") for name in ("out.yaml", "../../../../out.yaml")]
    chart = member("c/Chart.yaml", content=b"apiVersion: v2\nname: c\nversion: 1.0.0\n")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as made:
        made.addfile(chart, io.BytesIO(b"apiVersion: v2\nname: c\nversion: 1.0.0\n"))
        made.addfile(link)
        for each in below:
            made.addfile(each, io.BytesIO(b"a: 1\n"))
    repository(home, {"Chart.yaml": CHART, "templates/a.yaml": POD, "charts/c-1.0.0.tgz": archive.getvalue()})
    before = {path for path in tmp_path.rglob("*") if ".git" not in path.parts}
    report = checked(home)
    assert {path for path in tmp_path.rglob("*") if ".git" not in path.parts} == before
    assert SECRET not in report


# Names of files.

NAMES = [
    "--help.yaml",
    "-rf.yaml",
    "a\nb.yaml",
    "a\tb.yaml",
    "$(touch MARK).yaml",
    "`touch MARK`.yaml",
    "; touch MARK.yaml",
    "'\".yaml",
    "\x1b[31m.yaml",
    "\u202eyaml.yaml",
    "%0A::error::x.yaml",
    ":(glob)**.yaml",
    "x" * 200 + ".yaml",
    " .yaml",
    "~.yaml",
    "*.yaml",
    "{a,b}.yaml",
    "C:\\x.yaml",
    "con.yaml",
    "@{u}.yaml",
    "é\u0301.yaml",
]


@pytest.mark.parametrize("tracked", [True, False])
def test_odd_names_of_files_are_names(tmp_path: Path, *, tracked: bool) -> None:
    """Each file holds a fault, which is told with its name; nothing else comes of the names."""
    home, mark = tmp_path / "r", tmp_path / "mark"
    text = "kind: Pod\nkind: Pod\n"
    names = [name.replace("MARK", mark.name) for name in NAMES]
    if tracked:
        repository(home, {f"d/{name}": text for name in names})
    else:
        write(home, {f"d/{name}": text for name in names})
    (home / "d" / os.fsdecode(b"\xff.yaml")).write_text(text)
    report = json.loads(checked(home))
    assert not mark.exists()
    assert not (home / mark.name).exists()
    told = {each["location"]["file"] for each in report["findings"]}
    assert told >= {f"d/{name}" for name in names}
    assert len(told) == len(names) + 1
