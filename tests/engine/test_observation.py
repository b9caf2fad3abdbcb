"""What an editor is told: the objects of each group as a whole, and the verdict where the cursor stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.engine.observation import Observation, look

pytest.importorskip("lsprotocol")

from lsprotocol.types import Position

from trainlint.lsp.hover import hover
from trainlint.lsp.positions import Texts

GROUP = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: registry.example/a:1}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: registry.example/a:1}]}}
"""
OTHER = GROUP.replace("name: train", "name: other")

MORE = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"


def seen(root: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Observation:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return look([root], lambda *_: None)


def test_each_object_of_a_group_is_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = seen(tmp_path, {"a.yaml": GROUP, "b/two.yaml": OTHER}, monkeypatch)
    homes = [(home.file, home.span.line, home.span.end_line, home.verdict.name) for home in found.homes]
    assert {each[0] for each in homes} == {"a.yaml", "b/two.yaml"}
    assert {each[3] for each in homes if each[0] == "a.yaml"} == {"ml/train"}
    assert {each[3] for each in homes if each[0] == "b/two.yaml"} == {"ml/other"}
    assert [(line, end) for file, line, end, _ in homes if file == "a.yaml"] == [(1, 11)]  # the object as a whole, once


@pytest.mark.parametrize(("line", "told"), [(0, True), (10, True), (12, False), (14, False)])
def test_the_group_is_told_where_its_object_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: int, told: bool
) -> None:
    found = seen(tmp_path, {"a.yaml": GROUP + MORE}, monkeypatch)
    answer = hover(found, Texts(Path(found.root), tmp_path), tmp_path / "a.yaml", Position(line, 8))
    assert (answer is not None) is told
    assert hover(found, Texts(Path(found.root), tmp_path), tmp_path / "b.yaml", Position(line, 8)) is None
