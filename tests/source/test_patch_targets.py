"""Patches whose target may have been taken out of the copy choose it by themselves: kustomize then reaches nothing."""

from __future__ import annotations

from typing import Any

import yaml

from trainlint.source.document import Document
from trainlint.source.documents import every_document
from trainlint.source.patch_targets import with_chosen_targets

FILES = {
    "one.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a.b, namespace: ml}\nspec: {replicas: 2}\n",
    "two.yaml": "kind: Job\nmetadata: {name: c}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: d}\n",
    "operations.yaml": "- {op: remove, path: /spec}\n",
}
DEPLOYMENT = {"group": "apps", "version": "v1", "kind": "Deployment", "name": "a\\.b", "namespace": "ml"}


def documents(file: str) -> tuple[Document, ...]:
    return every_document(file, FILES[file].encode()) if file in FILES else ()


def made(kustomization: dict[str, Any]) -> Any:
    root = Document("kustomization.yaml", 0, 1, yaml.safe_dump(kustomization), kustomization)
    return with_chosen_targets(root, kustomization, documents)


def targets(kustomization: dict[str, Any]) -> list[Any]:
    return [each.get("target") for each in made(kustomization)["patches"]]


def test_merge_patches_get_the_target_that_they_name() -> None:
    found = made({"resources": ["a.yaml"], "patchesStrategicMerge": ["one.yaml"]})
    assert found["resources"] == ["a.yaml"]
    assert set(found) == {"resources", "patches"}
    (patch,) = found["patches"]
    assert patch["target"] == DEPLOYMENT
    assert yaml.safe_load(patch["patch"]) == yaml.safe_load(FILES["one.yaml"])


def test_each_document_of_a_file_is_a_patch_of_its_own() -> None:
    assert targets({"patchesStrategicMerge": ["two.yaml"]}) == [
        {"kind": "Job", "name": "c"},
        {"version": "v1", "kind": "Service", "name": "d"},
    ]


def test_patches_in_place_count_as_well() -> None:
    assert targets({"patchesStrategicMerge": [FILES["one.yaml"]]}) == [DEPLOYMENT]
    assert targets({"patches": [{"patch": FILES["one.yaml"]}, {"path": "two.yaml"}]}) == [
        DEPLOYMENT,
        {"kind": "Job", "name": "c"},
        {"version": "v1", "kind": "Service", "name": "d"},
    ]


def test_a_written_target_stays_beside_others() -> None:
    written = {"path": "operations.yaml", "target": {"kind": "Job"}}
    found = made({"patches": [written, {"path": "one.yaml"}]})["patches"]
    assert found[0] == written
    assert found[1]["target"] == DEPLOYMENT


def test_nothing_changes_where_every_patch_has_a_target() -> None:
    assert made({"resources": ["a.yaml"]}) is None
    assert made({"patches": [{"path": "one.yaml", "target": {"kind": "Job"}}]}) is None
    assert made({"patches": [{"options": {}}]}) is None


def test_operations_get_a_pattern_that_only_their_name_matches() -> None:
    found = made({"patchesJson6902": [{"path": "operations.yaml", "target": {"kind": "Job", "name": "a.b"}}]})
    assert found == {"patches": [{"path": "operations.yaml", "target": {"kind": "Job", "name": "a\\.b"}}]}
    found = made({"patchesJson6902": [{"path": "operations.yaml", "target": {"kind": "Job"}}]})
    assert found["patches"][0]["target"]["kind"] == "Job"
    assert not found["patches"][0]["target"]["name"]


def test_what_cannot_be_read_is_left_to_kustomize() -> None:
    assert made({"patchesStrategicMerge": ["gone.yaml"]}) == {"patches": [{"path": "gone.yaml"}]}
    (patch,) = made({"patches": [{"path": "operations.yaml"}]})["patches"]
    assert set(patch) == {"patch"}
