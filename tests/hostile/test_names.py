"""Names of manifests are never options of a program, and what charts hold is never fetched."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from tests.source.repositories import write

from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.build_cache import Builds
from trainlint.source.files import discover
from trainlint.source.helm.archive import unpacked
from trainlint.source.helm.chart import find_charts
from trainlint.source.helm.engine import check_names
from trainlint.source.helm.files import ChartFiles, RefusedChartError
from trainlint.source.helm.install import HelmInstall
from trainlint.source.helm.render import render_charts
from trainlint.source.helm.renderer import Failed, helm
from trainlint.source.helm.schema import is_closed
from trainlint.source.helm.staging import StagedChart, stage
from trainlint.source.prefilter import KindFilter

CHART = "apiVersion: v2\nname: train\nversion: 1.0.0\n"


@pytest.mark.parametrize(
    "name",
    ["--kubeconfig=/x", "-n", "--post-renderer=./x", "a b", "", "A", "a_b", "a\n", ".", "..", "../x", "a/b", "x" * 54],
)
def test_names_that_are_no_dns_names_are_refused(name: str) -> None:
    for install in (HelmInstall("c", name), HelmInstall("c", "a", namespace=name if len(name) < 54 else "x" * 64)):
        with pytest.raises(Failed):
            check_names(install)


def test_names_are_what_kubernetes_takes() -> None:
    check_names(HelmInstall("c", "a.b-c", namespace="x" * 63))


def staged(tmp_path: Path, files: dict[str, str | bytes]) -> StagedChart:
    write(tmp_path, {"c/Chart.yaml": CHART, **files})
    world = discover([tmp_path])
    (chart,) = find_charts(world)
    return stage(ChartFiles(world), chart)


REFERENCES = {
    "plain": '{"$ref": "file:///etc/passwd"}',
    "escaped": '{"\\u0024ref": "file:///etc/passwd"}',
    "escaped value": '{"$ref": "\\u0066ile:///etc/passwd"}',
    "deep": json.dumps({"properties": {"a": {"anyOf": [{"$ref": "other.json"}]}}}),
    "dynamic": '{"$dynamicRef": "http://127.0.0.1/x"}',
    "recursive": '{"$recursiveRef": "http://127.0.0.1/x"}',
    "draft": '{"$schema": "http://127.0.0.1:1/json-schema.org/"}',
    "draft of another host": '{"$schema": "http://json-schema.org.evil.example/draft-07/schema"}',
    "base": '{"$id": "file:///etc/passwd", "properties": {"a": {"$ref": "#/definitions/x"}}}',
    "twice": '{"$ref": "#/a", "$ref": "file:///etc/passwd"}',
    "behind": '{}{"$ref": "file:///etc/passwd"}',
    "mark": '\ufeff{"$ref": "file:///etc/passwd"}',
    "invalid byte": b'{"a": "\xff", "$ref": "file:///etc/passwd"}',
    "other encoding": '{"$ref": "file:///etc/passwd"}'.encode("utf-16"),
    "deep nesting": "[" * 100_000,
    "no JSON": '{"$ref": "file:///etc/passwd",}',
}


@pytest.mark.parametrize("name", REFERENCES)
def test_schemas_that_refer_to_elsewhere_are_left_out(tmp_path: Path, name: str) -> None:
    assert "values.schema.json" not in staged(tmp_path, {"c/values.schema.json": REFERENCES[name]}).files


def test_schemas_of_charts_inside_are_looked_at(tmp_path: Path) -> None:
    chart = {
        "c/charts/d/Chart.yaml": CHART.replace("train", "d"),
        "c/charts/d/values.schema.json": REFERENCES["escaped"],
    }
    packed = archive({"e/Chart.yaml": CHART.encode(), "e/values.schema.json": REFERENCES["escaped"].encode()})
    found = staged(tmp_path, {**chart, "c/charts/e.tgz": packed}).files
    assert not [name for name in found if name.endswith("values.schema.json")]
    assert "charts/e/Chart.yaml" in found


def test_schemas_of_their_own_stay() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "definitions": {"x": {"type": "string"}},
        "properties": {"id": {"type": "string"}, "a": {"$ref": "#/definitions/x"}},
    }
    assert is_closed(json.dumps(schema).encode())
    assert is_closed(b'{"$id": "https://example.org/values", "$schema": "http://json-schema.org/draft-07/schema#"}')


# Charts in charts.


def test_charts_that_fan_out_are_refused(tmp_path: Path) -> None:
    """Each brings in two of the next, eight deep and wider: as many copies as paths."""
    files: dict[str, str | bytes] = {}
    for depth in range(7):
        for name in "abcdef":
            entries = [
                f"{{name: {each}{depth + 1}, version: 1.0.0, repository: 'file://../{each}{depth + 1}'}}"
                for each in "abcdef"
            ]
            text = CHART.replace("train", f"{name}{depth}") + f"dependencies: [{', '.join(entries)}]\n" * (depth < 6)
            files[f"{name}{depth}/Chart.yaml"] = text
    write(tmp_path, files)
    world = discover([tmp_path])
    (chart,) = (each for each in find_charts(world) if each.directory == "a0")
    with pytest.raises(RefusedChartError, match="charts"):
        stage(ChartFiles(world), chart)


def test_charts_under_many_names_are_refused(tmp_path: Path) -> None:
    def chart(name: str, inner: str) -> str:
        entries = [f"{{name: {inner}, version: 1.0.0, alias: x{n}}}" for n in range(100)] if inner else []
        return CHART.replace("train", name) + f"dependencies: [{', '.join(entries)}]\n"

    files: dict[str, str | bytes] = {"c/Chart.yaml": chart("c", "d"), "c/charts/d/Chart.yaml": chart("d", "e")}
    files |= {
        "c/charts/d/charts/e/Chart.yaml": chart("e", "f"),
        "c/charts/d/charts/e/charts/f/Chart.yaml": chart("f", ""),
    }
    write(tmp_path, files)
    world = discover([tmp_path])
    (found,) = (each for each in find_charts(world) if each.directory == "c")
    with pytest.raises(RefusedChartError, match="charts"):
        stage(ChartFiles(world), found)


# Packed charts.


def archive(files: dict[str, bytes], *, kind: bytes = tarfile.REGTYPE) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.GNU_FORMAT) as packed:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.type = len(content), kind
            packed.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_large_header_of_an_archive_is_not_read(kind: bytes) -> None:
    packed = archive({"x": bytes(2 << 20)}, kind=kind)
    with pytest.raises(RefusedChartError):
        unpacked("c.tgz", packed, 1 << 30)


@pytest.mark.needs("helm")
@pytest.mark.parametrize(
    "names",
    [
        ["c/templates/" + "x" * 300],
        ["c/templates/a", "c/templates/a/b"],
        ["c/templates/a/b", "c/templates/a"],
        ["c/a\0b"],
    ],
)
def test_an_archive_that_cannot_be_written_is_an_unknown(tmp_path: Path, names: list[str]) -> None:
    packed = archive({"c/Chart.yaml": CHART.replace("train", "c").encode(), **dict.fromkeys(names, b"x: 1\n")})
    write(tmp_path, {"t/Chart.yaml": CHART, "t/charts/c-1.tgz": packed})
    program = helm()
    assert program is not None
    found = render_charts(discover([tmp_path]), KindFilter(READ_KINDS), program, store=Builds())
    assert all(each.failed or not each.documents for each in found)


@pytest.mark.needs("linux")
def test_the_library_that_renders_charts_reads_no_file_of_the_user(tmp_path: Path) -> None:
    secret = Path.home() / f".trainlint-test-{os.getpid()}"
    secret.write_text("0f-the-host")
    code = "import sys\nfrom trainlint.source import landlock\nfrom trainlint.source.helm.worker import keep_to\n"
    code += (
        "possible = landlock.confine(['/'], ['/'])\nkeep_to(sys.argv[1])\ntry:\n    print(open(sys.argv[2]).read())\n"
    )
    code += "except OSError:\n    print('refused')\nprint(possible)\n"
    try:
        command = [sys.executable, "-c", code, str(tmp_path), str(secret)]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    finally:
        secret.unlink()
    assert said in (["refused", "True"], ["0f-the-host", "False"])
