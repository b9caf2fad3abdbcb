"""Markup, commands and escapes in names and values of manifests: in every report of every command they are text."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft4Validator
from junitparser import JUnitXml
from tests.report.test_graph_formats import LINE
from tests.report.test_html import Reader
from tests.report.test_markdown import PARSER
from tests.report.test_sarif import SCHEMA

import trainlint

DEMO = Path(trainlint.__file__).parent / "demo"
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
EVIL = (
    "<script>alert(1)</script> -->",
    '</script><img src=x onerror=alert(1)> "><b onload=x>',
    "]]><x/><!-- x",
    "[a](javascript:alert(1)) ![a](http://evil.example/x)",
    "@octocat closes #1 http://evil.example `a` | b | ~~c~~ **d**",
    "```\nmermaid",
    'a"]; click p0 "javascript:x"; %%{init: {}}%%',
    'subgraph x\nend \\N \\" -> b',
    "::error::evil",
    "x\n::set-output name=a::evil %0Aevil",
    "##[command]evil ##vso[task.setvariable variable=a]evil",
    "\x1b[2J\x1b]0;evil\x07 \u202eevil\u2066",
    "&lt;b&gt; &#x3c; {{ 7*7 }} ${{ secrets.X }}",
)
STEERING = tuple(text for text in EVIL if "::" in text or "##" in text or HIDDEN.search(text))
WATCHED = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def hostile(home: Path, texts: tuple[str, ...]) -> Path:
    """The failing demo beside objects whose names, labels, zones and notes are hostile, and faults that quote them."""
    for part in ("cluster", "broken"):
        shutil.copytree(DEMO / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    nodes = {"apiVersion": "trainlint.io/v1alpha1", "kind": "Inventory", "metadata": {"name": "nodes"}, "pools": []}
    objects: list[object] = []
    for number, text in enumerate(texts):
        nodes["pools"].append({"name": text, "count": 1, "zone": text, "labels": {"a": text}})  # type: ignore[attr-defined]
        pod = {
            "containers": [{"name": text, "image": text, "env": [{"name": "NCCL_DEBUG", "value": text}]}],
            "nodeSelector": {"a": text, "b": text},
            "priorityClassName": text,
            "tolerations": [{"key": text, "operator": text}],
        }
        role = {"replicas": 2, "template": {"metadata": {"labels": {"app": text}}, "spec": pod}}
        objects += [
            {
                "apiVersion": "kubeflow.org/v1",
                "kind": "PyTorchJob",
                "metadata": {
                    "name": text,
                    "namespace": "ml",
                    "annotations": {"trainlint.io/ignore": f"shm-too-small: {text}", "trainlint.io/group": text},
                },
                "spec": {"pytorchReplicaSpecs": {"Worker": role, text: role}},
            },
            {
                "apiVersion": "networking.k8s.io/v1",
                "kind": "NetworkPolicy",
                "metadata": {"name": text, "namespace": text if number % 2 else "ml"},
                "spec": {"podSelector": {"matchLabels": {"app": text}}, "policyTypes": ["Ingress", "Egress"]},
            },
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": f"t{number}", "labels": {text: 1}},
                "spec": text,
            },
        ]
    (home / "evil").mkdir()
    (home / "evil/nodes.yaml").write_text(yaml.safe_dump(nodes), encoding="utf-8")
    (home / "evil/jobs.yaml").write_text(yaml.safe_dump_all(objects), encoding="utf-8")
    (home / "evil/keys.yaml").write_text(
        "---\n".join(f"kind: Pod\n{json.dumps(text)}: 1\n{json.dumps(text)}: 2\n" for text in texts), encoding="utf-8"
    )
    return home


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile(tmp_path_factory.mktemp("hostile") / "r", EVIL)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the texts that a runner or a terminal would obey: quicker, for many commands."""
    return hostile(tmp_path_factory.mktemp("small") / "r", STEERING)


def run(home: Path, *arguments: str, code: tuple[int, ...] = (0, 1), **variables: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in WATCHED}
    done = subprocess.run(
        [sys.executable, "-I", "-m", "trainlint", *arguments],
        cwd=home,
        env={**environment, "GIT_CEILING_DIRECTORIES": str(home.parent), **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode in code, done.stderr
    assert not HIDDEN.search(done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def reports(home: Path) -> dict[str, str]:
    """Every report of one run, and every drawing of another."""
    forms = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
    drawings = ("svg", "mermaid", "dot", "graphml", "json")
    out = home.parent
    run(home, "check", ".", "--no-cache", "--show-suppressed", *(f"--output={each}={out / each}" for each in forms))
    run(home, "graph", ".", "--no-cache", *(f"--output={each}={out}/graph-{each}" for each in drawings))
    names = (*forms, *(f"graph-{each}" for each in drawings))
    return {each: (out / each).read_text(encoding="utf-8") for each in names}


def test_the_page_holds_no_element_and_no_address_of_a_manifest(reports: dict[str, str]) -> None:
    page = Reader(reports["html"])
    names = {each.name for each in page.elements}
    assert names.isdisjoint({"img", "iframe", "object", "embed", "base", "b", "x", "image", "foreignobject"}), sorted(
        names
    )
    assert sum(each.name == "script" for each in page.elements) <= 1
    for each in page.elements:
        assert each.name != "form" or str(each.attributes["id"]).endswith("-filters")
        assert not [name for name in each.attributes if name.startswith("on")], each.attributes
        for name in ("href", "src", "action", "xlink:href", "formaction"):
            assert re.match(r"#|https://|data:|$", each.attributes.get(name) or ""), each.attributes
    shown = "".join(text for each in page.elements if each.name == "body" for text in each.texts)
    assert "<script>alert(1)</script>" in shown  # it is told, as text


def test_the_summary_holds_no_markup_and_no_link_of_a_manifest(reports: dict[str, str]) -> None:
    allowed = re.compile(r"</?(?:details|summary|br|b|sub|sup|code)(?: open)?/?>|\s|[^<>]")
    for token in PARSER.parse(reports["markdown"]):
        for each in (token, *(token.children or ())):
            assert each.type not in {"image", "link_open"} or re.match(r"https://|#", str(each.attrs.get("href")))
            assert "evil.example" not in str(each.attrs)
            if each.type.startswith("html"):
                assert not allowed.sub("", each.content), each.content


def test_reports_for_programs_are_well_formed(reports: dict[str, str]) -> None:
    for form in ("json", "gitlab", "graph-json"):
        assert json.loads(reports[form])
    log = json.loads(reports["sarif"])
    Draft4Validator(SCHEMA).validate(log)
    for result in log["runs"][0]["results"]:
        assert "javascript:" not in re.sub(r"\\?\[", "", result["message"].get("markdown", ""))
    assert JUnitXml.fromstring(reports["junit"].encode())
    for form in ("graph-svg", "graph-graphml"):
        names = {each.tag.rpartition("}")[2] for each in ET.fromstring(reports[form]).iter()}
        assert not names & {"script", "img", "a", "b", "x", "foreignObject", "image"}


def test_drawings_are_lines_of_their_grammar(reports: dict[str, str]) -> None:
    for line in reports["graph-mermaid"].splitlines():
        assert LINE.fullmatch(line), line
    quoted = re.sub(r'"(?:[^"\\]|\\.)*"', '""', reports["graph-dot"])
    assert "click" not in quoted
    assert "evil" not in quoted


def lines(text: str) -> Iterator[str]:
    yield from text.split("\n")


@pytest.mark.parametrize("form", ["text", "concise", "github", "markdown"])
def test_no_text_holds_what_steers_a_terminal(reports: dict[str, str], form: str) -> None:
    assert not HIDDEN.search(reports[form].replace("\t", ""))


def test_annotations_are_one_line_each_and_commands_of_ours(reports: dict[str, str]) -> None:
    for line in reports["github"].splitlines():
        assert re.match(r"::(?:error|warning|notice)(?: [^:]*)?::", line), line


COMMANDS = (
    ("check", ".", "--show-suppressed"),
    ("check", ".", "--output=json"),
    ("check", ".", "--output=sarif"),
    ("check", ".", "--output=junit"),
    ("check", ".", "--output=html"),
    ("check", ".", "--output=markdown"),
    ("check", ".", "--output=gitlab"),
    ("check", ".", "--diff"),
    ("graph", "."),
    ("graph", ".", "--output=mermaid"),
    ("graph", ".", "--output=dot"),
    ("graph", ".", "--output=svg"),
    ("graph", ".", "--output=graphml"),
    ("explain", "GROUP", "."),
    ("explain", "GROUP", ".", "--output=json"),
    ("prove", "."),
    ("prove", ".", "--output=markdown"),
    ("needs", "."),
    ("needs", ".", "--output=inventory"),
    ("needs", ".", "--output=kubectl"),
    ("inventory", "."),
    ("config", "."),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_output_of_any_command_is_a_command_of_a_runner(small: Path, arguments: tuple[str, ...]) -> None:
    group = f"ml/{STEERING[0]}"
    named = [each.replace("GROUP", group) for each in arguments]
    text = run(
        small,
        *named,
        "--no-cache" if arguments[0] not in ("inventory", "config") else "--",
        code=(0, 1, 2),
        GITHUB_ACTIONS="true",
    )
    assert not [line for line in text.splitlines() if re.match(r"\s*::[A-Za-z]", line) and "evil" in line]
    assert not re.search(r"##(?:\[|vso\[)", text)
    assert arguments[-1].startswith("--output=") or not HIDDEN.search(text)
