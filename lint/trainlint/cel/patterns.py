"""``find`` and ``findAll`` (k8s.io/apiserver:pkg/cel/library/regex.go), by RE2 as the rest of the language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from cel_expr_python import cel

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["find", "find_all"]

_CLASS: Final = r"\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"
_STEP: Final = lazy_pattern(rf"\\Q.*?(?:\\E|$)|\\.|{_CLASS}|\(\?P?<\w+>|\(\?|\(|[^\\(\[]+|.", re.DOTALL)


def find(text: str, pattern: str) -> str:
    """The first match; empty where there is none. Raises ValueError if it is no regular expression."""
    found = find_all(text, pattern, 1)
    return found[0] if found else ""


def find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    """The matches, at most so many. Raises ValueError if it is no regular expression."""
    data = {"text": text, "pattern": f"({uncaptured(pattern)})"}
    found = _matcher().eval(data=data)
    if found.type() == cel.Type.ERROR:
        raise ValueError(str(found.plain_value()))
    matches = [str(each) for each in found.plain_value()]
    return matches if most < 0 else matches[:most]


@lru_cache(maxsize=1)
def _matcher() -> Any:
    config = cel.NewEnvConfigFromYaml("name: patterns\nextensions:\n- name: optional\n- name: regex\n")
    env = cel.NewEnv(config=config, variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})
    return env.compile("regex.extractAll(text, pattern)")


def uncaptured(pattern: str) -> str:
    """The same expression without groups that capture."""
    return "".join(
        "(?:" if step == "(" or step.startswith(("(?P<", "(?<")) else step for step in _STEP.findall(pattern)
    )
