"""What kustomize complains of, without the names of the copy and without what it says again and again."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["Complaint", "complaint"]

_MAX: Final = 400
_CRASH: Final = lazy_pattern(r"^(?:fatal error|panic|runtime): (.*)$(?=[\s\S]*^goroutine )", re.MULTILINE)
"""What Go says where a program ends in the midst of its work."""
_START: Final = lazy_pattern(r"[A-Z]\d{4} |[Ee]rror: ")
_LOGGED: Final = lazy_pattern(r'[A-Z]\d{4} .*? err=(?:"(.*)"|<(.*)>)$', re.DOTALL)
_BELOW: Final = lazy_pattern(r"recursed (?:accumulation of|merging from) path '([^']*)': ")
_HEAD: Final = lazy_pattern(r"accumulating (?:resources|components): (?:accumulation err=')?")
_CONFIG: Final = lazy_pattern(r"trouble configuring builtin \w+ with config: `[^`]*`: ")
_AGAIN: Final = lazy_pattern(r"': must build at directory: .*", re.DOTALL)
_ABSENT: Final = lazy_pattern(r"evalsymlink failure on '([^']*)' : lstat [^:]*: ([^:']*)")
_ID: Final = lazy_pattern(
    r'(?:id )?resid\.ResId\{Gvk:resid\.Gvk\{Group:"([^"]*)", Version:"([^"]*)", Kind:"([^"]*)"[^}]*\}, '
    r'Name:"([^"]*)", Namespace:"([^"]*)"\}'
)
"""An identity as Go prints it."""
_POINTER: Final = lazy_pattern(r"&?\{(?:0x[0-9a-f]+[ ,]*)+\}|\(?0x[0-9a-f]{6,}\)?")
_COPY: Final = lazy_pattern(r"(?:/[^\s'\"`:]*)?/trainlint-kustomize-[^/\s'\"`:]*(?:/copy)?/?")
_FROM: Final = lazy_pattern(r"accumulating resources from '[^']*': (?='?[^' ]*'? ?(?:must|no such|:))")


@fact
class Complaint:
    """``directory`` is that of the kustomization that is at fault, where kustomize says which."""

    message: str
    directory: str | None = None


def complaint(text: str, copy: str) -> Complaint:
    """The last message in what kustomize wrote; ``copy`` is the directory in which it ran."""
    crash = _CRASH.search(text)
    if crash:
        return Complaint(f"it broke off ({' '.join(crash[1].split())[:_MAX]})")
    lines = [line for line in text.strip().splitlines() if line.strip()]
    starts = [at for at, line in enumerate(lines) if _START.match(line)]
    message = "\n".join(lines[starts[-1] :] if starts else lines[-3:])
    logged = _LOGGED.match(message)
    if logged:
        message = (logged[1] or logged[2]).replace('\\"', '"').replace("\\\\n", " ").replace("\\n", " ")
    message = re.sub(r"^[Ee]rror: ", "", message).replace(f"{copy}/", "").replace(copy, ".")
    below = list(_BELOW.finditer(message))
    if below:
        message = message[below[-1].end() :].rstrip("\"'")
    message = _AGAIN.sub("", _HEAD.sub("", message, count=1))
    message = _CONFIG.sub("", message)
    message = _ABSENT.sub(r"\1: \2", message)
    message = _ID.sub(_identity, message)
    message = _COPY.sub("", _POINTER.sub("", message)).replace("from generator :", "from a generator:")
    message = " ".join(_FROM.sub("", message).split()) or "kustomize failed and did not say why"
    if len(message) > _MAX:
        message = f"{message[:_MAX]} ..."
    directory = posixpath.normpath(below[-1][1]) if below else None
    return Complaint(message, "" if directory == "." else directory)


def _identity(found: re.Match[str]) -> str:
    _, _, kind, name, namespace = found.groups()
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
