"""What every command prints, in every format, on small worlds in which much has something to say.

``cuts``: two findings, a group that no repair fixes, and a repair that leaves a warning. ``states``: the same objects
in two overlays, one of them fixed. ``half``: an inventory that does not say all that is asked of it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.golden.golden import HERE, agree, stale

from trainlint import __version__
from trainlint.cli.main import cli

GOLDEN = HERE / "commands"
TESTS = HERE.parent
CASES = TESTS / "cases"
WORLDS = {
    "cuts": {
        "quota": CASES / "placement/quota-never-admits--gpu-quota-smaller-than-the-group",
        "robotics": CASES / "policy/flow-denied--security-zones-by-static-label",
    },
    "states": {name: TESTS / "lab" / name for name in ("cluster", "before", "after")},
    "half": {"half": HERE / "worlds" / "half"},
}
COMMANDS = {
    "cuts": (
        *(f"check --output {form}" for form in ("text", "concise", "json", "sarif", "github", "gitlab", "junit")),
        *(f"check --output {form}" for form in ("markdown", "html")),
        *(f"check --diff --output {form}" for form in ("text", "markdown", "sarif", "gitlab")),
        *("check --diff", "check --diff --color always", "check --color always", "check --quiet"),
        *(f"graph robotics/sim --output {form}" for form in ("text", "json", "svg", "mermaid", "dot", "graphml")),
        *(f"graph research/prover --output {form}" for form in ("text", "svg")),
        *(
            f"explain {group} --output {form}"
            for group in ("robotics/sim", "research/prover")
            for form in ("text", "json")
        ),
        *(f"prove --output {form}" for form in ("text", "json", "markdown")),
        *(f"needs --output {form}" for form in ("text", "json")),
        *(f"why robotics/sim/gpu robotics/sim/head --port 6379 --output {form}" for form in ("text", "json")),
        *("init", "config"),
        # Both findings, by the beginning of their ids.
        *(f"explain {each} --output {form}" for each in ("79dfefc4", "0c7719b0") for form in ("text", "json")),
        # Other ends of connections: a Service's pods by labels, the cluster's DNS, the world, nodes; other ports.
        *("why robotics/sim/gpu robotics/sim/head", "why robotics/sim/head kube-dns --port 53 --protocol udp"),
        *("why robotics/sim/gpu world --port 443", "why host robotics/sim/head --port 8265"),
        *("why robotics:net-zone=green robotics:net-zone=blue --port 1-9", "why 10.1.2.3 robotics/sim/head"),
        # What is asked wrong is answered with what there is.
        *("explain nothing", "explain ffffffff", "explain robotics/sim --snapshot nothing", "graph nothing"),
        *("prove nothing", "needs nothing", "why nothing robotics/sim/head", "why robotics/sim robotics/sim/head"),
        *("rule no-viable-zon", "check nothing.yaml", "check --select no-viable-zon", "check --ignore flow-denied"),
        *("graph --snapshot nothing", "check --base HEAD", "check --output nothing", "check --fail-on nothing"),
        *("check --baseline nothing.json", "check --config nothing.yaml", "config nothing"),
    ),
    "states": (
        *(f"check --output {form}" for form in ("text", "json", "markdown", "html")),
        *(f"graph --snapshot {state} --output {form}" for state in ("before", "after") for form in ("svg", "mermaid")),
        *(f"graph --output {form}" for form in ("graphml", "dot")),
        *("check --diff", "prove", "needs", "explain vision/coordinator+workers"),
    ),
    "half": (
        *("check", "check --output json", "prove", "graph", "explain ml/train", "explain ml/train --output json"),
        *(f"needs --output {form}" for form in ("text", "json", "inventory", "kubectl")),
    ),
}
ENDINGS = {
    "json": "json",
    "sarif": "json",
    "gitlab": "json",
    "junit": "xml",
    "graphml": "xml",
    "svg": "svg",
    "html": "html",
}


def name(world: str, command: str) -> str:
    form = command.partition("--output ")[2]
    words = re.sub(r"[/:=]", "-", command.replace(" --", " ").replace("output ", "")).split()
    return f"{world}/{'-'.join(words)}.{ENDINGS.get(form, 'txt')}"


ALL = [(world, command) for world, commands in COMMANDS.items() for command in commands]


@pytest.mark.parametrize(("world", "command"), [pytest.param(*each, id=name(*each)) for each in ALL])
def test_a_command_prints_what_the_golden_file_says(
    world: str, command: str, tmp_path: Path, update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    for part, folder in WORLDS[world].items():
        shutil.copytree(folder, tmp_path / part, ignore=shutil.ignore_patterns("case.yaml"))
    done = CliRunner().invoke(cli, command.split(), prog_name="trainlint")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    text = done.stdout
    if name(world, command).endswith(".txt"):
        text += f"--- exit code {done.exit_code}\n{done.stderr}"
    text = text.replace(os.fspath(tmp_path), "ROOT").replace(f'"{__version__}"', '"VERSION"')
    agree(GOLDEN / name(world, command), text, update=update)


def first_of_each_rule() -> Iterator[Path]:
    """The folder of the first case of each rule that is about groups."""
    seen: set[str] = set()
    for category in ("fabric", "placement", "policy", "topology"):
        for folder in sorted((CASES / category).iterdir()):
            rule = folder.name.partition("--")[0]
            if rule not in seen and not (folder / "base").is_dir():
                seen.add(rule)
                yield folder


ARGUED = {f"groups/{each.relative_to(CASES)}.txt": each for each in first_of_each_rule()}


@pytest.mark.parametrize("file", ARGUED)
def test_the_whole_argument_about_each_group_is_what_the_golden_file_says(
    file: str, tmp_path: Path, update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", os.fspath(tmp_path))
    root = tmp_path / "repository"
    shutil.copytree(ARGUED[file], root, ignore=shutil.ignore_patterns("case.yaml"))
    monkeypatch.chdir(root)

    def output(*words: str) -> str:
        done = CliRunner().invoke(cli, words, prog_name="trainlint")
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return f"$ trainlint {' '.join(words)}\n{done.stdout}"

    groups = json.loads(CliRunner().invoke(cli, ["prove", "--output", "json"]).stdout)["groups"]
    parts = [output("prove"), output("needs")]
    parts += [output("explain", each) for each in dict.fromkeys(each["name"] for each in groups)]
    agree(GOLDEN / file, "\n".join(parts).replace(os.fspath(tmp_path), "ROOT"), update=update)


def test_every_golden_file_is_of_a_command(update: bool) -> None:
    assert stale(GOLDEN, [*(name(*each) for each in ALL), *ARGUED], update=update) == []
