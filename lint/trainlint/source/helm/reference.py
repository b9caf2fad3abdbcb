"""What names mean in a template: which value of ``.Values`` an action refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final

from trainlint.fact import fact
from trainlint.lazy_pattern import lazy_pattern

__all__ = ["EACH", "Steps", "TemplateScope"]

Steps = tuple[str, ...]
"""Keys from the top of what a template is given: ``("Values", "workers")``."""

EACH: Final = "*"
"""The element of a loop."""

_TERM: Final = lazy_pattern(r"(?<![\w.\"$)\]])(\$\w*)?((?:\.[A-Za-z_]\w*)+|\.(?![\w.]))?")
_INCLUDES: Final = lazy_pattern(r"\(?\s*(?:include|template)\s")
_TEXTS: Final = lazy_pattern(r"\"(?:\\.|[^\"\\])*\"|`[^`]*`")
_ASSIGNED: Final = lazy_pattern(r"(\$\w*)(?:\s*,\s*(\$\w*))?\s*:?=\s*(.*)", re.DOTALL)


@fact
class TemplateScope:
    """``dot`` is what ``.`` means (``None``: unknown), ``variables`` what ``$x`` means."""

    dot: Steps | None = ()
    variables: Mapping[str, Steps | None] = field(default_factory=dict)

    def references(self, expression: str) -> list[Steps]:
        """Everything that an expression refers to, as far as that can be told."""
        found = []
        for match in _TERM.finditer(_TEXTS.sub("", expression)):
            variable, fields = match[1], match[2]
            if variable is None and fields is None:
                continue
            base = self.dot if variable is None else () if variable == "$" else self.variables.get(variable)
            if base is not None:
                found.append((*base, *filter(None, (fields or "").split("."))))
        return found

    def single(self, expression: str) -> Steps | None:
        """The one value of ``.Values`` that an expression prints; ``None`` where it prints none or several, and for
        ``include``, which makes something else.
        """
        if _INCLUDES.match(expression):
            return None
        found = [each for each in self.references(expression) if each[:1] == ("Values",) and len(each) > 1]
        return found[0] if len(found) == 1 else None

    def entered(self, word: str, expression: str) -> TemplateScope:
        """The scope inside ``if``, ``with`` or ``range``; what ``define`` is given is unknown."""
        if word in ("define", "block"):
            return TemplateScope(None)
        assigned = _ASSIGNED.match(expression)
        steps = self._whole(assigned[3] if assigned else expression)
        if word == "range" and steps is not None:
            steps = (*steps, EACH)
        variables = dict(self.variables)
        if assigned is not None:
            variables[assigned[2] or assigned[1]] = steps
            if assigned[2]:
                variables[assigned[1]] = None
        return TemplateScope(self.dot if word == "if" else steps, variables)

    def assigned(self, expression: str) -> TemplateScope:
        """The scope after ``$x := ...``."""
        match = _ASSIGNED.match(expression)
        if match is None:
            return self
        return replace(self, variables={**self.variables, match[1]: self._whole(match[3])})

    def _whole(self, expression: str) -> Steps | None:
        """What an expression is, where it is nothing but a reference."""
        expression = expression.strip().strip("()").strip()
        match = _TERM.fullmatch(expression)
        found = self.references(expression) if match is not None else []
        return found[0] if len(found) == 1 else None
