"""One run of kustomize over a copy: no network, no programs, no settings of the user, and within limits."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import IO, Final

from trainlint.child_processes import ended, started
from trainlint.source.complaint import complaint
from trainlint.source.copied_files import Closure
from trainlint.source.definitions import without_structures
from trainlint.source.kustomize_program import Program
from trainlint.source.rendering_allowance import MOST_SECONDS, RenderingAllowance
from trainlint.source.sandbox import MAX_HELD, alone, kept_to, limited

__all__ = ["MAX_OUTPUT", "MAX_SECONDS", "BuildError", "build"]

MAX_OUTPUT: Final = 64 << 20
MAX_SECONDS: Final = 120.0
"""Of one root by the clock, on a machine that is busy; its limit is that of the processor's time."""

_UNRESTRICTED: Final = "--load-restrictor=LoadRestrictionsNone"


class BuildError(Exception):
    """Nothing was rendered: the message is kustomize's own, with names as they are in the repository.

    ``directory`` is that of the kustomization at fault, where that is known. ``lasting``: the same files will fail in
    the same way again.
    """

    def __init__(self, why: str, directory: str | None = None, *, lasting: bool = False) -> None:
        super().__init__(why)
        self.directory = directory
        self.lasting = lasting


def build(closure: Closure, program: Program, allowance: RenderingAllowance) -> bytes:
    """What kustomize writes for the root of a closure, apart from the structures of kinds that it defines.

    Raises:
        BuildError: kustomize refuses it, or takes too much.
    """
    slim = without_structures(closure.files)
    if slim:  # definitions of kinds are megabytes, over which kustomize takes seconds
        try:
            return _build(replace(closure, files={**closure.files, **slim}), program, allowance)
        except BuildError as error:
            if not error.lasting:
                raise
    return _build(closure, program, allowance)  # a patch may be about a structure


def _build(closure: Closure, program: Program, allowance: RenderingAllowance) -> bytes:
    try:
        with tempfile.TemporaryDirectory(prefix="trainlint-kustomize-") as name:
            home = Path(os.path.realpath(name))
            copy = home / "copy"
            copy.mkdir()
            _copy(closure, copy)
            options = (_UNRESTRICTED,) if closure.unrestricted else ()
            command = [*program.command, *options, str(copy / closure.root)]
            try:
                return _run([*alone(), *kept_to(home), *command], copy, home, allowance, closure.size)
            except BuildError:
                if _works_confined(program):
                    raise
            return _run(command, copy, home, allowance, closure.size)
    except OSError as error:
        raise BuildError(f"it cannot be copied: {error.strerror or type(error).__name__}") from None


@cache
def _works_confined(program: Program) -> bool:
    """Whether a program starts where it is confined: told by a kustomization of our own, when another one failed.

    Some are starters of others, which need more of the system than a renderer does.
    """
    with tempfile.TemporaryDirectory(prefix="trainlint-kustomize-") as name:
        home = Path(os.path.realpath(name))
        copy = home / "copy"
        copy.mkdir()
        (copy / "kustomization.yaml").write_text("configMapGenerator: [{name: a, literals: [a=b]}]\n", encoding="utf-8")
        try:
            return b"a: b" in _run(
                [*alone(), *kept_to(home), *program.command, str(copy)], copy, home, RenderingAllowance()
            )
        except BuildError:
            return False


def _copy(closure: Closure, home: Path) -> None:
    for name in closure.directories:
        (home / name).mkdir(parents=True, exist_ok=True)
    for name, content in closure.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name, text in closure.links.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(text)


def _run(command: list[str], copy: Path, home: Path, allowance: RenderingAllowance, size: int = 0) -> bytes:
    seconds = allowance.begin(size)
    if not seconds:
        raise BuildError("it was not tried: those before it took all the time of the processor that rendering may take")
    with (home / "errors").open("w+b") as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 (a program that the user installed, no shell)
                command,
                cwd=copy,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(home),
            )
        except OSError as error:
            raise BuildError(f"{command[0]} cannot be started: {error.strerror or error}") from None
        started(process.pid)
        limited(process.pid, seconds)
        late = threading.Event()

        def stop() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(MAX_SECONDS, stop)
        timer.start()
        begun = time.monotonic()
        try:
            output = _output(process.stdout)
        finally:
            timer.cancel()
            _kill(process)
            taken = _ended(process, time.monotonic() - begun)
            allowance.end(taken)
        if late.is_set():
            raise BuildError(f"it takes longer than {MAX_SECONDS:.0f} seconds")
        if len(output) > MAX_OUTPUT:
            raise BuildError(f"it makes more than {MAX_OUTPUT >> 20} MiB", lasting=True)
        if process.returncode and taken >= seconds:
            left = "" if seconds >= MOST_SECONDS else ", which those before it left to it"
            raise BuildError(f"it takes more than {seconds:.1f} seconds of the processor{left}")
        if process.returncode:
            errors.seek(0)
            said = complaint(errors.read(1 << 16).decode("utf-8", "replace"), str(copy))
            raise BuildError(said.message, said.directory, lasting=True)
        return output


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process, and leave it to ``_ended`` to say what it took."""
    if hasattr(os, "wait4"):
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _ended(process: subprocess.Popen[bytes], by_the_clock: float) -> float:
    """Wait for a process: the seconds of the processor that it took, or those of the clock where nothing tells."""
    if not hasattr(os, "wait4"):
        process.wait()
        ended(process.pid)
        return by_the_clock
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended(process.pid)
    return usage.ru_utime + usage.ru_stime


def _output(stream: IO[bytes] | None) -> bytes:
    if stream is None:
        return b""
    with stream:
        return stream.read(MAX_OUTPUT + 1)


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the user's; and where a remote resource was overlooked, there is no git and no way out."""
    nowhere = "http://127.0.0.1:9"
    environment = {
        "HOME": str(home),
        "PATH": "",
        "TMPDIR": str(home),
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "KUBECONFIG": os.devnull,
        "GOMAXPROCS": "2",
        "GOGC": "400",  # a start of kubectl takes a fifth less of the processor; the limit below still holds
        "GOMEMLIMIT": str(MAX_HELD * 3 // 4),
    }
    for name in ("SYSTEMROOT", "TEMP", "TMP"):  # without them no program starts on Windows
        if name in os.environ:
            environment[name] = os.environ[name]
    return environment
