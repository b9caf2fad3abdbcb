"""Every format of the graph with names that mean harm: what they hold is text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx as nx
import pytest

from trainlint.engine import check
from trainlint.report import Options
from trainlint.report.graph import FORMATS, writer
from trainlint.result.graph import GroupGraph

LAB = Path(__file__).parents[1] / "lab"
SHOWN = 'a"]; click p0 "x" <b onload=x> \\N \\" -> b; } %%{init}%% &amp; #35;'
HOSTILE = json.dumps(SHOWN)  # as YAML too
LABEL = r'"(?:[\w ./,+-]|\#\d+;|<br/>)+"'
# The grammar of what is drawn; Mermaid's own is larger.
LINE = re.compile(
    rf"""flowchart\ LR | \ *direction\ LR
    | \ *subgraph\ f\d+\[{LABEL}\] | \ *end
    | \ *p\d+\[{LABEL}\]
    | \ *p\d+\ --\ {LABEL}\ -->\ p\d+ | \ *p\d+\ -\.\ {LABEL}\ (?:\.-x|\.->)\ p\d+
    | \ *linkStyle\ \d+(,\d+)*\ stroke:\#[0-9a-f]+(,stroke-width:2px)?""",
    re.VERBOSE | re.ASCII,
)


@pytest.fixture
def graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[GroupGraph, ...]:
    """The failing lab, its coordinator, a policy, a zone and a node under other names."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for part in ("cluster", "before"):
        shutil.copytree(LAB / part, tmp_path / part)
    for file in tmp_path.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        for old in ("name: coordinator, namespace", "name: inside-zone-a, namespace", "zone: zone-b, topology"):
            key, _, rest = old.partition(": ")
            text = text.replace(old, f"{key}: {HOSTILE}, {rest.partition(', ')[2]}")
        file.write_text(text, encoding="utf-8")
    found = check([tmp_path], graphs=True).graphs
    assert any(role.name == SHOWN for graph in found for role in graph.roles)
    return found


def render(form: str, graphs: tuple[GroupGraph, ...]) -> str:
    return writer(form)(graphs, Options())


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_with_one_line_end_and_holds_nothing_invisible(
    form: str, graphs: tuple[GroupGraph, ...]
) -> None:
    text = render(form, graphs)
    assert text == render(form, graphs)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert all(char.isprintable() or char == "\n" for char in text)


def test_mermaid_lines_are_all_of_one_grammar(graphs: tuple[GroupGraph, ...]) -> None:
    lines = render("mermaid", graphs).splitlines()
    assert not [line for line in lines if not LINE.fullmatch(line)]
    assert lines.count("    end") + lines.count("  end") == sum("subgraph" in line for line in lines)


@pytest.mark.needs("dot")
def test_graphviz_shows_the_names_as_they_are(graphs: tuple[GroupGraph, ...]) -> None:
    done = subprocess.run(["dot", "-Tsvg"], input=render("dot", graphs), capture_output=True, text=True, check=True)
    assert not done.stderr
    drawn = ET.fromstring(done.stdout)
    words = {"".join(each.itertext()).replace("\xa0", " ") for each in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {SHOWN, f"zone {SHOWN}", "workers", "kube-dns"} <= words
    nodes = [each for each in drawn.iter("{http://www.w3.org/2000/svg}g") if each.get("class") == "node"]
    assert len(nodes) == sum(len(graph.role_zones) + 1 for graph in graphs)


def test_networkx_and_xml_read_the_names_back(graphs: tuple[GroupGraph, ...]) -> None:
    graph = nx.parse_graphml(render("graphml", graphs), force_multigraph=True)
    assert SHOWN in {each.get("pod_set") for _, each in graph.nodes(data=True)}
    picture = ET.fromstring(render("svg", graphs))
    names = {each.tag.rpartition("}")[2] for each in picture.iter()}
    assert names <= {"svg", "style", "title", "g", "rect", "text", "defs", "marker", "path", "circle"}
    words = ["".join(each.itertext()) for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert any(word.startswith(SHOWN[:20]) for word in words)


def test_several_groups_share_one_drawing(graphs: tuple[GroupGraph, ...]) -> None:
    both = (*graphs, *graphs)
    for form in FORMATS:
        assert render(form, both)
    assert len(json.loads(render("json", both))["groups"]) == 2 * len(graphs)
    assert ET.fromstring(render("svg", both)).get("height") > ET.fromstring(render("svg", graphs)).get("height")  # type: ignore[operator]
