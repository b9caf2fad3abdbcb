"""Which field of a kustomization made a rendered value (the builtin transformers of kustomize)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from trainlint.finding import Location
from trainlint.source.document import Document
from trainlint.source.patches import PatchTarget
from trainlint.source.transformer_fields import generator, hashed, setter

TEXT = """
namespace: ml
namePrefix: dev-
nameSuffix: -v2
commonLabels: {team: vision}
labels: [{pairs: {tier: gpu}}, {pairs: {zone: a}, includeSelectors: true}]
commonAnnotations: {owner: me}
images:
- {name: registry.example/train, newName: mirror.example/train, newTag: "2"}
- {name: registry.example/eval, digest: "sha256:ab"}
- {name: localhost:5000/x, newTag: "3"}
replicas:
- {name: other, count: 4}
- {name: train, count: 4}
replacements:
- source: {kind: ConfigMap, name: c}
  targets:
  - {select: {kind: Job}, fieldPaths: [spec.template.spec.containers.0.env.0.value]}
- source: {kind: ConfigMap, name: c}
  targets:
  - {select: {kind: Job, name: eval}, fieldPaths: [spec.parallelism]}
  - {select: {name: train}, fieldPaths: ["spec.template.spec.containers.[name=x].args.*"]}
- source: {kind: ConfigMap, name: c}
  targets:
  - {select: {kind: Queue}}
- path: more.yaml
configMapGenerator:
- {name: settings, literals: [LR=1, "NAME=a=b"], files: [deep/file.txt, KEY=deep/other.txt]}
- {name: set, literals: [LR=2]}
secretGenerator:
- {name: token, literals: [A=1]}
"""
MORE = "- {source: {}, targets: [{select: {kind: Service}, fieldPaths: ['metadata.annotations.a\\.b/c']}]}\n"


def document(text: str = TEXT, file: str = "dev/kustomization.yaml") -> Document:
    return Document(file, 0, 1, text, yaml.safe_load(text))


def documents(file: str) -> tuple[Document, ...]:
    assert file == "dev/more.yaml"
    return (document(MORE, file),)


def said(at: Location | None) -> str:
    return (
        ""
        if at is None
        else "/".join(map(str, at.path)) + ("" if at.file.startswith("dev/kus") else " in another file")
    )


JOB = PatchTarget("Job", "dev-train-v2", "train")
CONTAINER = "spec/template/spec/containers/0"


@pytest.mark.parametrize(
    ("path", "value", "written", "made"),
    [
        (f"{CONTAINER}/image", "mirror.example/train:2", "registry.example/train:1", "images/0/newTag"),
        (f"{CONTAINER}/image", "mirror.example/train:1", "registry.example/train:1", "images/0/newName"),
        (f"{CONTAINER}/image", "registry.example/train:2", "", "images/0/newTag"),
        (f"{CONTAINER}/image", "registry.example/eval@sha256:ab", "", "images/1/digest"),
        (f"{CONTAINER}/image", "registry.example/eval:1@sha256:cd", "", ""),
        (f"{CONTAINER}/image", "localhost:5000/x:3", "", "images/2/newTag"),
        (f"{CONTAINER}/image", "localhost:5000/x", "", ""),
        (f"{CONTAINER}/image", "registry.example/other:2", "", ""),
        ("spec/replicas", 4, 1, "replicas/1/count"),
        ("spec/replicas", 3, 1, ""),
        ("spec/template/replicas", 4, 1, ""),
        ("metadata/namespace", "ml", "", "namespace"),
        ("subjects/0/namespace", "ml", "", "namespace"),
        ("metadata/namespace", "other", "", ""),
        ("metadata/labels/team", "vision", "", "commonLabels/team"),
        ("spec/selector/matchLabels/team", "vision", "", "commonLabels/team"),
        ("spec/selector/team", "vision", "", "commonLabels/team"),
        ("metadata/labels/zone", "a", "", "labels/1/pairs/zone"),
        ("metadata/labels/zone", "b", "", ""),
        ("metadata/labels", {"tier": "gpu", "own": "1"}, "", "labels/0/pairs/tier"),
        ("metadata/labels", {"own": "1"}, "", ""),
        ("metadata/labels/owner", "me", "", ""),
        ("metadata/annotations/owner", "me", "", "commonAnnotations/owner"),
        ("metadata/annotations/team", "vision", "", ""),
        ("metadata/annotations", {"owner": "me"}, "", "commonAnnotations/owner"),
        ("metadata/name", "dev-train-v2", "train", "namePrefix"),
        ("metadata/name", "train-v2", "train", "nameSuffix"),
        ("metadata/name", "train", "train", ""),
        ("metadata/name", "dev-other", "train", ""),
        ("metadata/name", "dev-train", "", ""),
        (f"{CONTAINER}/env/0/value", "x", "", "replacements/0"),
        ("spec/template/spec/containers/1/env/0/value", "x", "", ""),
        (f"{CONTAINER}/env/0", {"value": "x"}, "", ""),
        ("spec/parallelism", 2, "", ""),  # it is for another job
        (f"{CONTAINER}/args/7", "x", "", "replacements/1"),
        (f"{CONTAINER}/args", ["x"], "", ""),
    ],
)
def test_what_made_a_value_of_a_job(path: str, value: Any, written: Any, made: str) -> None:
    steps = tuple(int(step) if step.isdigit() else step for step in path.split("/"))
    assert said(setter(document(), JOB, steps, value, written, documents)) == made


def test_a_replacement_is_for_the_objects_that_it_selects() -> None:
    evaluation = PatchTarget("Job", "dev-eval-v2", "eval")
    assert said(setter(document(), evaluation, ("spec", "parallelism"), 2, "", documents)) == "replacements/1"
    queue = PatchTarget("Queue", "dev-q-v2", "q")
    name = ("metadata", "name")  # what is written where a replacement names no field
    assert said(setter(document(), queue, name, "other", "q", documents)) == "replacements/2"
    service = PatchTarget("Service", "s", "s")
    label = ("metadata", "annotations", "a.b/c")
    assert said(setter(document(), service, label, "x", "", documents)) == "0 in another file"


def test_the_name_of_a_namespace_is_set_by_the_namespace() -> None:
    name = ("metadata", "name")
    assert said(setter(document(), PatchTarget("Namespace", "ml", "x"), name, "ml", "x", documents)) == "namespace"
    assert said(setter(document(), PatchTarget("Queue", "ml", "x"), ("spec", "name"), "ml", "x", documents)) == ""


@pytest.mark.parametrize(
    ("kind", "name", "path", "made"),
    [
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("data", "LR"), "configMapGenerator/0/literals/0"),
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("data", "NAME"), "configMapGenerator/0/literals/1"),
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("data", "file.txt"), "configMapGenerator/0/files/0"),
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("binaryData", "KEY"), "configMapGenerator/0/files/1"),
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("data", "GONE"), "configMapGenerator/0"),
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("metadata", "name"), "configMapGenerator/0"),
        ("ConfigMap", "dev-settings-v2-abcdefghij", ("data",), "configMapGenerator/0"),
        ("ConfigMap", "dev-set-v2-abcdefghij", ("data", "LR"), "configMapGenerator/1/literals/0"),
        ("Secret", "dev-token-v2-abcdefghij", ("stringData", "A"), "secretGenerator/0/literals/0"),
        ("Secret", "dev-settings-v2-abcdefghij", ("data", "LR"), ""),
        ("Job", "dev-settings-v2-abcdefghij", ("data", "LR"), ""),
    ],
)
def test_what_generated_an_object_or_one_of_its_entries(kind: str, name: str, path: tuple[str, ...], made: str) -> None:
    assert said(generator(document(), kind, PatchTarget(kind, name, ""), path)) == made


@pytest.mark.parametrize(
    ("value", "written", "made"),
    [
        ("dev-settings-v2-abcdefghij", "settings", "configMapGenerator/0/name"),
        ("token-0123456789", "token", "secretGenerator/0/name"),
        ("token-012345678", "token", ""),
        ("token-012345678A", "token", ""),
        ("other-0123456789", "other", ""),
        ("token-0123456789", "settings", ""),
        ("token-0123456789", "", ""),
    ],
)
def test_a_reference_with_a_hash_leads_to_the_generator(value: str, written: str, made: str) -> None:
    assert said(hashed(document(), value, written)) == made
