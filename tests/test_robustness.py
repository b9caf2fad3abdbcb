"""A mutation fuzzer through the whole pipeline: whatever the files hold, an exit code of the table and no traceback."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.engine.worlds import write
from tests.mutations import damage_bytes, damage_structure
from tests.plausible import plausible

from trainlint.cli.main import cli
from trainlint.engine import check
from trainlint.model.known import Answer
from trainlint.rule import all_rules

HERE = Path(__file__).parent
SECONDS = 7.0
"""How long each of the three kinds of input is tried."""

POSSIBLE = {
    (Answer.PROVED, Answer.PROVED),
    (Answer.PROVED, Answer.REFUTED),
    (Answer.PROVED, Answer.UNKNOWN),
    (Answer.REFUTED, Answer.REFUTED),
    (Answer.UNKNOWN, Answer.UNKNOWN),
    (Answer.PROVED, Answer.CONDITIONAL),
    (Answer.CONDITIONAL, Answer.CONDITIONAL),
    (Answer.CONDITIONAL, Answer.REFUTED),
    (Answer.CONDITIONAL, Answer.UNKNOWN),
}
"""Exists and for all (decision 2): for all is refuted if exists is, unknown if exists is, and never better than it."""

EXIT_CODES = {0, 1, 2, 3, 4}
BLOCK = re.compile(r"^```yaml (?P<role>given|settings|bad|good)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = {"kustomize.yaml": "kustomization.yaml", "settings.yaml": "trainlint.yaml"}

World = Mapping[str, bytes]


def _folder(root: Path, *parts: str) -> World:
    return {f"{part}/{file.name}": file.read_bytes() for part in parts for file in sorted((root / part).glob("*.yaml"))}


def worlds() -> Iterator[World]:
    """Repositories that are fine: what gets damaged. Each is small, so that damage hits what is read."""
    lab = HERE / "lab"
    yield _folder(lab, "affinity", "after", "before", "cluster")
    yield _folder(lab, "before", "cluster")
    yield _folder(Path(str(files("trainlint.demo"))), "broken", "cluster")
    made_up = {
        NAMES.get(file.name, file.name): file.read_bytes() for file in sorted((HERE / "robustness").glob("*.yaml"))
    }
    cluster = made_up["cluster.yaml"]
    for name in ("pods.yaml", "training.yaml", "policies.yaml"):
        documents = made_up[name].split(b"---\n")
        yield {name: made_up[name], "cluster.yaml": cluster}
        yield from ({"one.yaml": each, "cluster.yaml": cluster, "trainlint.yaml": b"{}"} for each in documents)
    yield {name: made_up[name] for name in ("kustomization.yaml", "pods.yaml", "cluster.yaml")}
    yield {name: made_up[name] for name in ("trainlint.yaml", "policies.yaml", "cluster.yaml", "pods.yaml")}
    for rule in all_rules():
        blocks = [(match["role"], match["text"].encode()) for match in BLOCK.finditer(rule.page)]
        for role, text in blocks:
            if role == "bad":
                given = {
                    {"given": "given.yaml", "settings": "trainlint.yaml"}[other]: content
                    for other, content in blocks
                    if other in {"given", "settings"}
                }
                yield {"example.yaml": text, **given}


def damaged(world: World, kind: str, rng: random.Random) -> dict[str, str | bytes]:
    """The world with one of its files damaged."""
    made: dict[str, str | bytes] = dict(world)
    name = rng.choice(sorted(world))
    if kind == "bytes":
        made[name] = damage_bytes(world[name], rng)
    else:
        made[name] = damage_structure(world[name].decode(), rng)
    return made


def lint(root: Path, made: Mapping[str, str | bytes], rng: random.Random) -> None:
    """Check the world by the command line; whatever is wrong with it, the way it ends is one of ours."""
    write(root, made)
    form = rng.choice(["text", "json"])
    outcome = CliRunner().invoke(cli, ["check", str(root), "--output", form, *rng.choice([[], ["--strict"]])])
    where = f"{outcome.stderr[-2000:]}\n{outcome.stdout[-500:] if form == 'text' else ''}"
    assert outcome.exit_code in EXIT_CODES, where
    assert "Traceback" not in outcome.output, where
    if form == "json" and outcome.exit_code != 2:
        assert not json.loads(outcome.stdout)["failures"]
    if outcome.exit_code == 2:
        assert re.match(r"trainlint: .*(trainlint\.yaml|Inventory|configuration)", outcome.stderr, re.DOTALL), where


def test_sensible_manifests_in_any_combination_are_answered(tmp_path: Path) -> None:
    """The answers hang together: an unknown says what is missing, a proof has a witness, a refutation is heard."""
    end = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < end:
        root = write(tmp_path / str(number), plausible(random.Random(f"plausible {number}")))
        result = check([root])
        assert result.failures == (), number
        heard = bool(result.findings or result.suppressed)
        for group in result.groups:
            say = f"plausible {number}: {group}"
            answers = (group.exists, group.for_all)
            assert answers in POSSIBLE, say
            assert Answer.UNKNOWN not in answers or group.missing, say
            assert Answer.REFUTED not in answers or heard or group.notes, say
            if group.exists is Answer.PROVED:
                assert group.witness, say
                assert {zone for zones in group.witness.values() for zone in zones} <= set(group.viable_zones), say
        number += 1
    assert number > 20


@pytest.mark.parametrize("kind", ["structure", "bytes"])
def test_damaged_manifests_never_break_it(kind: str, tmp_path: Path) -> None:
    everything = list(worlds())
    end = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < end:
        rng = random.Random(f"{kind} {number}")
        made = damaged(everything[number % len(everything)], kind, rng)
        try:
            lint(tmp_path / str(number), made, rng)
        except AssertionError as error:
            raise AssertionError(f"{kind} {number}: {error}") from error
        number += 1
    assert number > 20
