"""``python -m tests.mutation --seed S --points N``: how many small faults of the program the tests notice.

A point is drawn from all of ``lint/`` and ``rules/``, the change is made in a copy of the tree, and the tests that
reach its lines run until one fails. First, once for a state of the tree, all tests run and say what they reach;
``--reach`` keeps that in a folder. A line for each point goes to the log as JSON; a point that is in the log is not
tried again, so a run that broke off goes on. ``equivalent.txt`` names the changes that change nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.mutation.chosen import Reached, reached
from tests.mutation.points import Point, all_points, compiles, mutated
from tests.mutation.trial import preload, run

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).parent / "equivalent.txt"
SKIPPED = ("bench", "cases", "fuzz", "laws", "mutation", "precommit")
"""Folders of tests without tests of the program, or that measure it."""


def main() -> int:
    options = _options()
    work = Path(options.work)
    tree = work / "tree"
    _copy(ROOT, tree)
    reach = Path(options.reach) if options.reach else work / "reach"
    if not any(reach.glob("*.json")):
        _collect(tree, reach)
    known = reached(reach)
    preload()
    log = Path(options.log) if options.log else work / f"{options.seed}.jsonl"
    done = _done(log)
    _sound(tree, known, options.seconds, work / "pytest.log")
    for point in _drawn(tree, options.seed, options.points, options.only):
        if _is_due(done.get(str(point)), again=options.again):
            answer = _tried(tree, point, known, options.seconds, work / "pytest.log")
            with log.open("a", encoding="utf-8") as out:
                out.write(json.dumps(answer) + "\n")
            print(f"{answer['outcome']:9} {answer['seconds']:5.1f} s  {answer['point']}  {answer['test']}", flush=True)
    return _summary(log)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--only", default="", help="a part of the path of the modules to change")
    parser.add_argument("--seconds", type=float, default=30, help="processor time for the tests of one point")
    parser.add_argument(
        "--work",
        default=str(Path(tempfile.gettempdir()) / "trainlint-mutation"),
        help="where the copy of the tree and the log stand",
    )
    parser.add_argument("--reach", help="the folder that says which test reaches which line")
    parser.add_argument("--again", action="store_true", help="try the points again that the tests did not notice")
    parser.add_argument("--log")
    return parser.parse_args()


def _copy(root: Path, tree: Path) -> None:
    """The files of the tree as Git knows them, with what is not committed yet."""
    if tree.exists():
        shutil.rmtree(tree)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0"):
        if name and (root / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name, follow_symlinks=False)


def _collect(tree: Path, reach: Path) -> None:
    """Run the tests, one folder after the other, and keep what they reach."""
    roots = [str(tree / each) for each in ("lint", "rules", "schemas")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots)}
    folders = [each for each in sorted((tree / "tests").iterdir()) if each.is_dir() and each.name not in SKIPPED]
    for target in (*folders, tree / "tests"):
        name = target.name
        tests = [str(each) for each in sorted(target.glob("test_*.py"))] if name == "tests" else [str(target)]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutation.reach", "-p", "no:cacheprovider"]
        file = reach / f"{name}.json"
        subprocess.run([*command, "--reach", str(file), *tests], cwd=tree, env=environment, check=False)


def _drawn(tree: Path, seed: int, number: int, only: str) -> list[Point]:
    points = [point for point in all_points(tree) if only in point.file]
    random.Random(seed).shuffle(points)
    drawn: list[Point] = []
    for point in points:
        if len(drawn) == number:
            break
        if compiles((tree / point.file).read_bytes(), point):
            drawn.append(point)
    return drawn


def _sound(tree: Path, known: Reached, seconds: float, log: Path) -> None:
    """Raise where tests fail although nothing is changed: all would seem to be noticed."""
    quick = sorted(known.seconds, key=lambda test: known.seconds[test])[:: max(1, len(known.seconds) // 200)]
    outcome, test = run(tree, quick, 10 * seconds, log)
    if outcome != "survived":
        raise SystemExit(f"the tree as it is does not pass: {outcome} {test}; see {log}")


def _tried(tree: Path, point: Point, known: Reached, seconds: float, log: Path) -> dict[str, object]:
    file = tree / point.file
    source, times = file.read_bytes(), file.stat()
    tests = known.tests(point, seconds) or known.nearest(tree, point)
    begun = time.monotonic()
    try:
        file.write_bytes(mutated(source, point))
        os.utime(file, (times.st_mtime + 2, times.st_mtime + 2))
        outcome, test = run(tree, tests, 3 * seconds, log) if tests else ("survived", "no test reaches it")
    finally:
        file.write_bytes(source)
        os.utime(file, (times.st_mtime, times.st_mtime))
    took = round(time.monotonic() - begun, 1)
    return {"point": str(point), "outcome": outcome, "test": test, "tests": len(tests), "seconds": took}


def _is_due(answer: dict[str, object] | None, *, again: bool) -> bool:
    return answer is None or (again and answer["outcome"] == "survived")


def _done(log: Path) -> dict[str, dict[str, object]]:
    """The last answer about each point."""
    if not log.exists():
        return {}
    answers = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return {answer["point"]: answer for answer in answers}


def _change(point: str) -> str:
    """A point without its line, which moves."""
    return re.sub(r"(?<=\.py):\d+", "", point)


def _summary(log: Path) -> int:
    """Print the score by package; 1 where it is below 85 percent."""
    equal = {_change(line.partition("  # ")[0]) for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()}
    all_of, noticed = Counter[str](), Counter[str]()
    for name, answer in _done(log).items():
        if _change(name) in equal and answer["outcome"] == "survived":
            continue
        parts = Path(name.partition(":")[0]).parts
        package = parts[2].removesuffix(".py") if parts[0] == "lint" else "rules"
        all_of[package] += 1
        noticed[package] += answer["outcome"] != "survived"
    for package in sorted(all_of):
        print(f"{package:14} {noticed[package]:4} of {all_of[package]:4}")
    total = noticed.total() / max(all_of.total(), 1)
    print(f"{'all':14} {noticed.total():4} of {all_of.total():4}, {total:.0%}")
    return int(total < 0.85)


if __name__ == "__main__":
    sys.exit(main())
