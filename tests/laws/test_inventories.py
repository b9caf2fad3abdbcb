"""What is refuted without a word about nodes is refuted on whatever nodes there are: random inventories find no cluster
that runs it.

``--inventories N`` tries so many for each world; without it a few are tried, others for each world.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.laws.worlds import WORLDS, Files, describes_nodes, world

from trainlint.config.choices import NodesFile
from trainlint.engine import check
from trainlint.inventory.machine_selection import machines_left
from trainlint.kube.node import HOSTNAME
from trainlint.model.known import Answer
from trainlint.model.pool import Pool, Taint
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.report.inventory import inventory_yaml

POOLS = 6
ZONES = ("a", "b", "c")
SIZES = ("1", "2", "8", "16", "1000", "1000000")
MEMORY = ("1Gi", "64Gi", "2Ti", "1000Ti")
DEVICES = ("nvidia.com/gpu", "amd.com/gpu", "google.com/tpu", "vpc.amazonaws.com/efa", "rdma/ib")


@dataclass
class Words:
    """What manifests say that nodes could have: values of labels, resources, taints."""

    labels: dict[str, set[str]] = field(default_factory=dict)
    resources: set[str] = field(default_factory=lambda: set(DEVICES))
    taints: set[tuple[str, str, str]] = field(default_factory=lambda: {("nvidia.com/gpu", "present", "NoSchedule")})

    def label(self, key: Any, *values: Any) -> None:
        if isinstance(key, str) and "/" not in key[:1] and len(key) < 64:
            self.labels.setdefault(key, set()).update(str(each) for each in values if isinstance(each, str | int))


def words_of(files: Files) -> Words:
    """All that the manifests of a world name; a word too many does no harm."""
    found = Words()
    for text in files.values():
        try:
            for document in yaml.safe_load_all(text):
                _read(document, found)
        except (yaml.YAMLError, ValueError):
            continue
    found.label(ZONE, *ZONES)
    found.labels.pop(HOSTNAME, None)
    return found


def _read(value: Any, found: Words) -> None:
    if isinstance(value, list):
        for each in value:
            _read(each, found)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if key in {"nodeSelector", "matchLabels"} and isinstance(each, dict):
            for label, wanted in each.items():
                found.label(label, wanted)
        if key in {"limits", "requests"} and isinstance(each, dict):
            found.resources.update(name for name in each if isinstance(name, str) and "/" in name)
        if key in {"topologyKey", "topology"} and isinstance(each, str):
            found.label(each, "one", "two")
        _read(each, found)
    values = value.get("values")
    if "key" in value and isinstance(values, list):
        found.label(value["key"], *values, "other")
    elif "key" in value and ("effect" in value or "tolerationSeconds" in value or "operator" in value):
        found.taints.add((str(value["key"]), str(value.get("value") or ""), str(value.get("effect") or "NoSchedule")))


def inventory(words: Words, chance: random.Random) -> Iterator[Pool]:
    """Pools of nodes that could exist: where labels name a machine, they have what that machine has."""
    for number in range(chance.randint(1, POOLS)):
        often = chance.choice((0.3, 0.7, 1.0))
        labels = {
            key: chance.choice(sorted(values))
            for key, values in sorted(words.labels.items())
            if values and chance.random() < often
        }
        if chance.random() < 0.8:
            labels[ZONE] = chance.choice(sorted(words.labels[ZONE]))
        resources = {name: chance.choice(SIZES) for name in sorted(words.resources) if chance.random() < often}
        amounts = {"cpu": chance.choice(SIZES), "memory": chance.choice(MEMORY), "pods": chance.choice(("1", "110"))}
        taints = tuple(Taint(*each) for each in sorted(words.taints) if chance.random() < 0.2)
        machines = machines_left([Requirement(key, "In", (value,)) for key, value in labels.items()])
        if machines is not None:
            if not machines.types:
                continue  # no such machine exists
            machine = chance.choice(machines.types)
            amounts |= {"cpu": str(machine.cpus), "memory": f"{machine.memory}Mi"}
            resources |= {name: str(machine.devices.get(name, 0)) for name in resources}
            if "google.com/tpu" in machine.devices:
                taints = (*taints, Taint("google.com/tpu", "present"))
        count = chance.choice((1, 2, 4, 100))
        yield Pool(f"pool-{number}", labels, taints, {**resources, **amounts}, minimum=count, maximum=count)


@pytest.mark.parametrize("name", WORLDS)
def test_refutations_survive_any_nodes(name: str, request: pytest.FixtureRequest) -> None:
    files = world(name)
    if files is None or any(_describes(text) for text in files.values()):
        pytest.skip("it describes nodes, or compares two revisions")
    tried = request.config.getoption("--inventories")
    words = words_of(files)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "repository"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
        refuted = {each.name for each in check([root]).groups if each.exists is Answer.REFUTED and not each.across}
        if not refuted:
            pytest.skip("no group is refuted")
        for number in range(tried):
            pools = tuple(inventory(words, random.Random(f"{name} {number}")))
            if not pools:
                continue
            text = inventory_yaml(pools, "random")
            result = check([root], nodes=(NodesFile("random.yaml", text.encode()),))
            there = {each.name: each.exists for each in result.groups if each.name in refuted}
            wrong = {group for group, answer in there.items() if answer in {Answer.PROVED, Answer.CONDITIONAL}}
            assert not wrong, f"{sorted(wrong)} can run on these nodes:\n{text}"


def _describes(text: str) -> bool:
    try:
        found = [each for each in yaml.safe_load_all(text) if isinstance(each, dict)]
        found += [each for one in found for each in one.get("items") or () if isinstance(each, dict)]
        return any(map(describes_nodes, found))
    except (yaml.YAMLError, ValueError):
        return True
