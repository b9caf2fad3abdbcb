"""Of many policies that deny the same, the first are named, and the others are counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.hostile.inputs.made import isolating, job, joined
from tests.hostile.inputs.policies import NODES
from tests.source.repositories import write

from trainlint.engine.check import check
from trainlint.proof.deciding_places import PLACES
from trainlint.result import Placed, Result
from trainlint.wording.verdicts import NAMED
from trainlint_rules.policy.dns_egress_blocked import POLICIES


def denied_by(home: Path, policies: int, jobs: int = 1) -> Result:
    texts = joined(isolating(f"p{n:03}") for n in range(policies))
    write(home, {"nodes.yaml": NODES, "jobs.yaml": joined(job(f"j{n}") for n in range(jobs)), "p.yaml": texts})
    return check([home])


def found(result: Result, rule: str) -> list[Placed]:
    return [each for each in result.findings if each.finding.rule == rule]


@pytest.mark.parametrize("policies", [3, NAMED, NAMED + 5, PLACES + 40])
def test_a_denial_names_the_first_policies_and_counts_the_others(tmp_path: Path, policies: int) -> None:
    result = denied_by(tmp_path, policies)
    (placed,) = found(result, "flow-denied")
    (said,) = set(placed.finding.evidence.values())
    named = said.partition("; ")[0].count("NetworkPolicy ")
    assert named == (policies if policies <= NAMED else NAMED - 2)
    assert (f"and {policies - NAMED + 2} others" in said) == (policies > NAMED)
    assert len(placed.related) <= PLACES + 2


@pytest.mark.parametrize("policies", [POLICIES - 1, POLICIES, POLICIES + 5])
def test_the_first_policies_that_keep_a_group_from_the_dns_have_a_finding_each(tmp_path: Path, policies: int) -> None:
    result = denied_by(tmp_path, policies)
    assert len(found(result, "dns-egress-blocked")) == min(policies, POLICIES)
