"""Test data: directories that a test tool owns, and documents in them that are assertions and no manifests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from trainlint.lazy_pattern import lazy_pattern
from trainlint.source.document import Document

__all__ = ["find_test_homes", "home_of_test", "is_assertion", "is_assertion_file"]

_TEST_FILE: Final = lazy_pattern(
    r"\.?(?:chainsaw-test|kyverno-test|kuttl-test)\.ya?ml"  # the tools' own files
    r"|\d+-(?:assert|errors?)(?:[-_.].*)?\.ya?ml"  # the steps of a kuttl test
)
_ASSERTION_FILE: Final = lazy_pattern(r"(?:.*[-_.])?(?:assert|assertion|errors?)s?(?:[-_.].*)?\.ya?ml")
_MARK: Final = lazy_pattern(r"""^[ \t]*(?:-[ \t]+)*["']?~?\.?\(""", re.MULTILINE)


def find_test_homes(files: Iterable[str]) -> frozenset[str]:
    """The directories (with a slash at the end) that hold a test's own file; never the root of the world."""
    return frozenset(
        f"{directory}/"
        for directory, _, name in (file.rpartition("/") for file in files)
        if directory and _TEST_FILE.fullmatch(name)
    )


def home_of_test(file: str, homes: frozenset[str]) -> str:
    """The outermost of the ``homes`` that holds a file; empty if none does."""
    if not homes:
        return ""
    end = file.find("/")
    while end >= 0:
        if file[: end + 1] in homes:
            return file[: end + 1]
        end = file.find("/", end + 1)
    return ""


def is_assertion_file(file: str) -> bool:
    """Whether a file in the directory of a test says by its name that it is compared with objects, not applied."""
    return _ASSERTION_FILE.fullmatch(file.rpartition("/")[2]) is not None


def is_assertion(document: Document) -> bool:
    """Whether a document holds keys in parentheses: expressions of a test tool, which no API server takes."""
    return ")" in document.text and _MARK.search(document.text) is not None and _has_expression(document.data)


def _has_expression(value: Any) -> bool:
    pending = [value]
    while pending:
        here = pending.pop()
        if isinstance(here, dict):
            if any(isinstance(key, str) and key.lstrip("~.").startswith("(") and ")" in key for key in here):
                return True
            pending += here.values()
        elif isinstance(here, list):
            pending += here
    return False
