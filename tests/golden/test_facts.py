"""What is read of the cases before anything is proved: pods, Services, flows, gangs, nodes, entries of policies.

The files that are there say of which cases: together these hold every kind and nearly every field that the cases know.
Without a renderer: charts and kustomizations are told by the reports.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import snapshots
from tests.golden.facts import told
from tests.golden.golden import HERE, agree
from tests.golden.test_cases import CASES

from trainlint.facts.facts import Facts

GOLDEN = HERE / "facts"
FILES = sorted(GOLDEN.rglob("*.txt"))


def said(folder: Path) -> str:
    root = folder / "head" if (folder / "head").is_dir() else folder
    files = {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8", errors="replace")
        for file in sorted(root.rglob("*"))
        if file.suffix in {".yaml", ".yml", ".json"} and file.name != "case.yaml"
    }
    lines = []
    for name, made in snapshots(files).items():
        lines += [
            f"snapshot {name}: {made.why}",
            *told(made.settings, "settings"),
            *told(made.namespaces, "namespaces"),
        ]
        lines += [*told(made.workloads, "workloads"), *told(made.inventories, "inventories")]
        lines += [*told(Facts(made).policies.entries, "policies")]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("file", [pytest.param(each, id=str(each.relative_to(GOLDEN))) for each in FILES])
def test_what_is_read_of_a_case_is_what_the_golden_file_says(file: Path, update: bool) -> None:
    agree(file, said(CASES / file.relative_to(GOLDEN).with_suffix("")), update=update)
