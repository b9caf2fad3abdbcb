"""How manifests lie in a repository changes nothing: kustomizations that only list them, files, names, neighbours."""

from __future__ import annotations

import posixpath
from collections import defaultdict

import pytest
from tests.laws.worlds import (
    WORLDS,
    Files,
    describes_nodes,
    is_plain,
    key_of,
    manifests,
    said_of,
    said_of_world,
    world,
)


def plain_world(name: str) -> Files:
    """The files of a world that are deployed as they are written; any other world is skipped."""
    files = world(name)
    if files is None or not is_plain(files):
        pytest.skip("files of it are named by a kustomization, a chart, a deployer, a setting or a test tool")
    return files


@pytest.mark.parametrize("name", WORLDS)
def test_a_kustomization_that_only_lists_files_changes_nothing(name: str) -> None:
    """In each directory it lists every file of it. Directories that define one object twice are left alone, because
    kustomize builds none of that; so are files about nodes, which join every snapshot only outside of kustomizations.
    """
    files = plain_world(name)
    by_directory: dict[str, list[str]] = defaultdict(list)
    keys: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for file, documents in manifests(files):
        directory = posixpath.dirname(file)
        keys[directory] += [key_of(value) for _, value in documents]
        if not any(describes_nodes(value) for _, value in documents):
            by_directory[directory].append(posixpath.basename(file))
    more = {
        posixpath.join(directory, "kustomization.yaml"): "resources:\n"
        + "".join(f"- {each}\n" for each in sorted(listed))
        for directory, listed in by_directory.items()
        if len(set(keys[directory])) == len(keys[directory])
    }
    if not more:
        pytest.skip("no directory of it can be a kustomization")
    assert said_of({**files, **more}) == said_of_world(name)


@pytest.mark.parametrize("name", WORLDS)
def test_one_object_a_file_in_another_order_changes_nothing(name: str) -> None:
    """Every document becomes a file of its own, the last one first. Files that define one object twice are left alone:
    of two definitions in one file the last counts, in two files they are alternatives.
    """
    files = dict(plain_world(name))
    for file, documents in list(manifests(files)):
        if len({key_of(value) for _, value in documents}) == len(documents):
            del files[file]
            stem, _ = posixpath.splitext(file)
            for number, (text, _) in enumerate(reversed(documents)):
                files[f"{stem}-{number}.yaml"] = text
    assert said_of(files) == said_of_world(name)


@pytest.mark.parametrize("name", WORLDS)
def test_all_objects_of_a_directory_in_one_file_change_nothing(name: str) -> None:
    """Directories that define one object twice are left alone, as above."""
    files = dict(plain_world(name))
    by_directory: dict[str, list[tuple[str, str, tuple[str, ...]]]] = defaultdict(list)
    for file, documents in manifests(files):
        by_directory[posixpath.dirname(file)] += [(file, text, key_of(value)) for text, value in documents]
    for directory, found in by_directory.items():
        if len({key for _, _, key in found}) == len(found):
            for file, _, _ in found:
                files.pop(file, None)
            files[posixpath.join(directory, "all-of-it.yaml")] = "---\n".join(text for _, text, _ in found)
    assert said_of(files) == said_of_world(name)


NEIGHBOUR = """apiVersion: v1
kind: Namespace
metadata: {name: neighbour}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: neighbour, namespace: neighbour}
spec:
  replicas: 2
  selector: {matchLabels: {neighbour: web}}
  template:
    metadata: {labels: {neighbour: web}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: web, image: "registry.example/web:IMAGE", ports: [{containerPort: 8080}]}]
---
apiVersion: v1
kind: Service
metadata: {name: neighbour, namespace: neighbour}
spec: {selector: {neighbour: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: neighbour, namespace: neighbour}
spec: {podSelector: {matchLabels: {neighbour: web}}, policyTypes: [Ingress], ingress: [{ports: [{port: 8080}]}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: neighbour, namespace: neighbour}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"""
"""What another team has in a namespace of its own: it selects no pod of others, and no other selects its pods."""


@pytest.mark.parametrize("name", WORLDS)
def test_a_neighbour_changes_nothing(name: str) -> None:
    """Another team's objects lie in directories before and behind, in two states of which neither concerns this one."""
    files = world(name)
    if files is None:
        pytest.skip("it compares two revisions")
    more = {
        "00-neighbour/one/web.yaml": NEIGHBOUR.replace("IMAGE", "1"),
        "00-neighbour/two/web.yaml": NEIGHBOUR.replace("IMAGE", "2"),
        "zz-neighbour/more.yaml": NEIGHBOUR.replace("IMAGE", "3").replace("name: neighbour", "name: neighbour-more"),
    }
    assert said_of({**files, **more}) == said_of_world(name)
