"""Hostile repositories are checked within limits of processor time and memory that the system itself enforces."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.inputs import INPUTS
from tests.hostile.inputs.clusters import HELD
from tests.hostile.inputs.made import isolating, job, joined, node
from tests.hostile.inputs.policies import NODES
from tests.source.repositories import write

from trainlint.engine.check import check
from trainlint.facts import prover

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")

SECONDS, MEMORY = 20, 2 << 30
"""Of each process; what is mapped counts as memory here, which is more than what is held."""


def checked(home: Path, *options: str) -> dict[str, Any]:
    """The JSON report of a run that keeps to the limits."""
    import resource  # noqa: PLC0415 (not on Windows)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    command = [sys.executable, "-I", "-m", "trainlint", "check", ".", "--output=json", "--no-cache", *options]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert done.returncode in (0, 1), (done.returncode, done.stderr[-2000:])
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize(
    "name",
    [
        "4,000 zones, none fits",
        "50 jobs and 50 isolating policies",
        "3,000 ports, repairs",
        "5,000 peers, repairs",
        "100 tasks against 1,000 policies",
        "a worker group 50 times",
        "a flow sequence of 100,000 maps",
        "a flow sequence of 100,000 containers",
        "50 jobs and 50 isolating policies, repairs",
        "a job 60 times",
        "a CRD of 200,000 fields",
        "a CRD with rules that loop three times over 200 numbers",
        "a CRD of aliases of aliases",
    ],
)
def test_inputs_that_took_minutes_or_gigabytes(tmp_path: Path, name: str) -> None:
    made = INPUTS[name]
    write(tmp_path, made.files())
    checked(tmp_path, *made.options)


def test_more_zones_that_policies_tell_apart_than_can_be_looked_at_are_unknown(tmp_path: Path) -> None:
    write(tmp_path, INPUTS["4,000 zones that policies name"].files())
    (group,) = checked(tmp_path)["groups"]
    assert (group["exists"], group["for_all"]) == ("unknown", "unknown")
    assert "between 4000 zones" in str(group["missing"])


def test_of_many_causes_the_first_are_looked_into(tmp_path: Path) -> None:
    """Forty jobs that the same policies cut off: each has its finding, the first say what forces them."""
    files = {"nodes.yaml": NODES, "policy.yaml": joined(isolating(f"p{n}") for n in range(40))}
    write(tmp_path, {**files, "jobs.yaml": joined(job(f"j{n}") for n in range(40))})
    report = checked(tmp_path, "--select=flow-denied")
    assert len(report["findings"]) == 40
    assert {group["exists"] for group in report["groups"]} == {"refuted"}


def test_the_zone_that_fits_is_found_among_thousands(tmp_path: Path) -> None:
    nodes = joined(node(f"n{n}", f"zone-{n}", 1) for n in range(2000))
    write(tmp_path, {"nodes.yaml": nodes, "big.yaml": node("big", "zone-big"), "job.yaml": job("a", 7, pod=HELD)})
    (group,) = checked(tmp_path)["groups"]
    assert (group["exists"], group["viable_zones"]) == ("proved", ["zone-big"])


def test_more_containers_than_are_read_are_unknown_and_named(tmp_path: Path) -> None:
    """The last of them asks for more than any node has: nothing may be proved without it."""
    many = ", ".join(f"{{name: c{n}, image: x}}" for n in range(1000))
    text = (
        job("a").replace("containers: [", f"containers: [{many}, ").replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 99")
    )
    write(tmp_path, {"nodes.yaml": NODES, "job.yaml": text})
    (group,) = checked(tmp_path)["groups"]
    assert group["exists"] == "unknown"
    assert "containers beyond the first 1,000 of a/Master are not read" in str(group["missing"])


def test_more_groups_than_are_proved_are_unknown_and_the_first_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prover, "STEPS", 1)  # the first proof takes more
    jobs = joined(job(f"j{n}", pod=f"nodeSelector: {{a: b{n}}}") for n in range(4))
    write(tmp_path, {"nodes.yaml": NODES, "jobs.yaml": jobs})
    answers = [str(each.exists) for each in check([tmp_path]).groups]
    assert sorted(answers) == ["refuted", "unknown", "unknown", "unknown"]
