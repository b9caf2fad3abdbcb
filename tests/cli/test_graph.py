"""``trainlint graph``: every format on the lab, read back by the programs that it is for."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from trainlint import __version__
from trainlint.cli.main import cli
from trainlint.report.graph import FORMATS
from trainlint_schemas import schema

TESTS = Path(__file__).parents[1]
LAB = TESTS / "lab"
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["graph", *arguments], prog_name="trainlint")


def output(*arguments: str) -> str:
    outcome = run(*arguments)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def lab(root: Path, *states: str) -> None:
    for part in ("cluster", *states):
        shutil.copytree(LAB / part, root / part)


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The failing state of the lab as current directory."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "repository"
    lab(root, "before")
    monkeypatch.chdir(root)
    return root


def closed(node: Any) -> Any:
    """The schema without room for members that it does not name."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if "properties" in node:
            node["unevaluatedProperties"] = False
    elif isinstance(node, list):
        node = [closed(item) for item in node]
    return node


def groups(*arguments: str) -> list[dict[str, Any]]:
    data = json.loads(output("--output", "json", *arguments))
    Draft202012Validator(closed(copy.deepcopy(schema("graph")))).validate(data)
    found: list[dict[str, Any]] = data["groups"]
    return found


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema("graph"))


def test_the_graph_of_the_failing_lab_says_where_each_role_can_run_and_what_is_cut(before: Path) -> None:
    (group,) = groups()
    # tests/lab/README.md: the coordinator can only land in zone-b, the workers only in zone-a.
    assert {node["id"]: node["schedulable"] for node in group["nodes"] if "dns" not in node} == {
        "vision/coordinator@zone-a": "no",
        "vision/coordinator@zone-b": "yes",
        "vision/workers@zone-a": "yes",
        "vision/workers@zone-b": "no",
    }
    assert {pool["zone"]: pool["names"] for pool in group["pools"] if pool["accelerators"]} == {
        "zone-a": ["gpu-1", "gpu-2"]
    }
    edges = {(edge["source"], edge["target"], edge["ports"]): edge for edge in group["edges"]}
    cut = edges["vision/workers@zone-a", "vision/coordinator@zone-b", "9999"]
    # The boundary: workers carry net-zone: zone-a and the coordinator zone-b, and both policies refuse the other's.
    assert cut["verdict"] == "deny"
    assert [(each["file"], each["line"]) for each in cut["deciding"]] == [
        ("cluster/zone-boundary.yaml", 9),
        ("cluster/zone-boundary.yaml", 19),
    ]
    assert any(
        "asks for net-zone=zone-a; vision/coordinator has net-zone=zone-b" in each["role"]
        for each in cut["near_misses"]
    )
    assert cut["repairs"][0]["text"] == "set the label net-zone: zone-a on the pods of vision/coordinator"
    assert edges["vision/workers@zone-a", "kube-dns", "53"]["verdict"] == "allow"
    assert edges["vision/workers@zone-a", "vision/workers@zone-a", "32768-60999"]["verdict"] == "allow"
    # An end that no node takes is no end of an edge.
    assert not any("coordinator@zone-a" in target or "workers@zone-b" in source for source, target, _ in edges)


def test_what_keeps_roles_from_starting_is_said_with_its_places(before: Path) -> None:
    shutil.copytree(LAB / "affinity", before / "affinity")
    (group,) = groups("--snapshot", "affinity")
    (obstacle,) = group["obstacles"]
    assert (obstacle["pod_set"], group["waiting"]) == ("workers", [])
    assert "it must run where coordinator runs, only in zone-b" in obstacle["text"]
    assert [(each["file"], each["line"]) for each in obstacle["locations"]] == [("affinity/training.yaml", 46)]


@pytest.mark.parametrize("name", ["text:txt", "dot:dot", "mermaid:mmd", "json:json"])
def test_a_format_is_what_the_golden_file_says(name: str, before: Path) -> None:
    form, _, ending = name.partition(":")
    golden = (TESTS / "report" / "golden" / f"graph.{ending}").read_text(encoding="utf-8")
    assert output("--output", form) == golden.replace("VERSION", __version__)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_the_same_every_time_and_goes_to_a_file_too(form: str, before: Path) -> None:
    first = output("--output", form)
    assert output("--output", f"{form}=out.graph", "--output", "json" if form == "text" else "text")
    assert Path("out.graph").read_text(encoding="utf-8") == first
    assert first.endswith("\n")


def test_networkx_reads_the_graphml_back(before: Path) -> None:
    graph = nx.parse_graphml(output("--output", "graphml"), force_multigraph=True)
    assert set(graph.nodes) == {node["id"] for node in groups()[0]["nodes"]}
    assert graph.nodes["vision/workers@zone-a"]["pods"] == 4
    verdicts = {(one, other, each["ports"]): each["verdict"] for one, other, each in graph.edges(data=True)}
    assert verdicts["vision/workers@zone-a", "vision/coordinator@zone-b", "9999"] == "deny"
    assert len(graph.edges) == len(groups()[0]["edges"])
    # What the graph is for: with the cut edge gone nothing leads from the workers to the coordinator.
    allowed: nx.DiGraph[str] = nx.DiGraph(
        (one, other) for one, other, each in graph.edges(data=True) if each["verdict"] == "allow"
    )
    assert "vision/coordinator@zone-b" not in allowed


@pytest.mark.needs("dot")
def test_graphviz_reads_the_dot(before: Path) -> None:
    done = subprocess.run(
        ["dot", "-Tplain"], input=output("--output", "dot"), capture_output=True, text=True, check=True
    )
    assert not done.stderr
    assert len(re.findall(r"^node ", done.stdout, re.MULTILINE)) == len(groups()[0]["nodes"])
    assert len(re.findall(r"^edge ", done.stdout, re.MULTILINE)) == len(groups()[0]["edges"])


def test_the_svg_shows_zones_roles_and_the_cut_in_words(before: Path) -> None:
    root = ET.fromstring(output("--output", "svg"))
    assert root.tag == f"{SVG}svg"
    words = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert {"zone-a", "zone-b", "coordinator", "workers", "TCP 9999", "denied", "zone-boundary.yaml:9,19"} <= set(words)
    assert "to fix it: set the label net-zone: zone-a on the pods of vision/coordinator" in words
    assert "to fix it: add the toleration to coordinator" in words
    # Nothing is fetched, nothing runs.
    assert not [
        each for each in root.iter() if each.tag.removeprefix(SVG) in {"script", "image", "use", "foreignObject"}
    ]
    assert "http" not in output("--output", "svg").replace('xmlns="http://www.w3.org/2000/svg"', "").replace(
        "https", "http"
    )


def test_mermaid_marks_the_cut_edge(before: Path) -> None:
    lines = output("--output", "mermaid").splitlines()
    assert lines[0] == "flowchart LR"
    (cut,) = (line for line in lines if ".-x" in line)
    assert "denied#58; TCP 9999" in cut
    number = [line for line in lines if re.search(r" (--|-\.) ", line)].index(cut)
    assert f"  linkStyle {number} stroke:#cf222e,stroke-width:2px" in lines
    assert sum(line.strip() == "end" for line in lines) == sum("subgraph" in line for line in lines)


def test_of_several_snapshots_the_first_refuted_one_is_shown_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    root = tmp_path / "repository"
    lab(root, "after", "before")
    monkeypatch.chdir(root)
    outcome = run("coordinator")
    assert outcome.stderr == (
        "trainlint: snapshot before, the first that is refuted; --snapshot chooses another: after\n"
    )
    assert groups()[0]["snapshot"] == "before"
    assert groups("--snapshot", "after")[0]["exists"] == "proved"
    wrong = run("--snapshot", "nope")
    assert wrong.exit_code == 2
    assert wrong.stderr == "trainlint: there is no snapshot 'nope'; there are: after, before\n"


def test_a_name_that_several_groups_have_is_answered_with_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    training = (LAB / "before" / "training.yaml").read_text(encoding="utf-8")
    for name in ("red", "blue"):
        Path(f"{name}.yaml").write_text(training.replace("vision", name), encoding="utf-8")
    both = "blue/coordinator+workers, red/coordinator+workers: say which"
    assert run("coordinator+workers").stderr == f"trainlint: 'coordinator+workers' may be any of {both}\n"
    assert run("workers").stderr == f"trainlint: 'workers' may be any of {both}\n"
    assert [group["name"] for group in groups("red/coord")] == ["red/coordinator+workers"]
    wrong = run("red/coordinator+worker5")
    assert wrong.exit_code == 2
    assert "did you mean 'red/coordinator+workers'?" in wrong.stderr
    assert [group["name"] for group in groups()] == ["blue/coordinator+workers", "red/coordinator+workers"]
    assert groups()[0]["nodes"][0]["zone"] is None  # no inventory: the zones are unknown
    for form in FORMATS:
        assert output("--output", form)


@pytest.mark.parametrize("form", FORMATS)
def test_without_groups_there_is_nothing_to_show(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert output("--output", form).endswith("\n")
