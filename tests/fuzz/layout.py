"""Mutations of how files lie: what moves between them, what renders them, what deploys them, what is configured."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import yaml
from tests.fuzz.structure import dumped, manifests, parsed
from tests.fuzz.worlds import World

__all__ = ["LAYOUT"]

PREFIXES = ("", "../", "./", "a/", "x/../")


def _parsed_files(world: World) -> dict[str, list[Any]]:
    found = {name: parsed(world[name]) for name in manifests(world)}
    return {name: documents for name, documents in found.items() if documents is not None}


def move(world: World, rng: random.Random) -> World:
    """A document in another file, which may be a new one."""
    files = {name: documents for name, documents in _parsed_files(world).items() if documents}
    if not files:
        return world
    source = rng.choice(sorted(files))
    target = rng.choice([*sorted(files), "moved.yaml", "moved/there.yml"])
    document = files[source].pop(rng.randrange(len(files[source])))
    made = {**world, source: dumped(files[source])}
    return {**made, target: made.get(target, b"") + b"\n---\n" + dumped([document])}


def as_json(world: World, rng: random.Random) -> World:
    """A file of one document as JSON, under its name or as .json."""
    files = {name: each for name, each in _parsed_files(world).items() if len(each) == 1}
    if not files:
        return world
    name = rng.choice(sorted(files))
    try:
        content = json.dumps(files[name][0], indent=rng.choice([None, 2]), default=str).encode("utf-8", "replace")
    except (TypeError, ValueError, RecursionError):  # keys that are lists, aliases of what holds them
        return world
    made = {other: each for other, each in world.items() if other != name}
    return {**made, rng.choice([name, name.rpartition(".")[0] + ".json"]): content}


def rename(world: World, rng: random.Random) -> World:
    """A file under another name or in another directory."""
    name = rng.choice(sorted(world))
    other = rng.choice(
        ["z.yaml", "A.YAML", "deep/er/x.yaml", "é.yaml", "with space.yaml", "#.yaml", "'.yaml", "b.yml.j2"]
    )
    made = dict(world)
    made[other] = made.pop(name)
    return made


def kustomization(world: World, rng: random.Random) -> World:
    """A kustomization around files of one directory that changes names, labels, namespaces or values."""
    home = rng.choice(sorted({name.rpartition("/")[0] for name in manifests(world)} or {""}))
    files = [name for name in manifests(world) if name.rpartition("/")[0] == home and "kustomization" not in name]
    if not files:
        return world
    below = f"{home}/" if home else ""
    made: dict[str, Any] = {"resources": [name.removeprefix(below) for name in files]}
    target = {"kind": rng.choice(["Job", "PyTorchJob", "Deployment", "NetworkPolicy"])}
    patch = [{"op": rng.choice(["replace", "add", "remove"]), "path": "/metadata/labels", "value": {"a": "b"}}]
    made |= rng.choice(
        [
            {},
            {"namePrefix": "x-"},
            {"nameSuffix": "-é"},
            {"namespace": rng.choice(["ml", "kube-system", ""])},
            {"commonLabels": {"team": "a"}},
            {"labels": [{"pairs": {"app": "b"}, "includeSelectors": True}]},
            {"patches": [{"target": target, "patch": yaml.safe_dump(patch)}]},
            {"patches": [{"path": "gone.yaml"}]},
            {"replicas": [{"name": "w0", "count": rng.choice([0, 3])}]},
            {"components": ["../gone"]},
            {"images": [{"name": "registry.example/train", "newTag": "2"}]},
        ]
    )
    where = rng.choice([below, f"{below}overlay/"])
    if where != below:
        made["resources"] = [f"../{each}" for each in made["resources"]]
    return {**world, f"{where}kustomization.yaml": dumped([made])}


def chart(world: World, rng: random.Random) -> World:
    """A chart of which one of the files is a template."""
    files = [name for name in manifests(world) if "kustomization" not in name and "trainlint" not in name]
    if not files:
        return world
    name = rng.choice(files)
    made = {other: content for other, content in world.items() if other != name}
    pieces = [b"", b"{{- if .Values.on }}\n", b"# {{ .Values.x }}\n", b"{{ range .Values.list }}\n", b"{{ end }}\n"]
    head = rng.choice(pieces)
    tail = b"\n{{- end }}\n" if b"if" in head or b"range" in head else b""
    values = rng.choice([b"on: true\nlist: [1, 2]\n", b"on: false\n", b"", b"x: &a [*a]\n"])
    return {
        **made,
        "chart/Chart.yaml": b"apiVersion: v2\nname: made\nversion: 1.0.0\n",
        "chart/values.yaml": values,
        "chart/templates/made.yaml": head + world[name] + tail,
    }


def deployer(world: World, rng: random.Random) -> World:
    """Flux or Argo CD deploys a directory of the repository."""
    homes = [*sorted({name.rpartition("/")[0] for name in world}), "gone", "/", "..", ""]
    path, namespace = rng.choice(PREFIXES) + rng.choice(homes), rng.choice(["ml", "kube-system", "", "A_B"])
    if rng.random() < 0.5:
        made: dict[str, Any] = {
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
            "kind": "Kustomization",
            "metadata": {"name": "apps", "namespace": "flux-system"},
            "spec": {"path": path, "targetNamespace": namespace, "sourceRef": {"kind": "GitRepository", "name": "g"}},
        }
        if rng.random() < 0.4:
            made["spec"]["postBuild"] = {"substitute": {"N": rng.choice(["1", "", "8"])}}
    else:
        made = {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": "apps", "namespace": "argocd"},
            "spec": {
                "source": {"path": path, "repoURL": "https://git.example/x.git"},
                "destination": {"namespace": namespace, "server": "https://kubernetes.default.svc"},
            },
        }
    return {**world, "deployer.yaml": dumped([made])}


def configuration(world: World, rng: random.Random) -> World:
    """Settings of trainlint: clusters, topology, what is selected."""
    homes = sorted({name.partition("/")[0] for name in world if "/" in name}) or ["."]
    made = rng.choice(
        [
            {"clusters": [{"name": "c", "topology_key": rng.choice(["kubernetes.io/hostname", "rack", ""])}]},
            {"clusters": [{"name": "a", "paths": [rng.choice(homes)]}, {"name": "b", "paths": ["gone"]}]},
            {"rules": {"severity": {"flow-denied": rng.choice(["note", "off"])}}},
            {"fail_on": "note", "require_reason": True},
            {"nothing": 1},
            {},
        ]
    )
    return {**world, "trainlint.yaml": dumped([made])}


LAYOUT: dict[str, Callable[[World, random.Random], World]] = {
    each.__name__: each for each in (move, as_json, rename, kustomization, chart, deployer, configuration)
}
"""The mutations by name: a repository and a random generator to another repository."""
