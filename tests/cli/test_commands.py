"""The command itself, the other commands, and the process around them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result as Run

from trainlint import __version__
from trainlint.cli.output import use_color
from trainlint.cli.progress import PATIENCE, Progress

Runner = Callable[..., Run]

HEAVY = {"networkx", "pydantic", "ruamel", "jsonschema", "yaml"}


def process(code: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def test_the_version_is_the_packages(run: Runner) -> None:
    assert run("--version").output == f"trainlint {__version__}\n"


def test_help_names_every_command_in_one_whole_line(run: Runner) -> None:
    text = run("--help").output
    for command in ("check", "demo", "rule"):
        assert f"\n  {command} " in text
    assert "..." not in text.partition("Commands:")[2]


def test_an_unknown_command_is_refused_with_the_nearest_one(run: Runner) -> None:
    outcome = run("chekc")
    assert outcome.exit_code == 2
    assert "there is no command 'chekc'; did you mean 'check'?" in outcome.stderr


def test_without_a_command_the_help_is_shown(run: Runner) -> None:
    assert "Commands:" in run().output


def test_python_dash_m_runs_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "trainlint", "--version"], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == f"trainlint {__version__}\n"


def test_the_version_needs_no_heavy_library() -> None:
    ran = process("import sys, trainlint.cli.main; print(*sorted(sys.modules))")
    assert ran.returncode == 0
    assert not HEAVY & {name.partition(".")[0] for name in ran.stdout.split()}


@pytest.mark.parametrize("watch", ["", "sys.setprofile(lambda *_: None)"], ids=["at once", "in the usual way"])
def test_the_process_ends_with_its_exit_code_and_what_was_registered_for_the_end(watch: str) -> None:
    start = f"import atexit, sys; atexit.register(print, 'bye'); sys.argv = ['trainlint', 'none']; {watch}"
    ran = process(f"{start}\nfrom trainlint.cli.main import main\nmain()")
    assert (ran.returncode, ran.stdout) == (2, "bye\n")
    assert "there is no command 'none'" in ran.stderr


def test_the_rules_are_listed(run: Runner) -> None:
    text = run("rule").output
    assert "policy\n\n  rule         severity  finds\n  flow-denied  error     One line.\n" in text
    assert "  soft-colocation  note      One line.\n" in text


@pytest.mark.parametrize("name", ["flow-denied", "error[flow-denied]", "[flow-denied]"])
def test_a_rule_is_explained_by_its_name_as_it_stands_in_a_report(run: Runner, name: str) -> None:
    assert run("rule", name).output == "flow-denied (policy, error)\n\nOne line.\n\nMore lines.\n"


def test_an_unknown_rule_is_wrong_usage_with_the_nearest_name(run: Runner) -> None:
    outcome = run("rule", "flow-deneid")
    assert outcome.exit_code == 2
    assert outcome.stderr == "trainlint: there is no rule 'flow-deneid'; did you mean 'flow-denied'?\n"


@pytest.mark.parametrize(
    ("terminal", "choice", "variables", "colour"),
    [
        (True, "auto", {}, True),
        (True, "auto", {"NO_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": ""}, True),
        (True, "auto", {"TERM": "dumb"}, False),
        (True, "never", {}, False),
        (False, "auto", {}, False),
        (False, "always", {"NO_COLOR": "1"}, True),
    ],
)
def test_when_colour_is_used(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, choice: str, variables: dict[str, str], colour: bool
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert use_color(choice) is colour


class Terminal:
    """A standard error that remembers what was drawn."""

    def __init__(self, *, terminal: bool) -> None:
        self.terminal = terminal
        self.drawn = ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> None:
        self.drawn += text

    def flush(self) -> None:
        """Nothing is held back."""


@pytest.mark.parametrize(
    ("terminal", "seconds", "visible"),
    [(True, PATIENCE + 0.5, True), (True, PATIENCE / 2, False), (False, PATIENCE + 0.5, False)],
)
def test_progress_is_drawn_on_a_terminal_once_a_run_is_long(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, seconds: float, visible: bool
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stderr = Terminal(terminal=terminal)
    monkeypatch.setattr("sys.stderr", stderr)
    with Progress() as progress:
        progress("read", 0, 8)
        now[0] += seconds
        progress("read", 2, 8)
    assert ("read [######..................] 2/8" in stderr.drawn) is visible
    # What was drawn is wiped away at the end.
    assert stderr.drawn.endswith("\r\x1b[K") is visible


RUN_WITH_FAKE_ENGINE = """
    import sys, types
    engine = types.ModuleType("trainlint.engine")
    sys.modules["trainlint.engine"] = engine
    from trainlint.result import PlacedUnknown, Result
    def check(paths, **options):
        {body}
    engine.check = check
    sys.argv = ["trainlint", "check"]
    from trainlint.cli.main import main
    main()
"""


def test_a_reader_that_leaves_early_is_no_error_and_keeps_the_exit_code() -> None:
    many = 'return Result("/", unknowns=tuple(PlacedUnknown("s", f"m{n}") for n in range(90000)))'
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(RUN_WITH_FAKE_ENGINE.format(body=many))],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_report_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "read-only").touch()
    with (tmp_path / "read-only").open() as unwritable:
        ran = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(RUN_WITH_FAKE_ENGINE.format(body='return Result("/")'))],
            stdout=unwritable,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert ran.returncode == 2
    assert ran.stderr == "trainlint: cannot write to standard output: Bad file descriptor\n"


def test_an_interrupt_ends_with_130_and_without_a_traceback() -> None:
    body = f"import os; os.kill(os.getpid(), {int(signal.SIGINT)})"
    ran = process(RUN_WITH_FAKE_ENGINE.format(body=body))
    assert (ran.returncode, ran.stderr) == (130, "trainlint: interrupted\n")


def test_an_internal_error_of_the_process_is_no_traceback() -> None:
    ran = process(RUN_WITH_FAKE_ENGINE.format(body='raise RuntimeError("\\x1b[31mboom")'))
    assert ran.returncode == 70
    assert ran.stderr.startswith("trainlint: internal error: RuntimeError: \\x1b[31mboom\n")


def test_output_that_is_not_unicode_gets_escapes() -> None:
    body = 'return Result("/", assumptions=("訓練",))'
    ran = process(RUN_WITH_FAKE_ENGINE.format(body=body), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "\\u8a13\\u7df4" in ran.stdout
