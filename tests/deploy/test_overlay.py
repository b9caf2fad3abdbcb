"""The fields that deployers pass to kustomize, in its words (Flux: Kustomization spec; Argo CD: source.kustomize)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainlint.deploy.overlay import argo_overlay, flux_overlay
from trainlint.finding import Location
from trainlint.source.deployer_overlay import with_deployer_fields
from trainlint.source.document import Document
from trainlint.source.rendered_root import Overlay


def overlay(kind: str, fields: dict[str, Any]) -> Overlay | None:
    document = Document("d.yaml", 0, 1, "", {"spec": fields})
    return (flux_overlay if kind == "flux" else argo_overlay)(document.root["spec"])


@pytest.mark.parametrize(
    ("text", "image"),
    [
        # `kustomize edit set image` documents these forms
        ("busybox=alpine:3.6", {"name": "busybox", "newName": "alpine", "newTag": "3.6"}),
        ("registry.example:5000/a:2", {"name": "registry.example:5000/a", "newTag": "2"}),
        ("registry.example:5000/a", {"name": "registry.example:5000/a"}),
        ("a@sha256:24a0", {"name": "a", "digest": "sha256:24a0"}),
        ("a=b@sha256:24a0", {"name": "a", "newName": "b", "digest": "sha256:24a0"}),
    ],
)
def test_images_of_argo_are_those_of_kustomize_edit(text: str, image: dict[str, str]) -> None:
    made = overlay("argo", {"images": [text]})
    assert made is not None
    assert made.fields == {"images": [image]}
    assert made.at(("images", 0)) == Location("d.yaml", 0, ("spec", "images", 0))


def test_a_namespace_stands_under_the_name_that_the_deployer_has_for_it() -> None:
    flux = overlay("flux", {"namePrefix": "a-", "targetNamespace": "team"})
    argo = overlay("argo", {"namePrefix": "a-", "namespace": "team"})
    assert flux is not None
    assert argo is not None
    assert flux.fields == argo.fields == {"namePrefix": "a-", "namespace": "team"}
    assert flux.key == argo.key
    assert flux.at(("namespace",)).path == ("spec", "targetNamespace")
    assert argo.at(("namespace",)).path == ("spec", "namespace")


def test_labels_without_selectors_are_found_among_the_common_ones() -> None:
    made = overlay("argo", {"commonLabels": {"team": "x"}, "labelWithoutSelector": True})
    assert made is not None
    assert made.fields == {"labels": [{"pairs": {"team": "x"}, "includeTemplates": False}]}
    assert made.at(("labels", 0, "pairs", "team")).path == ("spec", "commonLabels", "team")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("flux", {}),
        ("flux", {"targetNamespace": "team"}),  # objects are moved without a renderer, too
        ("flux", {"namePrefix": "a-", "patchesStrategicMerge": [{"kind": "Job"}]}),
        ("argo", {"images": ["a=*:2"]}),
        ("argo", {"namespace": "team"}),
    ],
    ids=json.dumps,
)
def test_what_needs_no_renderer_or_cannot_be_told_is_no_overlay(kind: str, fields: dict[str, Any]) -> None:
    assert overlay(kind, fields) is None


def test_fields_join_those_of_the_kustomization() -> None:
    # Flux appends patches and components and replaces images by name; `kustomize edit` replaces labels by key
    before = {
        "resources": ["a.yaml"],
        "namePrefix": "old-",
        "patches": [{"path": "one.yaml"}],
        "images": [{"name": "a", "newTag": "1"}, {"name": "b", "newTag": "1"}],
        "commonLabels": {"team": "x", "kept": "y"},
    }
    added = {
        "namePrefix": "new-",
        "patches": [{"path": "two.yaml"}],
        "images": [{"name": "a", "newTag": "2"}],
        "commonLabels": {"team": "z"},
        "components": ["../c"],
    }
    assert with_deployer_fields(before, added) == {
        "resources": ["a.yaml"],
        "namePrefix": "new-",
        "patches": [{"path": "one.yaml"}, {"path": "two.yaml"}],
        "images": [{"name": "b", "newTag": "1"}, {"name": "a", "newTag": "2"}],
        "commonLabels": {"team": "z", "kept": "y"},
        "components": ["../c"],
    }
    assert before["namePrefix"] == "old-"
