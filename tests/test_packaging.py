"""What is published: the wheel holds everything that runs, and works where there is no source tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import trainlint
from trainlint.rule import all_rules

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.xdist_group("packaging")  # so that one worker builds the wheel for all

SOURCES = {"trainlint": "lint", "trainlint_rules": "rules", "trainlint_schemas": "schemas"}


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def succeed(*command: str | Path, cwd: Path = ROOT) -> str:
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    succeed(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an environment that holds the wheel.

    Under CI its dependencies are installed as a user's would be; elsewhere they are those of this environment, so that
    no network is needed.
    """
    home = tmp_path_factory.mktemp("installed") / "environment"
    succeed(sys.executable, "-m", "venv", "--without-pip", home)
    python = home / "bin" / "python"
    install: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    if os.environ.get("CI"):
        succeed(*install, wheel)
    else:
        succeed(*install, "--no-deps", wheel)
        packages = succeed(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        Path(packages, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return home / "bin"


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def text(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (found,) = (each for each in archive.namelist() if each.endswith(f".dist-info/{name}"))
        return archive.read(found).decode()


def metadata(wheel: Path) -> Message:
    return Parser().parsestr(text(wheel, "METADATA"))


def test_the_wheel_holds_every_file_of_the_three_packages_and_nothing_else(wheel: Path) -> None:
    wanted = {
        path.relative_to(ROOT / folder).as_posix()
        for package, folder in SOURCES.items()
        for path in (ROOT / folder / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names(wheel) if not re.search(r"^[^/]+\.(dist-info|data)/", name)} == wanted


def test_the_wheel_puts_the_manual_page_where_man_looks_and_nothing_else(wheel: Path) -> None:
    data = {name.partition(".data/")[2] for name in names(wheel) if ".data/" in name}
    assert data == {"data/share/man/man1/trainlint.1"}


@pytest.mark.needs("man")
def test_man_finds_the_page_of_the_installed_command(installed: Path) -> None:
    environment = {**os.environ, "PATH": f"{installed}{os.pathsep}{os.environ['PATH']}", "MANPAGER": "cat"}
    environment.pop("MANPATH", None)
    done = subprocess.run(["man", "-w", "trainlint"], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.strip() == str(installed.parent / "share" / "man" / "man1" / "trainlint.1"), done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "trainlint/demo/broken/training.yaml",
        "trainlint/demo/fixed/training.yaml",
        "trainlint/demo/cluster/pools.yaml",
        "trainlint/py.typed",
        "trainlint_rules/py.typed",
        "trainlint_schemas/py.typed",
        "trainlint_schemas/report.json",
    ],
)
def test_the_wheel_holds(wheel: Path, name: str) -> None:
    assert name in names(wheel)


def test_the_wheel_has_the_command_and_the_built_in_rules_as_entry_points(wheel: Path) -> None:
    assert text(wheel, "entry_points.txt").split() == [
        "[console_scripts]",
        "trainlint",
        "=",
        "trainlint.cli.main:main",
        "[trainlint.rules]",
        "builtin",
        "=",
        "trainlint_rules",
    ]


def test_version_and_licence_are_those_of_the_sources(wheel: Path) -> None:
    head = metadata(wheel)
    assert head["Version"] == trainlint.__version__
    assert head["License-Expression"] == "Apache-2.0"
    assert head["Requires-Python"] == ">=3.11"
    assert "Apache License" in text(wheel, "licenses/LICENSE")


def test_the_installed_demo_shows_the_failing_state_and_the_fixed_one(installed: Path, tmp_path: Path) -> None:
    output = succeed(installed / "trainlint", "demo", cwd=tmp_path)
    failing, fixed = output.split("== the fixed state ==")
    assert "error[no-viable-zone]" in failing
    assert "error[flow-denied]" in failing
    assert "no findings; 1 group: 1 proved" in fixed


def test_the_installed_package_runs_as_a_module_from_its_own_place(installed: Path, tmp_path: Path) -> None:
    python = installed / "python"
    assert succeed(python, "-m", "trainlint", "--version", cwd=tmp_path) == f"trainlint {trainlint.__version__}\n"
    place = succeed(python, "-c", "import trainlint; print(trainlint.__file__)", cwd=tmp_path)
    assert place.startswith(str(installed.parent))


def test_the_installed_command_knows_every_rule(installed: Path, tmp_path: Path) -> None:
    output = succeed(installed / "trainlint", "rule", cwd=tmp_path)
    assert {rule.name for rule in all_rules()} <= set(output.split())


def test_the_installed_command_finds_what_is_wrong(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("kind: Job\nmetadata: {name: [}\n", encoding="utf-8")
    done = run(installed / "trainlint", "check", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[syntax-error]" in done.stdout
