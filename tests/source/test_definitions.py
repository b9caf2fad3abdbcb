"""Definitions of kinds without their structures: nothing else of a file changes."""

from __future__ import annotations

import pytest
import yaml

from trainlint.source.definitions import LEFT_OUT, slim, without_structures

DEFINITION = """\
# who made it
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: trains.example.com
spec:
  group: example.com
  names: {kind: Train, plural: trains}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: |-
          A train.

          kind: Train
        properties:
          spec:
            required:
            - cars
            type: object
        type: object
    served: true
    storage: true
    subresources:
      status: {}
  - name: v2
    schema:
      openAPIV3Schema:
        type: object
    served: false
    storage: false
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  openAPIV3Schema:
    a: 1
"""


def test_only_the_structures_are_left_out() -> None:
    found = slim(f"{JOB}---\n{DEFINITION}---\n{JOB}".encode())
    assert found is not None
    before, made, after = yaml.safe_load_all(found)
    expected = yaml.safe_load(DEFINITION)
    for version in expected["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"] = {"type": "object", "description": LEFT_OUT}
    assert made == expected
    assert before == after == yaml.safe_load(JOB)


def test_a_structure_may_end_the_file() -> None:
    text = DEFINITION[: DEFINITION.index("    served: false")].rstrip("\n")
    found = slim(text.encode())
    assert found is not None
    assert yaml.safe_load(found)["spec"]["versions"][1] == {
        "name": "v2",
        "schema": {"openAPIV3Schema": {"type": "object", "description": LEFT_OUT}},
    }


@pytest.mark.parametrize(
    "content",
    [
        JOB.encode(),
        DEFINITION.replace("openAPIV3Schema", "other").encode(),
        b'{"kind": "CustomResourceDefinition", "a": "openAPIV3Schema: x"}',
        f"kind: Secret\n---\n{JOB}# CustomResourceDefinition\n".encode(),
        b"\xff\xfeCustomResourceDefinition openAPIV3Schema:",
    ],
)
def test_what_defines_nothing_stays_as_it_is(content: bytes) -> None:
    assert slim(content) is None


def test_small_files_are_not_searched() -> None:
    long = DEFINITION.replace("A train.", "A train. " * 9000)
    assert list(without_structures({"a.yaml": DEFINITION.encode(), "b.yaml": long.encode()})) == ["b.yaml"]
