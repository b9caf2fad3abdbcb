"""``python -m tests.cases FOLDER...``: run cases (or folders of cases) and print what does not agree."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cases.runner import run_case

failed = total = 0
for argument in sys.argv[1:]:
    for case in sorted(Path(argument).rglob("case.yaml")):
        total += 1
        problems = run_case(case.parent).problems
        if problems:
            failed += 1
            print(f"{case.parent.parent.name}/{case.parent.name}")
            for problem in problems:
                print(f"    {problem}")
print(f"{total - failed} of {total} pass")
sys.exit(1 if failed else 0)
