"""The table of groups agrees with the findings: no group can run beside a proven error that says that it never does."""

from __future__ import annotations

import pytest
from tests.laws.worlds import WORLDS, result_of, world

from trainlint.finding import Certainty, Severity
from trainlint.model.known import Answer

OF_PLACEMENT = {"split-cut-by-policy", "stranded-by-affinity"}
"""Errors about one of several placements: the group can run, and ``for all`` is refuted (design, section 1)."""
RUNS_ALL_THE_SAME = {"accelerator-shape-mismatch", "duplicate-key"}
"""Errors beside which a group may run: MIG slices that stay idle, and a key of which the API server keeps the last."""
CAN_RUN = {Answer.PROVED, Answer.CONDITIONAL}


@pytest.mark.parametrize("name", WORLDS)
def test_no_group_can_run_beside_an_error_that_says_that_it_never_runs(name: str) -> None:
    """An error is about a group where it stands in an object of it. What runs in one overlay and not in another has an
    answer for each. Exceptions: ``OF_PLACEMENT``, which refute ``for all``, ``RUNS_ALL_THE_SAME``, and elastic jobs
    with more pods than may join, which train at their smaller size (decision 3).
    """
    files = world(name)
    if files is None:
        pytest.skip("it compares two revisions")
    result = result_of(files)
    refuted = {each.name for each in result.groups if each.exists is Answer.REFUTED}
    badly = {each.name for each in result.groups if each.for_all is Answer.REFUTED}
    for group in result.groups:
        if group.exists not in CAN_RUN or group.name in refuted:
            continue
        own = {(role.at.file, role.at.document) for role in group.roles if role.at is not None}
        errors = {
            each.finding.rule
            for each in result.findings
            if each.finding.severity is Severity.ERROR
            and each.finding.certainty is Certainty.PROVEN
            and (each.finding.at.file, each.finding.at.document) in own
            and not (each.finding.rule == "elastic-policy-invalid" and "maxReplicas" in each.finding.evidence)
        }
        assert errors <= RUNS_ALL_THE_SAME | OF_PLACEMENT, group.name
        assert not errors & OF_PLACEMENT or group.name in badly
