"""docs/rules and man/trainlint.1 are what rules and commands say (docs/generate.py)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown_it import MarkdownIt

from trainlint.rule import all_rules

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "rules").rglob("*.md"))


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = root / "docs" / "generate.py"
    return subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=False)


def test_every_page_is_up_to_date() -> None:
    done = run(ROOT, "--check")
    assert done.returncode == 0, done.stderr


def test_pages_that_drifted_are_noticed_and_fixed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(ROOT / "man", tmp_path / "man")
    page = tmp_path / "docs" / "rules" / "topology" / "no-viable-zone.md"
    right = page.read_text(encoding="utf-8")
    page.write_text(right.replace("zone", "area"), encoding="utf-8")
    old = page.with_name("rule-of-old.md")
    old.write_text("gone", encoding="utf-8")
    (tmp_path / "man" / "trainlint.1").unlink()
    done = run(tmp_path, "--check")
    assert done.returncode == 1
    named = {line.partition(" is not")[0] for line in done.stderr.splitlines()}
    assert named == {"docs/rules/topology/no-viable-zone.md", "docs/rules/topology/rule-of-old.md", "man/trainlint.1"}
    assert run(tmp_path).returncode == 0
    assert page.read_text(encoding="utf-8") == right
    assert not old.exists()
    assert run(tmp_path, "--check").returncode == 0


def test_every_rule_has_its_page_in_the_folder_of_its_category() -> None:
    found = {path.relative_to(ROOT / "docs" / "rules").as_posix() for path in PAGES}
    assert found == {"README.md", *(f"{rule.category}/{rule.name}.md" for rule in all_rules())}


def test_links_lead_to_files() -> None:
    dead = [
        f"{path.name}: {link}"
        for path in PAGES
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
        if not (path.parent / link).is_file()
    ]
    assert dead == []


def test_pages_are_headings_prose_and_manifests() -> None:
    """A word in angle brackets would be markup that is not shown, an indented line a block of code."""
    reader = MarkdownIt("commonmark").enable("table")
    for path in PAGES:
        tokens = reader.parse(path.read_text(encoding="utf-8"))
        inside = [child.type for token in tokens for child in token.children or ()]
        odd = {"html_block", "code_block"} & {token.type for token in tokens} | {"html_inline", "image"} & set(inside)
        assert not odd, path
        assert [token.content for token in tokens if token.type == "fence" and token.info != "yaml"] == [], path
        assert [token.tag for token in tokens].count("h1") == 2, path  # the opening and the closing one
