"""Groups whose name holds a placeholder are told apart by the place where they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.worlds import lint

from trainlint.report import Options, reporter
from trainlint.result import Result

JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: NAME, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: i, command: [torchrun, t.py]}]}}
"""


@pytest.fixture
def result(tmp_path: Path) -> Result:
    files = {"a.yaml": JOB.replace("NAME", '"${NAME}"'), "b.yaml": JOB.replace("NAME", '"${NAME}"')}
    return lint(tmp_path, {**files, "c.yaml": JOB.replace("NAME", "train")})


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_the_table_shows_file_and_line(form: str, result: Result) -> None:
    text = " ".join(reporter(form)(result, Options(width=200)).split())
    for name in ("a.yaml:2", "b.yaml:2"):
        assert name in text
    assert "c.yaml:2)" not in text


def test_programs_get_the_place_apart(result: Result) -> None:
    groups = json.loads(reporter("json")(result, Options()))["groups"]
    assert [(each["name"], each.get("place")) for each in groups] == [
        ("ml/${NAME}", "a.yaml:2"),
        ("ml/${NAME}", "b.yaml:2"),
        ("ml/train", None),
    ]
