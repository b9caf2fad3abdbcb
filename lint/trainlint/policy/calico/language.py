"""Calico's selector language (P 11.2): text as a condition on the names of labels.

Sources: projectcalico/calico:libcalico-go/lib/selector/tokenizer/tokenizer.go and parser/parser.go.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.selector import LabelCondition, Requirement
from trainlint.policy.calico_ground import CalicoGround

__all__ = ["ALL", "GLOBAL", "LONGEST", "SelectorError", "parse"]

LONGEST: Final = 1024
"""The most characters that the API takes."""

ALL: Final = LabelCondition("and")
GLOBAL: Final = LabelCondition("and", text="global()")
"""``global()``, which by itself holds for everything."""

_LONGEST_NAME: Final = 512
_NAME: Final = r"[A-Za-z0-9_./-]"
_TOKEN: Final = lazy_pattern(
    rf"""(?P<has>has\([ \t]*(?P<name>{_NAME}+)[ \t]*\)) | (?P<all>all\([ \t]*\)) | (?P<global>global\([ \t]*\))
      | "(?P<double>[^"]*)" | '(?P<single>[^']*)' | (?P<sign>==|!=|&&|\|\||[(){{}},!]) | (?P<label>{_NAME}+)""",
    re.VERBOSE,
)
_WORD: Final = lazy_pattern(
    rf"(?:(contains)|(starts)[ \t]*with[ \t]*|(ends)[ \t]*with[ \t]*|(not)[ \t]*in[ \t]*|(in))(?!{_NAME})"
)
_BLANK: Final = " \t"
_OPERATORS: Final = {
    "==": "In",
    "!=": "NotIn",
    "in": "In",
    "not": "NotIn",
    "contains": "Contains",
    "starts": "StartsWith",
    "ends": "EndsWith",
}

Token = tuple[str, str]
"""What it is (label, text, has, all, global, word, or the sign itself), and its value."""


class SelectorError(ValueError):
    """A text that is no selector; ``why`` says what is wrong with it."""

    def __init__(self, ground: CalicoGround, *values: str) -> None:
        super().__init__(ground.name)
        self.why = Because(ground, values)


@lru_cache(maxsize=2048)
def parse(text: str) -> LabelCondition:
    """The condition that a selector states; an empty one holds for everything.

    Raises:
        SelectorError: Where Calico does not parse it.
    """
    tokens = _tokens(text)
    return _Parser(tokens).whole() if tokens else ALL


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while True:
        while at < len(text) and text[at] in _BLANK:
            at += 1
        if at == len(text):
            return tokens
        if tokens and tokens[-1][0] == "label" and text[at] not in "()\"'{},=!&|":
            word = _WORD.match(text, at)
            if word is None:
                raise SelectorError(CalicoGround.NO_OPERATOR, tokens[-1][1])
            tokens.append(("word", next(each for each in word.groups() if each)))
            at = word.end()
            continue
        token, at = _token(text, at)
        tokens.append(token)


def _token(text: str, at: int) -> tuple[Token, int]:
    found = _TOKEN.match(text, at)
    if found is None:
        raise _complaint(text[at])
    if text.startswith(("has(", "all(", "global("), at) and not found["name"] and not (found["all"] or found["global"]):
        raise SelectorError(CalicoGround.UNCLOSED_CALL, text[at : text.index("(", at)])
    if found["name"]:
        return ("has", _short(found["name"])), found.end()
    if found["label"]:
        return ("label", _short(found["label"])), found.end()
    if found["sign"]:
        return (found["sign"], ""), found.end()
    kind = "all" if found["all"] else "global" if found["global"] else "text"
    return (kind, found["double"] or found["single"] or ""), found.end()


def _short(name: str) -> str:
    if len(name) > _LONGEST_NAME:
        raise SelectorError(CalicoGround.LONG_LABEL)
    return name


def _complaint(sign: str) -> SelectorError:
    if sign in "\"'":
        return SelectorError(CalicoGround.OPEN_TEXT)
    if sign in "=&|":
        return SelectorError(CalicoGround.SINGLE_SIGN, sign)
    return SelectorError(CalicoGround.LINE_BREAK) if sign in "\r\n" else SelectorError(CalicoGround.SIGN, repr(sign))


class _Parser:
    """Reads tokens into conditions without recursion, so that no depth of parentheses exhausts the stack."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def whole(self) -> LabelCondition:
        # For each open parenthesis: complete alternatives, the parts of the one at hand, whether it is negated.
        open_: list[tuple[list[LabelCondition], list[LabelCondition], bool]] = [([], [], False)]
        while True:
            negated = False
            while self._peek() == "!":
                self._at, negated = self._at + 1, not negated
            if self._peek() == "(":
                self._at += 1
                open_.append(([], [], negated))
                continue
            found = self._operation()
            open_[-1][1].append(_negated(found) if negated else found)
            while self._peek() == ")" and len(open_) > 1:
                self._at += 1
                alternatives, parts, turned = open_.pop()
                found = _joined("or", [*alternatives, _joined("and", parts)])
                open_[-1][1].append(_negated(found) if turned else found)
            sign = self._peek()
            self._at += 1
            if sign == "||":
                alternatives, parts, _ = open_[-1]
                alternatives.append(_joined("and", parts))
                parts.clear()
            elif not sign and len(open_) == 1:
                alternatives, parts, _ = open_[0]
                return _joined("or", [*alternatives, _joined("and", parts)])
            elif sign != "&&":
                raise SelectorError(CalicoGround.NOT_JOINED if sign else CalicoGround.UNCLOSED)

    def _peek(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self, kind: str, missing: CalicoGround, *values: str) -> str:
        if self._peek() != kind:
            raise SelectorError(missing, *values)
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _operation(self) -> LabelCondition:
        kind = self._peek()
        value = self._tokens[self._at][1] if kind else ""
        self._at += 1
        match kind:
            case "all":
                return ALL
            case "global":
                return GLOBAL
            case "has":
                return _test(value, "Exists")
            case "label":
                return self._comparison(value)
            case "":
                raise SelectorError(CalicoGround.ENDS_EARLY)
            case _:
                raise SelectorError(CalicoGround.NO_CONDITION, kind if kind != "text" else repr(value))

    def _comparison(self, label: str) -> LabelCondition:
        kind = self._peek()
        word = self._tokens[self._at][1] if kind == "word" else kind
        if word not in _OPERATORS:
            raise SelectorError(CalicoGround.NO_OPERATOR, label)
        self._at += 1
        if word in ("in", "not"):
            return _test(label, _OPERATORS[word], *self._set())
        return _test(label, _OPERATORS[word], self._take("text", CalicoGround.TEXT_NEEDED, label, word))

    def _set(self) -> list[str]:
        self._take("{", CalicoGround.NO_SET)
        values: list[str] = []
        while self._peek() == "text":
            values.append(self._take("text", CalicoGround.NO_SET))
            if self._peek() != ",":
                break
            self._at += 1
        self._take("}", CalicoGround.OPEN_SET)
        return values


def _test(label: str, operator: str, *values: str) -> LabelCondition:
    return LabelCondition("test", requirement=Requirement(label, operator, values))


def _joined(form: str, parts: list[LabelCondition]) -> LabelCondition:
    return parts[0] if len(parts) == 1 else LabelCondition(form, tuple(parts))


def _negated(found: LabelCondition) -> LabelCondition:
    return LabelCondition("not", (found,))
