"""Directories of examples: which files one of them holds, and for which ones it speaks."""

from __future__ import annotations

import pytest

from trainlint.source.examples import example_of, is_below, is_for


@pytest.mark.parametrize(
    ("file", "example"),
    [
        ("deploy/nodes.yaml", ""),
        ("nodes.yaml", ""),
        ("example.yaml", ""),
        ("my-examples/nodes.yaml", ""),
        ("examples/nodes.yaml", "examples/"),
        ("docs/Examples/one/nodes.yaml", "docs/Examples/one/"),
        ("examples/one/cluster/nodes.yaml", "examples/one/"),
        ("tests/lab/examples/a/b/nodes.yaml", "tests/lab/examples/a/"),
    ],
)
def test_an_example_is_a_directory_below_the_innermost_collection(file: str, example: str) -> None:
    assert example_of(file) == example


def test_an_example_speaks_for_itself_and_the_rest_for_all() -> None:
    assert is_for("cluster/nodes.yaml", "examples/one/job.yaml")
    assert is_for("examples/one/cluster/nodes.yaml", "examples/one/jobs/job.yaml")
    assert not is_for("examples/one/nodes.yaml", "examples/one-more/job.yaml")
    assert not is_for("examples/one/nodes.yaml", "jobs/job.yaml")


def test_limits_of_an_example_are_those_of_its_own_directory() -> None:
    assert is_below("base/limits.yaml", "jobs/job.yaml")
    assert is_below("examples/one/limits.yaml", "examples/one/jobs/job.yaml")
    assert not is_below("examples/one/limits/limits.yaml", "examples/one/jobs/job.yaml")
