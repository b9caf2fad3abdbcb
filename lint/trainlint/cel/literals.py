"""Loops over lists of literals that depend on nothing else: worked out once, and counted as Kubernetes counts them.

Kubernetes allows more steps of loops than the library.
"""

from __future__ import annotations

from typing import Final

from trainlint.cel.expression import expression
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["COST", "without_literal_loops"]

COST: Final = 1_000_000
"""What a selector of devices may cost."""
_STEP: Final = 5
"""What one round of a loop costs beside the loops in it: the condition, the result, one comparison."""
_LITERAL: Final = r"""(?:"[^"\\]*"|'[^'\\]*'|(?<!\w)-?\d+|\btrue\b|\bfalse\b)"""
_LOOP: Final = lazy_pattern(
    rf"(?<![\w)\]])\[\s*({_LITERAL}(?:\s*,\s*{_LITERAL})*)\s*\]\s*\.(?:all|exists)\(\s*([A-Za-z_]\w*)\s*,([^()\[\]]*)\)"
)
_ONE: Final = lazy_pattern(_LITERAL)
_NAME: Final = lazy_pattern(r"[A-Za-z_]\w*")
_DONE: Final = lazy_pattern(r"\bloop_(\d+)\b")


def without_literal_loops(text: str) -> tuple[str, int]:
    """The expression with the values of such loops in their place, and what these loops cost."""
    done: list[tuple[str, int]] = []
    while (found := _LOOP.search(text)) is not None:
        body = found[3]
        names = set(_NAME.findall(_ONE.sub("", body))) - {found[2]}
        if any(_DONE.fullmatch(each) is None for each in names):
            break
        value = expression(_DONE.sub(lambda loop: done[int(loop[1])][0], found[0]), ()).evaluate({}).value
        if not isinstance(value, bool):
            break
        inner = sum(done[int(each)][1] for each in _DONE.findall(body))
        done.append(("true" if value else "false", len(_ONE.findall(found[1])) * (_STEP + inner)))
        text = f"{text[: found.start()]}loop_{len(done) - 1}{text[found.end() :]}"
    cost = sum(done[int(each)][1] for each in _DONE.findall(text))
    return _DONE.sub(lambda loop: done[int(loop[1])][0], text), cost
