"""``python -m tests.bench``: how long trainlint takes, by stage, cold, at 2, 4 and 10 times the size, and to start."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.devices import DEVICES, GROUPS, NODES, build_devices
from tests.bench.growth import show_growth_table
from tests.bench.processes import Cost, interleaved
from tests.bench.proofs import show_proofs
from tests.bench.repository import Size, build, build_files, build_small
from tests.bench.stages import run_stages
from tests.bench.verdicts import LABEL_SETS, NAMESPACES, Timing, time_verdicts

TARGET = 2.0
START = 2.5
HOOK = 1.0
DEVICE_TIMES = 2.0
MANIFESTS = 2000
POLICIES = (2000, 4000)

CLI = "from trainlint.cli.main import main; main()"
BASELINE = "import networkx, pydantic"
IDENTITY = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="trainlint-bench-") as folder:
        once, twice, small, caches = (Path(folder) / name for name in ("once", "twice", "small", "caches"))
        show_size(build(once, options.scale))
        build(twice, 2 * options.scale)
        build_small(small)
        # Before anything is run in this process: on Linux a child's peak memory counts from that of its parent.
        sizes = [python(CLI, "check", "--no-cache", str(each)) for each in (once, twice)]
        show_growth(*interleaved(sizes, options.runs, caches))
        starts = [python(BASELINE), python(CLI, "--version"), python(CLI, "check", "--no-cache", str(small))]
        show_start(*interleaved(starts, 2 * options.runs + 1, caches))
        show_hooks(Path(folder), options.runs, caches)
        show_growth_table(Path(folder), max(1, options.runs // 3), caches)
        show_devices(Path(folder), options.runs, caches)
        show_stages(once)
        show_proofs()
        show_verdicts(*(min((time_verdicts(n) for _ in range(3)), key=lambda t: t.total) for n in POLICIES))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="1 is 1,000 training pods and 20 MB (default)")
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each number (default 5)")
    return parser.parse_args()


def show_hooks(folder: Path, runs: int, caches: Path) -> None:
    """The commands of the hooks for pre-commit in a repository of 2,000 manifests, without the cache and with it."""
    root = folder / "manifests"
    build_files(root, MANIFESTS)
    for command in (["init", "-q"], ["add", "-A"], [*IDENTITY, "commit", "-q", "-m", "manifests"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    os.environ["TRAINLINT_CACHE_DIR"] = str(folder / "readings")
    checks = [["--no-cache"], [], ["--base", "HEAD"]]
    costs = interleaved([python(CLI, "check", *each, str(root)) for each in checks], runs, caches)
    print(f"hooks, {MANIFESTS:,} manifests  wall s   CPU s   (medians of {runs})")
    for name, cost in zip(("without the cache", "trainlint", "trainlint-changed"), costs, strict=True):
        print(f"{name:23} {cost.wall:7.3f} {cost.cpu:7.3f}")
    slowest = max(costs[1:], key=lambda cost: cost.cpu)
    met = "met" if slowest.wall < HOOK else "met by its CPU time only" if slowest.cpu < HOOK else "missed"
    print(f"target: second runs under {HOOK:g} s: {met}\n")


def show_devices(folder: Path, runs: int, caches: Path) -> None:
    """Groups with claims of devices, and the same ones with an extended resource."""
    plain, claiming = folder / "extended", folder / "claims"
    build_devices(plain, claims=False)
    build_devices(claiming, claims=True)
    commands = [python(CLI, "check", "--no-cache", str(each)) for each in (plain, claiming)]
    without, with_ = interleaved(commands, runs, caches)
    times = with_.cpu / without.cpu
    met = "met" if times < DEVICE_TIMES else "missed"
    print(f"claims of devices: {NODES} nodes with {DEVICES} devices, {GROUPS} groups: {with_.cpu:.2f} s of CPU,")
    print(f"{without.cpu:.2f} s without claims; {times:.2f} times (target: under {DEVICE_TIMES:g}): {met}\n")


def show_verdicts(once: Timing, twice: Timing) -> None:
    print(f"policies alone: {LABEL_SETS:,} distinct sets of labels in {NAMESPACES} namespaces, all pairs of one asked")
    print("policies   reading s  pods s  asking s   sum s   (CPU, best of 3)")
    for each in (once, twice):
        print(f"{each.policies:8} {each.reading:11.3f} {each.pods:7.3f} {each.asking:9.3f} {each.total:7.3f}")
    met = "met" if once.total < TARGET else "missed"
    print(f"growth {twice.total / once.total:.2f}x; target: under {TARGET:g} s: {met}\n")


def show_size(size: Size) -> None:
    print(f"{size.pods} training pods in {size.groups} groups; {size.files} files, {size.bytes / 1e6:.1f} MB\n")


def show_stages(root: Path) -> None:
    stages = run_stages(root)
    total = sum(stages.seconds.values())
    print("stage        CPU s   share")
    for name, seconds in stages.seconds.items():
        print(f"{name:11} {seconds:6.3f}  {seconds / total:6.1%}")
    print(f"{'sum':11} {total:6.3f}")
    print(", ".join(f"{count} {what}" for what, count in stages.counts.items()) + "\n")


def show_growth(once: Cost, twice: Cost) -> None:
    print(f"fresh process        wall s   CPU s   peak MB   (medians of {once.runs})")
    for name, cost in (("the repository", once), ("twice the size", twice)):
        print(f"{name:19} {cost.wall:7.2f} {cost.cpu:7.2f} {cost.peak / 1e6:9.0f}")
    print(f"growth              {twice.wall / once.wall:6.2f}x {twice.cpu / once.cpu:6.2f}x")
    met = "met" if once.wall < TARGET else "met by its CPU time only" if once.cpu < TARGET else "missed"
    print(f"target: under {TARGET:g} s cold: {met}\n")


def show_start(baseline: Cost, version: Cost, small: Cost) -> None:
    print(f"start-up             wall s   CPU s   (medians of {small.runs})")
    print(f"baseline            {baseline.wall:7.3f} {baseline.cpu:7.3f}   python -c {BASELINE!r}")
    for name, cost in (("trainlint --version", version), ("check of 20 files", small)):
        wall, cpu = cost.wall / baseline.wall, cost.cpu / baseline.cpu
        verdict = "met" if cpu <= START else "missed"
        seconds = f"{cost.wall:7.3f} {cost.cpu:7.3f}"
        print(f"{name:19} {seconds}   {wall:.2f} and {cpu:.2f} times (at most {START:g}): {verdict}")
    print()


if __name__ == "__main__":
    main()
