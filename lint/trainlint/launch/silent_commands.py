"""Commands that open no connection and accept none: a pod that runs nothing else has no connections."""

from __future__ import annotations

from typing import Final

from trainlint.launch.command import commands
from trainlint.launch.shell import simple_commands
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.pod import Container

__all__ = ["idles", "talks"]

_QUIET: Final = frozenset(
    {"sleep", "echo", "printf", "true", "false", ":", "exit", "set", "unset", "export", "declare", "local", "readonly"}
    | {"trap", "wait", "break", "continue", "return", "shift", "let", "expr", "test", "[", "[[", "for", "case", "esac"}
    | {"done", "fi", "}", "date", "hostname", "uname", "id", "whoami", "nproc", "seq", "cat", "ls", "touch", "mkdir"}
    | {"rm", "cp", "mv", "ln", "chmod", "chown", "tail", "head", "wc", "sort", "grep", "sed", "awk", "tr", "cut"}
    | {"basename", "dirname", "tee", "cd", "pwd", "kill", "sync", "printenv", "ulimit", "nvidia-smi", "sha256sum"}
)
_IDLE_IMAGES: Final = frozenset({"pause", "pause-amd64", "pause-arm64", "sleep"})
"""Images by the last part of their names whose own command waits, as people use them to hold a place."""
_SUBSTITUTION: Final = lazy_pattern(r"\$\((?!\()((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)|`([^`]*)`")
_SOCKET: Final = lazy_pattern(r"/dev/(?:tcp|udp)/")
_DEPTH: Final = 4


def talks(container: Container) -> bool:
    """Whether the container may open or accept a connection; most images' own commands may do anything."""
    if idles(container):
        return False
    words = (*container.command, *container.args)
    if not container.command or any(not isinstance(word, str) or _SOCKET.search(word) for word in words):
        return True
    found = commands(container)
    return not found or any(_loud([word.text for word in command.words], _DEPTH) for command in found)


def idles(container: Container) -> bool:
    """Whether the container runs an image that is there to do nothing."""
    name = container.image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    return not container.command and name in _IDLE_IMAGES


def _loud(words: list[str], depth: int) -> bool:
    """Whether a command, or one of the commands whose output or text it is given, may open a connection."""
    if not words:
        return False
    program, *rest = words
    if program.rpartition("/")[2] not in _QUIET or not depth:
        return True
    inner = [found[1] or found[2] or "" for word in words for found in _SUBSTITUTION.finditer(word)]
    if program == "trap":
        inner += rest[:1]
    return any(_loud(command, depth - 1) for script in inner for command in simple_commands(script))
