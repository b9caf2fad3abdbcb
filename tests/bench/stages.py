"""How long each stage of one run takes, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from trainlint.engine import check
from trainlint.facts.facts import Facts
from trainlint.model.settings import Settings
from trainlint.report import Options, reporter
from trainlint.rule import Repository, all_rules
from trainlint.snapshot.build import build_snapshots
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.repository import read_repository
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read_file

__all__ = ["Stages", "run_stages"]

T = TypeVar("T")


@dataclass
class Stages:
    """CPU seconds of each stage, in the order in which a run goes through them; ``counts`` says what came out."""

    seconds: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def take(self, name: str, work: Callable[[], T]) -> T:
        start = time.process_time()
        value = work()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start
        return value


def run_stages(root: Path) -> Stages:
    """Everything that ``trainlint check`` does, stage by stage as the engine does it."""
    stages = Stages()
    world = stages.take("discover", lambda: discover([root]))
    kinds = KindFilter(READ_KINDS)
    readings = stages.take("read", lambda: [read_file(file, kinds) for file in world.files])
    names = [file.name for file in world.files]
    repository = stages.take("repository", lambda: read_repository(readings, names, world.real))
    snapshots = stages.take("snapshots", lambda: build_snapshots(repository, (Settings(),)))
    facts = [Facts(snapshot) for snapshot in snapshots]
    stages.take("policies", lambda: [each.policies for each in facts])
    stages.take("scheduling", lambda: [each.placement.feasibilities for each in facts])
    proofs = stages.take("proofs", lambda: [proof for each in facts for proof in each.proofs])
    for rule in stages.take("load rules", all_rules):
        for seen in [repository] if rule.sees is Repository else facts:
            if isinstance(seen, rule.sees):
                stages.take("rules", lambda rule=rule, seen=seen: list(rule.check(seen)))  # type: ignore[misc]
    result = check([root])
    stages.take("report", lambda: reporter("text")(result, Options()))
    stages.counts = {
        "documents read": sum(len(reading.documents) for reading in readings),
        "objects": len(repository.objects),
        "groups": len(proofs),
        "findings": len(result.findings),
    }
    return stages
