"""``python -m tests.mutation --seed S --points N``: how many small faults of the program the tests notice.

A point is drawn from all of ``lint/`` and ``rules/``, the change is made in a copy of the tree, and the tests that
reach it run until one fails. Probes before all points of the run tell what tests reach, while every test runs once;
only files of tests that changed run again. A line for each point goes to the log as JSON; a point that is in the log is
not tried again, so a run that broke off goes on. ``equivalent.txt`` names the changes that change nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mutation.results import Results

ROOT = Path(__file__).parents[2]
PARTS = ("lint", "rules", "schemas")


def main() -> int:
    options = _options()
    work = Path(options.work)
    tree = work / "tree"
    log = Path(options.log) if options.log else work / f"{options.seed}.jsonl"
    if not options.summary:
        _copy(ROOT, tree)
        roots = [str(tree / each) for each in PARTS]
        # CI: the examples of hypothesis are always the same
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots), "CI": "true"}
        given = {"seed": options.seed, "points": options.points, "seconds": options.seconds, "only": options.only}
        given |= {"log": log, "work": work}
        command = [sys.executable, "-m", "tests.mutation.loop", *(f"--{name}={each}" for name, each in given.items())]
        command += [f"--{name}" for name in ("again", "unreached") if getattr(options, name)]
        subprocess.run([*command, *options.tests], cwd=tree, env=environment, check=True)
        if options.unreached:
            return 0
    return Results(log).summary()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("tests", nargs="*", default=["tests"], help="the tests that are loaded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--only", default="", help="a part of the path of the modules to change")
    parser.add_argument("--seconds", type=float, default=30, help="processor time for the tests of one point")
    parser.add_argument(
        "--work",
        default=str(Path(tempfile.gettempdir()) / "trainlint-mutation"),
        help="where the copy of the tree and the log stand, outside of any repository",
    )
    parser.add_argument("--again", action="store_true", help="try the points again that the tests did not notice")
    parser.add_argument("--unreached", action="store_true", help="print the points of all that no test reaches")
    parser.add_argument("--log")
    parser.add_argument("--summary", action="store_true", help="only say what the log holds")
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


if __name__ == "__main__":
    sys.exit(main())
