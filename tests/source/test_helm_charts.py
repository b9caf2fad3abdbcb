"""Which charts there are, and what stands with them; no renderer is asked."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from tests.source.charts import CHART, write

from trainlint.finding import Location
from trainlint.source.helm.archive import unpacked
from trainlint.source.helm.chart import find_charts
from trainlint.source.helm.files import ChartFiles, RefusedChartError
from trainlint.source.helm.install import by_itself, served
from trainlint.source.helm.staging import stage
from trainlint.source.helm.values import enabled, merged
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read

DEPENDENT = (
    "apiVersion: v2\nname: train\nversion: 1.0.0\ndependencies:\n"
    "- {name: common, repository: 'file://../common', version: 1.x}\n"
    "- {name: redis, repository: 'https://charts.example', condition: redis.enabled, alias: cache}\n"
)


def test_values_files_beside_a_chart_are_its_alternatives_and_others_are_not(tmp_path: Path) -> None:
    files = {
        "c/Chart.yaml": CHART.format("train"),
        "c/values.yaml": "",
        "c/values-prod.yaml": "",
        "c/values.staging.yml": "",
        "c/prod-values.yaml": "",
        "c/ci/gpu-values.yaml": "",
        "c/values/eu.yaml": "",
        "c/values.schema.json": "{}",
        "c/templates/values-of-no-installation.yaml": "",
        "c/evaluation.yaml": "",
    }
    (found,) = find_charts(write(tmp_path, files))
    assert found.values_files == (
        "c/ci/gpu-values.yaml",
        "c/prod-values.yaml",
        "c/values-prod.yaml",
        "c/values.staging.yml",
        "c/values/eu.yaml",
    )
    releases = by_itself(found)
    assert [each.value_files for each in releases] == [(), *((name,) for name in found.values_files)]
    assert {each.release for each in releases} == {"train"}


def test_charts_inside_another_one_are_parts_of_it(tmp_path: Path) -> None:
    names = ("Chart.yaml", "charts/sub/Chart.yaml", "templates/Chart.yaml", "charts/sub/charts/deep/Chart.yaml")
    world = write(tmp_path, {f"deploy/{name}": CHART.format(f"n{at}") for at, name in enumerate(names)})
    assert [each.directory for each in find_charts(world)] == ["deploy"]


def test_what_says_no_name_is_no_chart_and_a_library_is_marked(tmp_path: Path) -> None:
    files = {
        "a/Chart.yaml": "{{ cookiecutter }}",
        "b/Chart.yaml": CHART.format("b") + "type: library\n",
        "c/Chart.yaml": "- x",
    }
    assert [(each.directory, each.library) for each in find_charts(write(tmp_path, files))] == [("b", True)]


def test_a_release_name_is_one_that_helm_takes(tmp_path: Path) -> None:
    (found,) = find_charts(write(tmp_path, {"c/Chart.yaml": CHART.format("My_Chart")}))
    assert by_itself(found)[0].release == "my-chart"


def test_a_dependency_of_the_repository_is_taken_and_one_from_elsewhere_is_missing(tmp_path: Path) -> None:
    files = {
        "charts/train/Chart.yaml": DEPENDENT,
        "charts/common/Chart.yaml": CHART.format("common"),
        "charts/common/templates/_name.tpl": "x",
    }
    world = write(tmp_path, files)
    found = next(each for each in find_charts(world) if each.name == "train")
    staged = stage(ChartFiles(world), found)
    assert staged.files["charts/common/templates/_name.tpl"] == b"x"
    assert staged.source("train/charts/common/templates/_name.tpl") == ("charts/common/templates/_name.tpl", None)
    assert [each.name for each in staged.missing] == ["redis"]
    assert staged.missing[0].at == Location("charts/train/Chart.yaml", 0, ("dependencies", 1))


@pytest.mark.parametrize("target", ["/etc/hostname", "../../../outside"])
def test_a_link_out_of_the_repository_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").write_text("secret")
    world = write(tmp_path / "repository", {"charts/train/Chart.yaml": CHART.format("train")})
    (tmp_path / "repository/charts/train/notes.txt").symlink_to(target)
    with pytest.raises(RefusedChartError, match=r"notes\.txt leads out of the repository"):
        stage(ChartFiles(world), find_charts(world)[0])


@pytest.mark.parametrize("path", ["/charts/common", "../../../common"])
def test_a_dependency_outside_of_the_repository_is_refused(tmp_path: Path, path: str) -> None:
    text = CHART.format("train") + f"dependencies: [{{name: common, repository: 'file://{path}'}}]\n"
    world = write(tmp_path, {"charts/train/Chart.yaml": text})
    with pytest.raises(RefusedChartError, match="common is outside of the repository"):
        stage(ChartFiles(world), find_charts(world)[0])


def test_a_dependency_is_put_nowhere_but_into_the_copy(tmp_path: Path) -> None:
    text = CHART.format("train") + "dependencies: [{name: ../../../outside, repository: 'file://../common'}]\n"
    world = write(tmp_path, {"charts/train/Chart.yaml": text, "charts/common/Chart.yaml": CHART.format("common")})
    found = next(each for each in find_charts(world) if each.name == "train")
    with pytest.raises(RefusedChartError, match="no name for a chart"):
        stage(ChartFiles(world), found)


@pytest.mark.parametrize("name", ["/etc/hostname", "../outside", "charts/../../outside"])
def test_a_values_file_outside_of_the_repository_is_not_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "outside").write_text("secret")
    world = write(tmp_path / "repository", {"charts/train/Chart.yaml": CHART.format("train")})
    with pytest.raises(RefusedChartError, match="outside of the repository"):
        ChartFiles(world).read(name)


def test_a_packed_chart_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:gz", compresslevel=1) as archive:
        entry = tarfile.TarInfo("sub/files/zeros")
        entry.size = 200 << 20
        archive.addfile(entry, io.BytesIO(bytes(entry.size)))
    assert len(output.getvalue()) < 2 << 20
    with pytest.raises(RefusedChartError, match="too much"):
        unpacked("charts/sub.tgz", output.getvalue(), 128 << 20)


def test_a_link_inside_the_repository_is_followed(tmp_path: Path) -> None:
    write(tmp_path, {"shared/templates/job.yaml": "kind: Job\n", "charts/train/Chart.yaml": CHART.format("train")})
    (tmp_path / "charts/train/templates").symlink_to("../../shared/templates")
    world = write(tmp_path, {})
    staged = stage(ChartFiles(world), find_charts(world)[0])
    assert staged.names["templates/job.yaml"] == "shared/templates/job.yaml"


def test_a_schema_that_helm_would_fetch_is_left_out(tmp_path: Path) -> None:
    schema = '{"$schema": "https://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "%s"}}}'
    for reference, kept in (("#/definitions/a", True), ("https://example.com/a.json", False), ("file:///etc/a", False)):
        files = {"c/Chart.yaml": CHART.format("c"), "c/values.schema.json": schema % reference}
        world = write(tmp_path, files)
        assert ("values.schema.json" in stage(ChartFiles(world), find_charts(world)[0]).files) is kept


def test_the_first_condition_that_is_there_decides_then_the_tags(tmp_path: Path) -> None:
    text = CHART.format("c") + "dependencies: [{name: d, condition: 'a.on, b.on', tags: [t, u]}]\n"
    (found,) = find_charts(write(tmp_path, {"c/Chart.yaml": text}))
    dependency = found.dependencies[0]
    assert enabled(dependency, {})
    assert not enabled(dependency, {"b": {"on": False}})
    assert enabled(dependency, {"a": {"on": True}, "b": {"on": False}, "tags": {"t": False}})
    assert not enabled(dependency, {"tags": {"t": False}})
    assert enabled(dependency, {"tags": {"t": False, "u": True}})


def test_values_are_merged_as_mappings_and_replaced_otherwise() -> None:
    assert merged({"a": {"b": 1, "c": [1]}, "d": 1}, {"a": {"c": [2]}, "d": None}) == {
        "a": {"b": 1, "c": [2]},
        "d": None,
    }


def test_the_apis_that_a_repository_uses_are_served() -> None:
    text = "".join(
        f"---\napiVersion: {version}\nkind: {kind}\n"
        for version, kind in (
            ("kueue.x-k8s.io/v1beta1", "LocalQueue"),
            ("batch/v1", "Job"),
            ("networking.k8s.io/v1", "NetworkPolicy"),
        )
    )
    reading = read("a.yaml", text.encode(), KindFilter({"Job", "LocalQueue", "NetworkPolicy"}))
    assert served([reading]) == {"kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta1/LocalQueue"}
