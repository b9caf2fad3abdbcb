"""The places of a cause are irreducible, on every case about topology and policies, tried on the files themselves.

By definition, with every other removable constraint dropped the group is still refuted, and dropping any one more ends
it. Constraints are found and dropped by ``manifests``, which knows only YAML; verdicts come from the whole pipeline.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.proof.manifests import Manifests, Spot

from trainlint.engine import check
from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.result import Placed, Result
from trainlint.rule import all_rules

TESTS = Path(__file__).parent.parent
KINDS = ("topology", "policy", "placement")
FOLDERS = [*sorted(path.parent for kind in KINDS for path in TESTS.glob(f"cases/{kind}/*/case.yaml")), TESTS / "lab"]
WORLDS = [folder for folder in FOLDERS if not (folder / "base").is_dir()]
MAKERS = ("kind: ClusterConfig", "kind: ComputeClass", "kind: MachineDeployment", "kind: NodePool", "kind.x-k8s.io")
COUNTED = [
    folder
    for folder in WORLDS
    if not any(mark in path.read_text("utf-8") for path in folder.rglob("*.yaml") for mark in MAKERS)
]
"""The worlds that write their nodes down: ``manifests`` gives these what pods ask for, and knows no makers of nodes."""
FOR_ALL = ("split-cut-by-policy", "split-across-zones", "stranded-by-affinity")
"""Rules about placements that the scheduler may choose: they are refuted as long as they speak."""
FLOWS = {
    "dns-egress-blocked": {"dns-egress-blocked"},
    "flow-denied": {"flow-denied", "collective-ports-blocked"},
    "collective-ports-blocked": {"flow-denied", "collective-ports-blocked"},
}
"""Rules about connections, of which a group may lack several, each for reasons of its own: as long as these speak."""
BY_OBJECTS = {
    rule.name
    for rule in all_rules()
    if (rule.tells or rule.severity is Severity.ERROR) and not hasattr(sys.modules[rule.module], "forcing")
}
"""Rules about what one object makes impossible by itself: their places are its own, and they ask for no smallest sets
of constraints.
"""


def copied(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target, ignore=shutil.ignore_patterns("case.yaml", "*.toml", "*.md")))


def causes(placed: Placed) -> dict[int, list[Spot]]:
    found: dict[int, list[Spot]] = {}
    for related, at in zip(placed.related, (each.at for each in placed.finding.places), strict=True):
        if related.cause:
            found.setdefault(related.cause, []).append((at.file, at.document, at.path))
    return found


def group_of(placed: Placed, result: Result) -> str:
    text = f"{placed.finding.message} {placed.finding.cause}"
    names = [group.name for group in result.groups if group.name in text]
    names += [group.name for group in result.groups if any(role.name.split("/")[0] in text for role in group.roles)]
    return names[0] if names else ""


def refuted(result: Result, rule: str, group: str, snapshot: str) -> bool:
    if rule in FOR_ALL or rule in FLOWS or not group:
        return any(
            each.finding.rule in FLOWS.get(rule, {rule})
            and group in each.finding.message
            and snapshot in each.finding.snapshots
            for each in result.findings
        )
    (verdict,) = [each for each in result.groups if each.name == group and each.snapshot == snapshot]
    return verdict.exists is Answer.REFUTED


@pytest.mark.parametrize("folder", COUNTED, ids=lambda folder: folder.name)
def test_with_all_else_dropped_the_group_is_still_refuted_and_dropping_one_more_ends_it(
    folder: Path, tmp_path: Path
) -> None:
    irreducible(copied(folder, tmp_path / "whole" / "repository"), tmp_path)


def irreducible(root: Path, tmp_path: Path) -> int:
    """Try every cause of every finding; how many there were."""
    tried = 0
    result = check([root])
    manifests = Manifests(root)
    everything = set(manifests.removable())
    for number, placed in enumerate(result.findings):
        for cause, places in causes(placed).items():
            group, snapshot = group_of(placed, result), placed.finding.snapshots[0]
            zones = [each.viable_zones for each in result.groups if each.name == group and each.snapshot == snapshot]
            if any("networkPolicy" in path for _, _, path in places):
                continue  # an operator makes the policy: the files hold no entry to take away
            pins = {place for place in places if place not in everything}
            assert not pins or placed.finding.rule in FOR_ALL, f"{pins} of {placed.finding.rule} is nothing removable"

            def left_with(kept: set[Spot], name: str, zone: str) -> bool:
                target = tmp_path / name / "repository"
                manifests.written_without(everything - kept, target, zone)
                return refuted(check([target]), placed.finding.rule, group, snapshot)  # noqa: B023 (called at once)

            name = f"{number}-{cause}"
            assert left_with(set(places), name, ""), f"{placed.finding.rule}: {places} do not suffice"
            for index, place in enumerate(places):
                zone = zones[0][0] if place in pins else ""
                kept = set(places) - ({place} if place not in pins else set())
                assert not left_with(kept, f"{name}-{index}", zone), f"{placed.finding.rule}: {place} is not needed"
            tried += 1
    return tried


@pytest.mark.parametrize("folder", WORLDS, ids=lambda folder: folder.name)
def test_every_refuted_group_has_a_cause(folder: Path, tmp_path: Path) -> None:
    root = copied(folder, tmp_path / "repository")
    if any("networking.gke.io/interfaces" in path.read_text("utf-8") for path in root.rglob("*.yaml")):
        return  # GKE asks for the networks: no place in the files does
    result = check([root])
    for group in result.groups:
        if group.answer is Answer.REFUTED:
            told = [each for each in result.findings if group.snapshot in each.finding.snapshots]
            assert any(causes(each) or each.finding.rule in BY_OBJECTS for each in told), group.name
