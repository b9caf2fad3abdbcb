"""Directories of examples: what lies in one of them was written for what lies beside it there, and for nothing else."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = ["example_of", "is_below", "is_for"]

_COLLECTIONS: Final = frozenset(
    {"chainsaw", "chainsaw-test", "chainsaw-tests", "conformance", "demo", "demos", "e2e", "e2e-tests", "example"}
    | {"examples", "fixture", "fixtures", "integration-tests", "kuttl", "kyverno-test", "sample", "samples", "test"}
    | {"test-data", "test-fixtures", "testdata", "testing", "tests"}
)
"""Names of directories of examples, samples and tests, without the dots and underscores before them."""


@lru_cache(maxsize=65536)
def example_of(file: str) -> str:
    """The example that a file is part of, as a directory with a slash at its end; empty if it is none.

    That is the directory below the innermost collection (``examples/quota/``), or the collection itself for a file that
    lies in it.
    """
    steps = file.split("/")[:-1]
    depth = max((depth for depth, step in enumerate(steps, 1) if step.lower().lstrip("._") in _COLLECTIONS), default=0)
    return "".join(f"{step}/" for step in steps[: depth + 1]) if depth else ""


def is_for(file: str, other: str) -> bool:
    """Whether what a file says of a whole cluster may be meant for the objects of another file."""
    return other.startswith(example_of(file))


def is_below(file: str, other: str) -> bool:
    """Whether what a file says of a whole namespace may be meant for the objects of another file.

    In an example it is for what stands in its directory or below: many examples share the default namespace.
    """
    return not example_of(file) or other.startswith(file.rpartition("/")[0] + "/")
