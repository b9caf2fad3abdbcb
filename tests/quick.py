"""``python -m tests.quick [RULE...]`` (``make quick RULE=name``): what concerns some rules, in under a minute.

Without a name: the rules whose files, cases or tests changed, or that import a changed module of trainlint; with them
the tests that changed, and those of changed modules. What changed is what Git sees beside the upstream branch, or
beside the last commit where there is none. ``--update-golden`` writes the golden files of these rules anew.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from trainlint.rule import Rule, all_rules

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
REPAIRS = "tests/fix/test_case_repairs.py"
REPAIR_TESTS = (
    "test_the_repairs_of_a_case_are_those_of_its_marker",
    "test_unsafe_fixes_end_the_findings_bring_no_others_and_touch_nothing_else",
)


def changed() -> set[str]:
    """The files that differ from upstream, or from the last commit where there is none; by path from the root."""
    upstream = _git("rev-parse", "--verify", "--quiet", "@{upstream}").strip()
    names = _git("diff", "--name-only", "--diff-filter=d", upstream or "HEAD")
    return {*names.splitlines(), *_git("ls-files", "--others", "--exclude-standard").splitlines()}


def concerned(files: Iterable[str]) -> tuple[list[Rule], list[str]]:
    """The rules and the test files that a change of ``files`` concerns."""
    by_source = {source_of(rule): rule for rule in all_rules()}
    by_name = {rule.name: rule for rule in all_rules()}
    rules: dict[str, Rule] = {}
    tests = []
    for file in sorted(files):
        parts = file.split("/")
        source = next((each for each in (file, "/".join(parts[:4])) if each in by_source), None)
        if source is not None:
            rules[source] = by_source[source]
        elif file.startswith("tests/cases/") and len(parts) > 3 and parts[3].partition("--")[0] in by_name:
            rule = by_name[parts[3].partition("--")[0]]
            rules[source_of(rule)] = rule
        elif file.startswith("tests/") and parts[-1].startswith("test_") and file.endswith(".py"):
            tests.append(file)
        elif file.startswith("lint/trainlint/") and file.endswith(".py"):
            rules |= {each: by_source[each] for each in _importers(module_of(file), by_source)}
            tests += _tests_of(parts)
    return [rules[source] for source in sorted(rules)], sorted(set(tests))


def source_of(rule: Rule) -> str:
    """The module or the folder of a built-in rule, by path from the root."""
    path = f"rules/{rule.module.replace('.', '/')}"
    return path if (ROOT / path).is_dir() else f"{path}.py"


def module_of(file: str) -> str:
    """The import name of a file below ``lint/``."""
    return file.removeprefix("lint/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _importers(module: str, sources: Iterable[str]) -> Iterator[str]:
    """The sources of rules that import a module of trainlint."""
    for source in sources:
        path = ROOT / source
        trees = (
            ast.parse(each.read_text(encoding="utf-8")) for each in (path.rglob("*.py") if path.is_dir() else [path])
        )
        nodes = (node for tree in trees for node in ast.walk(tree))
        if any(isinstance(node, ast.ImportFrom) and node.module == module for node in nodes):
            yield source


def _tests_of(parts: list[str]) -> list[str]:
    """The tests that bear the name of a module of ``lint/trainlint``."""
    folder, name = ROOT / "tests" / parts[2], parts[-1].removesuffix(".py").strip("_")
    return [path.relative_to(ROOT).as_posix() for path in sorted(folder.rglob(f"test_{name}*.py"))]


def selected(rules: Iterable[Rule]) -> list[str]:
    """The ids of the tests of some rules: their examples, golden files, cases with repairs, and own tests."""
    chosen = []
    for rule in rules:
        name, category = rule.name, rule.category
        examples = (f"{name}-{role}-{number}" for role, number in _examples(rule))
        chosen += [f"tests/test_rule_examples.py::test_example[{each}]" for each in examples]
        chosen.append(
            f"tests/golden/test_examples.py::test_the_bad_examples_of_a_rule_say_what_the_golden_file_says[{name}]"
        )
        for case in sorted((ROOT / "tests" / "cases" / category).glob(f"{name}--*/case.yaml")):
            label = f"{category}/{case.parent.name}"
            chosen.append(f"tests/cases/test_cases.py::test_case[{label}]")
            chosen.append(f"tests/golden/test_cases.py::test_a_case_is_told_as_the_golden_file_says[{label}.json]")
            if not (case.parent / "base").is_dir():
                chosen += [f"{REPAIRS}::{test}[{case.parent.name}]" for test in REPAIR_TESTS]
        own = ROOT / "tests" / "rules" / category / f"test_{name.replace('-', '_')}.py"
        chosen += [own.relative_to(ROOT).as_posix()] if own.is_file() else []
    return chosen


def _examples(rule: Rule) -> Iterator[tuple[str, int]]:
    """Role and number of each example of a page, as ``tests/test_rule_examples.py`` counts them."""
    blocks = [line.split()[1] for line in rule.page.splitlines() if line.startswith("```yaml ")]
    return ((role, number) for number, role in enumerate(blocks) if role in {"bad", "good"})


def main(arguments: list[str]) -> int:
    """Run what is concerned; the exit code is that of the first program that fails, 2 for an unknown rule."""
    options = [each for each in arguments if each.startswith("--")]
    names = [each for each in arguments if each not in options]
    known = {rule.name: rule for rule in all_rules()}
    wanted = [name.rpartition("/")[2] for name in names]
    if unknown := [name for name in wanted if name not in known]:
        sys.stderr.write(f"no such rule: {', '.join(unknown)}\n")
        return 2
    rules, tests = ([known[name] for name in wanted], []) if names else concerned(changed())
    chosen = [*selected(rules), *(test for test in tests if (ROOT / test).is_file())]
    if not chosen:
        sys.stdout.write("nothing has changed that concerns a rule: make quick RULE=name\n")
        return 0
    sys.stdout.write(f"{len(rules)} rules: {', '.join(rule.name for rule in rules)}\n")
    files = [source_of(rule) for rule in rules]
    steps = [["ruff", "check", *files], ["ruff", "format", "--check", *files], ["mypy", *files]] if files else []
    for program, *rest in [*steps, ["pytest", "-q", "--no-header", *options, *chosen]]:
        done = subprocess.run([BIN / program, *rest], cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
    return 0


def _git(*arguments: str) -> str:
    """What Git says; nothing where it fails."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
