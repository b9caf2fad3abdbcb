"""What renders charts: helm on the PATH, or the library of the extra, in a process that can be ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Any, Final

from trainlint.child_processes import ended, started
from trainlint.fact import fact
from trainlint.source.executables import executable
from trainlint.source.helm import worker
from trainlint.source.rendering_allowance import MOST_SECONDS
from trainlint.source.sandbox import seconds_of

__all__ = ["EXTRA", "Failed", "HelmProgram", "Request", "Worker", "helm"]

EXTRA: Final = "trainlint[helm]"
TIME_LIMIT: Final = 60.0
"""Seconds by the clock that one chart may take where the machine is busy: its limit is that of the processor's time,
of which a large one takes a tenth of a second.
"""
_PAUSE: Final = 0.1

_LIBRARY: Final = "helm_python"
_WHEEL: Final = "helm-python-sdk"


@fact
class HelmProgram:
    """What renders: the program at ``path``, or (``library``) the SDK below it.

    ``identity`` changes when another one takes its place.
    """

    path: str
    origin: str
    identity: str
    library: bool = False


@fact
class Request:
    """One chart on disk, to be rendered as a release. ``values`` are JSON, over the chart's own."""

    name: str
    namespace: str
    values: str = "{}"
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    chart: str = ""


class Failed(Exception):  # noqa: N818 (what helm says is no exception of ours)
    """The chart does not render; the message is helm's own. ``lasting``: it will not do so the next time either."""

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting


def helm() -> HelmProgram | None:
    """helm on the PATH, else the library of the extra, else ``None``."""
    path = executable("helm")
    if path is not None:
        real = Path(os.path.realpath(path))
        try:
            state = real.stat()
        except OSError:
            return None
        return HelmProgram(str(real), "helm on the PATH", f"{real} {state.st_size} {state.st_mtime_ns}")
    return _library()


def _library() -> HelmProgram | None:
    """The SDK where packages are installed: a directory of that name in the repository is no SDK."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 (only for charts)
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    here = os.path.realpath(os.curdir)
    places = [place for place in sys.path if place and os.path.realpath(place) != here]
    spec = PathFinder.find_spec(_LIBRARY, places)
    if spec is None or spec.origin is None:
        return None
    if not any(Path(spec.origin).with_name("lib").glob("*helm_c*")):  # installed from source, which brings none
        return None
    try:
        identity = f"{_WHEEL} {version(_WHEEL)}"
    except PackageNotFoundError:
        return None
    return HelmProgram(str(Path(spec.origin).parents[1]), identity, identity, library=True)


class Worker:
    """Renders charts one by one, in a process of its own that is started when it is first needed."""

    def __init__(self, program: HelmProgram, time_limit: float = TIME_LIMIT) -> None:
        self._program = program
        self._time_limit = time_limit
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: Queue[bytes] = Queue()
        self._home: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def seconds(self) -> float:
        """Seconds of the processor that the process took so far."""
        return seconds_of(self._process.pid) if self._process is not None else 0.0

    def render(self, request: Request, seconds: float = MOST_SECONDS) -> dict[str, str]:
        """What each template makes, by its name (``chart/templates/job.yaml``), in so many seconds of the processor.

        Raises:
            Failed: the chart does not render, or takes too much time or memory.
        """
        process = self._process if self._process is not None else self._start()
        asked = {
            "chart": request.chart,
            "name": request.name,
            "namespace": request.namespace,
            "values": request.values,
            "kube_version": request.kube_version,
            "api_versions": request.api_versions,
        }
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            process.stdin.flush()
            line = self._answer(seconds)
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            self._end()
            raise Failed("helm broke off while it rendered it (too much memory, or endless recursion)")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(str(answer["error"]), lasting=True)
        manifests: dict[str, str] = answer["manifests"]
        return manifests

    def _answer(self, seconds: float) -> bytes:
        """The line that the process answers with. Raises Failed."""
        most, until = self.seconds + seconds, time.monotonic() + self._time_limit
        while time.monotonic() < until:
            with contextlib.suppress(Empty):
                return self._answers.get(timeout=_PAUSE)
            if self.seconds > most:
                self._end()
                raise Failed(f"rendering it took more than {seconds:.1f} seconds of the processor")
        self._end()
        raise Failed(f"rendering it took more than {self._time_limit:g} seconds")

    def _start(self) -> subprocess.Popen[bytes]:
        self._home = tempfile.TemporaryDirectory(prefix="trainlint-helm-", ignore_cleanup_errors=True)
        arguments = ["sdk" if self._program.library else "program", self._program.path]
        process = self._process = subprocess.Popen(  # noqa: S603 (our own program, no shell)
            [sys.executable, "-I", worker.__file__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._home.name,
            env=_environment(),
            start_new_session=True,
        )
        started(process.pid)
        self._answers = Queue()
        Thread(target=_listen, args=(process, self._answers), daemon=True).start()
        return process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError):  # it and what it started; it may have ended by itself
                if sys.platform == "win32":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            ended(process.pid)
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        if self._home is not None:
            self._home.cleanup()
            self._home = None


def _listen(process: subprocess.Popen[bytes], answers: Queue[bytes]) -> None:
    assert process.stdout is not None
    with contextlib.suppress(ValueError, OSError):  # closed while it is read
        while line := process.stdout.readline(worker.MAX_OUTPUT + 2):
            answers.put(line)
    answers.put(b"")


def _environment() -> dict[str, str]:
    """Nothing of ours but where programs are: templates are not to see it, and nothing is to be asked anywhere."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP") if name in os.environ}
    closed = "http://127.0.0.1:9"
    kept |= {"GOMAXPROCS": "2", "GOMEMLIMIT": str(worker.MAX_HELD * 3 // 4)}
    return kept | {"LC_ALL": "C.UTF-8", "HTTP_PROXY": closed, "HTTPS_PROXY": closed, "NO_PROXY": ""}
