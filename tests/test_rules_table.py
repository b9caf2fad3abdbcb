"""The table in rules/README.md says what the rules say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

RULES = Path(__file__).parent.parent / "rules"


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=False)


def test_the_table_is_up_to_date() -> None:
    done = run(RULES / "table.py", "--check")
    assert done.returncode == 0, done.stderr


def test_a_table_that_drifted_is_noticed_and_fixed(tmp_path: Path) -> None:
    script = Path(shutil.copy(RULES / "table.py", tmp_path))
    readme = Path(shutil.copy(RULES / "README.md", tmp_path))
    assert run(script).returncode == 0
    right = readme.read_text(encoding="utf-8")
    readme.write_text(right.replace("| error |", "| note |", 1), encoding="utf-8")
    assert run(script, "--check").returncode == 1
    assert run(script).returncode == 0
    assert readme.read_text(encoding="utf-8") == right


def test_links_of_the_table_lead_to_the_pages() -> None:
    text = (RULES / "README.md").read_text(encoding="utf-8")
    links = [part.partition(")")[0] for part in text.split("](")[1:]]
    assert len(links) > 10
    assert [link for link in links if not (RULES / link).is_file()] == []
