"""How the work grows with each thing that a repository has more of, and with all of them together."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from math import log
from pathlib import Path

from tests.bench.processes import Cost, interleaved
from tests.bench.repository import Scales, build_scaled

__all__ = ["AXES", "exponent", "scaled", "show_growth_table"]

AXES = ("pods", "groups", "policies", "nodes", "files")
TIMES = (4, 10)
CPU, MEMORY = 11.0, 8.0
"""Ten times the repository: at most so many times the processor's time and the memory."""
CLI = "from trainlint.cli.main import main; main()"


def scaled(times: float, *axes: str) -> Scales:
    """The scales of a repository with so many times as much of these things, and once of the others."""
    return replace(Scales(), **dict.fromkeys(axes, float(times)))


def exponent(times: float, growth: float) -> float:
    """The power with which the cost grows: 0 is not at all, 1 as the thing itself, 2 with its square."""
    return log(max(growth, 1e-9)) / log(times)


def show_growth_table(folder: Path, runs: int, caches: Path) -> None:
    """Check repositories of 1, 4 and 10 times the things, each by itself and all together, and print the costs."""
    wanted: dict[tuple[str, float], Scales] = {("", 1): Scales()}
    for name, axes in (*((axis, (axis,)) for axis in AXES), ("together", AXES)):
        wanted |= {(name, times): scaled(times, *axes) for times in TIMES}
    costs: dict[tuple[str, float], Cost] = {}
    for number, (key, scales) in enumerate(wanted.items()):
        root = folder / f"growth-{number}"
        build_scaled(root, scales)
        (costs[key],) = interleaved([[sys.executable, "-c", CLI, "check", "--no-cache", str(root)]], runs, caches)
    _show(costs, runs)


def _show(costs: Mapping[tuple[str, float], Cost], runs: int) -> None:
    base = costs["", 1]
    print(f"growth: {base.cpu:.2f} s of CPU and {base.peak / 1e6:.0f} MB at once the size   (medians of {runs})")
    print("more of      4 times: CPU  memory  exponent   10 times: CPU  memory  exponent")
    for name in (*AXES, "together"):
        cells = []
        for times in TIMES:
            cost = costs[name, times]
            growth = cost.cpu / base.cpu
            cells.append(f"{growth:8.2f}x {cost.peak / base.peak:6.2f}x {exponent(times, growth):8.2f}")
        print(f"{name:12} {'     '.join(cells)}")
    largest = costs["together", 10]
    cpu, memory = largest.cpu / base.cpu, largest.peak / base.peak
    met = "met" if cpu <= CPU and memory <= MEMORY else "missed"
    print(f"target: 10 times together at most {CPU:g} times the CPU and {MEMORY:g} times the memory: {met}\n")
