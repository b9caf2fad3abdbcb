"""Whether a regular expression is one for Go (RE2): Python's own compiler answers for another language."""

from __future__ import annotations

import re

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["regex_problem"]

_REPEAT = lazy_pattern(r"\{(\d+)(?:,(\d*))?\}")
_GROUP = lazy_pattern(r"\?(?:P?<[A-Za-z_]\w*>|[imsU]*(?:-[imsU]+)?[:)])")
MAX_REPEAT = 1000


def regex_problem(text: str) -> str:
    """Why Go's regexp.Compile refuses the text; empty where it takes it."""
    depth, index, operand = 0, 0, False
    while index < len(text):
        char = text[index]
        if char == "\\":
            index, problem = _escape(text, index)
            operand = True
        elif char == "[":
            index, problem = _class(text, index)
            operand = True
        elif char == "(":
            depth, operand = depth + 1, False
            index, problem, closed = _group(text, index)
            depth -= closed
        elif char == ")":
            depth, operand, problem = depth - 1, True, "" if depth else "unexpected )"
            index += 1
        elif char in "*+?" or (char == "{" and _REPEAT.match(text, index)):
            index, problem = _repeat(text, index, operand=operand)
        else:
            operand, problem = char != "|", ""
            index += 1
        if problem:
            return problem
    return "missing closing )" if depth else ""


def _escape(text: str, index: int) -> tuple[int, str]:
    following = text[index + 1 : index + 2]
    if not following:
        return index, "trailing backslash"
    if following == "Q":
        end = text.find("\\E", index)
        return (len(text) if end < 0 else end + 2), ""
    if following in "pP":
        end = text.find("}", index) if text[index + 2 : index + 3] == "{" else index + 2
        return end + 1, "" if end >= 0 and end < len(text) else "bad character class name"
    if following == "x":
        match = re.compile(r"\\x(?:\{[0-9A-Fa-f]{1,6}\}|[0-9A-Fa-f]{2})").match(text, index)
        return (match.end(), "") if match else (index, "bad \\x escape")
    if following.isalnum() and following not in "AbBzaftnrvdDsSwWC01234567":
        return index, f"bad escape \\{following}"
    if following in "1234567" and text[index + 2 : index + 3] not in tuple("01234567"):
        return index, "back references are not supported"
    return index + 2, ""


def _class(text: str, index: int) -> tuple[int, str]:
    at = index + 1
    if text[at : at + 1] == "^":
        at += 1
    first = True
    while at < len(text):
        if text[at] == "]" and not first:
            return at + 1, ""
        first = False
        if text.startswith("[:", at) and (end := text.find(":]", at)) > 0:
            at = end + 2
        elif text[at] == "\\":
            at, problem = _escape(text, at)
            if problem:
                return at, problem
        else:
            low, at = text[at], at + 1
            high = text[at + 1 : at + 2]
            if text[at : at + 1] == "-" and high not in ("", "]"):
                if high != "\\" and high < low:
                    return at, f"bad range {low}-{high}"
                at += 1 if high == "\\" else 2
    return at, "missing closing ]"


def _group(text: str, index: int) -> tuple[int, str, bool]:
    """After the parenthesis and its flags; whether it is already closed again, as ``(?i)``."""
    if text[index + 1 : index + 2] != "?":
        return index + 1, "", False
    match = _GROUP.match(text, index + 1)
    if match is None:
        return index, "an unknown kind of group, such as a look-ahead", False
    return match.end(), "", match.group().endswith(")")


def _repeat(text: str, index: int, *, operand: bool) -> tuple[int, str]:
    if not operand:
        return index, f"nothing before the repetition {text[index]}"
    end = index + 1
    if text[index] == "{" and (match := _REPEAT.match(text, index)):
        end, low, high = match.end(), int(match.group(1)), match.group(2)
        if low > MAX_REPEAT or (high and (int(high) > MAX_REPEAT or int(high) < low)):
            return index, "a bad count of repetitions"
    if text[end : end + 1] == "?":
        end += 1
    if text[end : end + 1] in ("*", "+", "?") or _REPEAT.match(text, end):
        return end, "a repetition of a repetition"
    return end, ""
