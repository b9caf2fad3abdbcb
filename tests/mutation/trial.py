"""One mutant against the tests that reach it, the nearest and quickest first, in a fork of a warm process."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Trial", "preload", "run"]

Trial = tuple[str, str]
"""How it ended (``killed``, ``stalled`` or ``survived``), and the test that failed first."""

LIBRARIES = (
    *("pytest", "_pytest.assertion.rewrite", "hypothesis", "hypothesis.strategies", "hypothesis.extra.pytestplugin"),
    *("networkx", "pydantic", "ruamel.yaml", "yaml", "click.testing", "jsonschema", "pathspec", "json", "sqlite3"),
)
MEMORY = 6 << 30


def preload() -> None:
    """Load what no mutant changes."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            __import__(name)


def run(tree: Path, tests: Sequence[str], seconds: float, log: Path) -> Trial:
    """Run the tests in ``tree`` until one fails; ``seconds`` of processor time are enough for all of them."""
    child = os.fork()
    if child == 0:
        _tests(tree, tests, seconds, log)
    status = _waited(child, 8 * seconds + 60)
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}):
        return "stalled", ""
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        return "survived", ""
    failed = [line.split(" ")[1] for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return "killed", failed[0] if failed else text[-300:]


def _tests(tree: Path, tests: Sequence[str], seconds: float, log: Path) -> None:
    """The child: never returns."""
    code = 70
    try:
        os.setsid()
        limit = int(seconds) + 5
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(tree)
        roots = [str(tree / each) for each in ("lint", "rules", "schemas")]
        sys.path[:0] = [str(tree), *roots]
        os.environ["PYTHONPATH"] = os.pathsep.join(roots)
        import pytest  # noqa: PLC0415 (warm)

        options = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:xdist", "-rfE"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = int(pytest.main([*options, *tests]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _waited(child: int, seconds: float) -> int | None:
    """The status of the child, or ``None`` where it takes longer and is ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
