"""Workflow commands that a runner would read from a log: what manifests say must never become one."""

from __future__ import annotations

import os
import re
from typing import Final

from trainlint.lazy_pattern import lazy_pattern

__all__ = ["tamed"]

# GitHub's runner obeys `::name::` where a line begins, after white space, and `##[name]` anywhere in one; that of Azure
# obeys `##vso[name]`, that of TeamCity `##teamcity[name]`.
_LINE: Final = lazy_pattern(r"^(\s*):(?=:[A-Za-z])", re.MULTILINE)
_ANYWHERE: Final = lazy_pattern(r"##(?=[A-Za-z]*\[)")
_RUNNERS: Final = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
_JSON: Final = ("json", "sarif")
_MARKUP: Final = ("junit", "svg", "html", "graphml")


def tamed(text: str, form: str = "text") -> str:
    """Text for a log in which no line is a command; as it is where no runner reads the log.

    ``form`` is the format of the report: the characters are escaped as that has it. Commands of our own (``github``)
    stay.
    """
    if not any(name in os.environ for name in _RUNNERS):
        return text
    if form == "github":
        return text
    if form in _JSON:  # signs stand in texts only, which never begin a line
        return _ANYWHERE.sub(r"#\\u0023", text)
    hash_, colon = ("#&#35;", "&#58;") if form in _MARKUP else (r"#\\x23", r"\\x3a")
    return _LINE.sub(rf"\1{colon}", _ANYWHERE.sub(hash_, text))
