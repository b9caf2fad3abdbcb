"""Takes from a process all files but those that it needs, and all connections (Linux, Landlock), before it works.

It is started by its file, isolated (`-I -S`), and imports nothing of trainlint. Arguments: the directory that the
program may write to, and the program with its arguments. Without Landlock the program is started all the same.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable

SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/sys/kernel/mm", "/dev/urandom", "/dev/zero")
"""What programs need to start: nothing of a user."""

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute a file, read it, list a directory
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights to files each version knows; 16 from the fifth on."""
_NO_NEW_PRIVILEGES = 38


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def confine(readable: Iterable[str], writable: Iterable[str]) -> bool:
    """Leave this process, and all that it starts, these files and directories; false where the system cannot."""
    if sys.platform != "linux":
        return False
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        version = libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except (OSError, AttributeError):
        return False
    if version < 1:
        return False
    every = (1 << _RIGHTS.get(version, 16)) - 1
    rules = _Ruleset(every, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    for paths, rights in ((readable, _READ), (writable, every)):
        for path in paths:
            _allow(libc, ruleset, path, rights & every)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    done: int = libc.syscall(_RESTRICT, ruleset, ctypes.c_uint32(0))
    os.close(ruleset)
    return done == 0


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    beneath = _Beneath(rights if os.path.isdir(path) else rights & _OF_FILES, opened)  # noqa: PTH112
    libc.syscall(_ADD, ruleset, 1, ctypes.byref(beneath), ctypes.c_uint32(0))
    os.close(opened)


def main() -> None:
    """Become the program."""
    home, program, *arguments = sys.argv[1:]
    beside = [os.path.dirname(os.path.realpath(program)), os.path.dirname(program)]  # noqa: PTH120
    confine([*SYSTEM, sys.base_prefix, *beside], [home, os.devnull])
    os.execv(program, [program, *arguments])  # noqa: S606 (a program that the user installed)


if __name__ == "__main__":
    main()
