"""What waits for each other: circles of Flux's dependsOn, and sync waves of Argo CD in the wrong order."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.engine import check
from trainlint.result import Placed

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: fetch, namespace: fit, annotations: {OWN}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: f, image: "registry.example/fetch:1", envFrom: [{configMapRef: {name: knobs}}]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: knobs, namespace: fit, annotations: {OTHER}}
data: {EPOCHS: "3"}
"""
WAVE, HOOK = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/hook"


def found(tmp_path: Path, text: str) -> list[Placed]:
    (tmp_path / "all.yaml").write_text(text, encoding="utf-8")
    return [each for each in check([tmp_path]).findings if each.finding.rule == "dangling-reference"]


@pytest.mark.parametrize(
    ("own", "other", "late"),
    [
        (f"{WAVE}: '1'", f"{WAVE}: '2'", True),
        (f"{WAVE}: '-1'", "", True),
        (f"{HOOK}: PreSync", "", True),
        (f"{HOOK}: PreSync", f"{HOOK}: PreSync, {WAVE}: '1'", True),
        (f"{HOOK}: PreSync", f"{HOOK}: PreSync", False),
        (f"{HOOK}: PostSync, {WAVE}: '-5'", f"{WAVE}: '9'", False),
        ("", f"{WAVE}: '-1'", False),
        ("", f"{HOOK}: PostSync", True),
        (f"{HOOK}: Skip", f"{WAVE}: '5'", False),
        (f"{WAVE}: '${{W}}'", f"{WAVE}: '5'", False),
        ("", "", False),
    ],
)
def test_what_a_job_names_must_come_in_its_wave_or_before(tmp_path: Path, own: str, other: str, late: bool) -> None:
    assert len(found(tmp_path, JOB.replace("OWN", own).replace("OTHER", other))) == late


FLUX = """
apiVersion: {group}/v1
kind: {kind}
metadata: {{name: {name}, namespace: {home}}}
spec: {{dependsOn: [{on}]}}
---
"""


def flux(name: str, on: str, kind: str = "Kustomization", home: str = "flux-system") -> str:
    group = "kustomize.toolkit.fluxcd.io" if kind == "Kustomization" else "helm.toolkit.fluxcd.io"
    return FLUX.format(group=group, kind=kind, name=name, home=home, on=on)


@pytest.mark.parametrize(
    ("text", "circles"),
    [
        (flux("a", "{name: b}") + flux("b", "{name: a}"), 1),
        (flux("a", "{name: a}"), 1),
        (flux("a", "{name: b}") + flux("b", "{name: c}") + flux("c", "{name: b}"), 1),
        (flux("a", "{name: b}") + flux("b", ""), 0),
        (flux("a", "{name: b}, {name: c}") + flux("b", "{name: c}") + flux("c", ""), 0),
        (flux("a", "{name: b}", "HelmRelease", "x") + flux("b", "{name: a, namespace: x}", "HelmRelease", "y"), 0),
        (
            flux("a", "{name: b, namespace: y}", "HelmRelease", "x")
            + flux("b", "{name: a, namespace: x}", "HelmRelease", "y"),
            1,
        ),
    ],
)
def test_a_circle_of_deployers_is_told_once(tmp_path: Path, text: str, circles: int) -> None:
    assert len([each for each in found(tmp_path, text) if "circle" in each.finding.evidence]) == circles
