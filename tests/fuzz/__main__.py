"""``python -m tests.fuzz``: mutated repositories, and the laws that hold of all of them."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.fuzz.laws import Breach
from tests.fuzz.mutations import recipe
from tests.fuzz.run import Failed, Summary, apart, fuzz, sample_of
from tests.fuzz.shrink import save

SHOWN = 5


def main() -> None:
    options = arguments()
    kinds: set[str] = set()

    def tell(failed: Failed) -> None:
        new = [each for each in failed.breaches if each.kind not in kinds]
        for each in new:
            kinds.add(each.kind)
            print(f"{options.seed} {failed.number}: {each.law}: {each.text[:500]}", flush=True)
        if new and options.save:
            saved(options.save, options.seed, failed.number, tuple(new))

    summary = fuzz(options.seed, options.count, options.seconds, tell, options.first)
    show(summary, options.seed)
    sys.exit(bool(summary.failed))


def saved(folder: Path, seed: str, number: int, new: tuple[Breach, ...]) -> None:
    """Shrink what fails and write it, in a child: it may take much memory, or end the process."""
    with tempfile.TemporaryDirectory() as work:
        made = recipe(seed, number)
        child = apart(lambda: save(folder, number, made, new, sample_of(number), Path(work)))
        os.waitpid(child, 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", default="0", help="which repositories: equal seeds make equal ones (default 0)")
    parser.add_argument("--count", type=int, default=1 << 60, help="repositories at most")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="seconds at most")
    parser.add_argument("--first", type=int, default=0, help="the number of the first repository (default 0)")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write what fails here, one of each kind")
    return parser.parse_args()


def show(summary: Summary, seed: str) -> None:
    """Print the numbers of a run."""
    looked = summary.looked
    number = looked["repository"]
    rate = number / max(summary.seconds, 1e-9)
    print(f"seed {seed}: {number} repositories in {summary.seconds:.0f} s, {rate:.1f} a second")
    print(
        "looked at: " + ", ".join(f"{count} {what}" for what, count in sorted(looked.items()) if what != "repository")
    )
    print(f"slowest check: {summary.slowest[0]:.1f} s (repository {summary.slowest[1]})")
    print(f"failed: {len(summary.failed)} repositories")
    for kind, numbers in sorted(summary.kinds.items(), key=lambda pair: -len(pair[1])):
        print(f"  {len(numbers):5} {kind} (repositories {', '.join(map(str, numbers[:SHOWN]))})")


if __name__ == "__main__":
    main()
