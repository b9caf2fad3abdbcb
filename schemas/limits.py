"""Writes what the CRDs of operators demand of values (``limits/``): enumerations, patterns, bounds, rules in CEL.

``python schemas/limits.py FOLDER`` reads clones of the repositories named below, each at ``FOLDER/NAME``, with their
tags. Each demand carries the first release that makes it, unless the oldest one that is looked at makes it too. What
pods must be is left out: it is the same for all kinds, and Kubernetes' own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).parent / "trainlint_schemas" / "limits"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
KEYWORDS = ("enum", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maxProperties", "maximum")
KEYWORDS += ("minItems", "minLength", "minProperties", "minimum", "multipleOf", "pattern", "required")
PLACES = ("config/components/crd/bases", "config/crd/bases", "ray-operator/config/crd/bases", "manifests/base/crds")
PLACES += ("config/crd/volcano/bases", "manifests/base")
SOURCES = (
    # operator, repository, minor releases from the oldest, CRD files
    ("JobSet", "jobset", [f"0.{each}" for each in range(5, 13)], ["jobset.x-k8s.io_jobsets"]),
    (
        "LeaderWorkerSet",
        "lws",
        [f"0.{each}" for each in range(4, 11)],
        ["leaderworkerset.x-k8s.io_leaderworkersets", "disaggregatedset.x-k8s.io_disaggregatedsets"],
    ),
    (
        "KubeRay",
        "kuberay",
        [f"1.{each}" for each in range(1, 8)],
        ["ray.io_rayclusters", "ray.io_rayjobs", "ray.io_rayservices", "ray.io_raycronjobs"],
    ),
    ("the MPI Operator", "mpi-operator", [f"0.{each}" for each in range(4, 9)], ["kubeflow.org_mpijobs"]),
    (
        "the Training Operator",
        "trainer",
        ["1.7", "1.8", "1.9"],
        [f"kubeflow.org_{each}jobs" for each in ("pytorch", "tf", "xgboost", "paddle", "jax", "mpi")],
    ),
    (
        "Trainer",
        "trainer",
        ["2.0", "2.1", "2.2", "2.3"],
        [f"trainer.kubeflow.org_{each}" for each in ("trainjobs", "trainingruntimes", "clustertrainingruntimes")],
    ),
    (
        "Volcano",
        "volcano",
        [f"1.{each}" for each in range(9, 16)],
        [
            "batch.volcano.sh_jobs",
            "batch.volcano.sh_cronjobs",
            "scheduling.volcano.sh_queues",
            "scheduling.volcano.sh_podgroups",
            "topology.volcano.sh_hypernodes",
        ],
    ),
    (
        "Kueue",
        "kueue",
        [f"0.{each}" for each in range(10, 20)],
        [
            f"kueue.x-k8s.io_{each}"
            for each in ("admissionchecks", "clusterqueues", "cohorts", "localqueues", "resourceflavors", "topologies")
        ],
    ),
)

Tree = dict[str, Any]


def git(clone: Path, *words: str) -> str:
    """What git prints; empty where it fails."""
    done = subprocess.run(["git", "-C", str(clone), *words], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return done.stdout if done.returncode == 0 else ""


def tag_of(clone: Path, minor: str) -> str:
    """The tag of the last patch of a minor release; empty where there is none."""
    found = [each for each in git(clone, "tag", "--list", f"v{minor}.*").split() if "-" not in each]
    return max(found, key=lambda each: int(each.rpartition(".")[2]), default="")


def crd(clone: Path, tag: str, name: str) -> Mapping[str, Any] | None:
    """The CRD of a release; ``None`` where the release has none of that name."""
    for place in PLACES:
        if text := git(clone, "show", f"{tag}:{place}/{name}.yaml"):
            loaded: Mapping[str, Any] = yaml.load(text, LOADER)  # noqa: S506 (a safe loader)
            return loaded
    return None


def is_pod(fields: Mapping[str, Any]) -> bool:
    """Whether these are the fields of a pod."""
    return "containers" in fields and "volumes" in fields


def for_python(pattern: str) -> str:
    """A regular expression of Go, in which flags may stand anywhere, as Python reads it."""
    return re.sub(r"\(\?([ims]+)\)(.*)\Z", r"(?\1:\2)", pattern, flags=re.DOTALL)


def tree(node: Mapping[str, Any]) -> Tree:
    """The demands of a schema, with those of what lies below."""
    fields = node.get("properties", {})
    if is_pod(fields):
        return {}
    found: Tree = {key: node[key] for key in KEYWORDS if key in node}
    if "pattern" in found:
        found["pattern"] = for_python(found["pattern"])
    if isinstance(node.get("format"), str) and node["format"] in ("date-time", "duration", "byte"):
        found["form"] = node["format"]
    if node.get("x-kubernetes-preserve-unknown-fields") is not True and node.get("type") == "number":
        found["form"] = "number"
    if "default" in node:
        found["default"] = node["default"]
    rules = [
        {key: each[key] for key in ("rule", "message", "messageExpression", "fieldPath") if key in each}
        for each in node.get("x-kubernetes-validations", ())
        if "oldSelf" not in each["rule"]
    ]
    if rules:
        found["rules"] = rules
    below = {name: made for name, each in fields.items() if name != "status" and (made := tree(each))}
    if below:
        found["properties"] = below
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict) and (made := tree(node[key])):
            found[key] = made
    return found


def whole(version: Mapping[str, Any]) -> Tree:
    """The demands of a version, without those of metadata, which every object has."""
    found = tree(version["schema"]["openAPIV3Schema"])
    found.get("properties", {}).pop("metadata", None)
    return found


def same(key: str, one: Any, other: Any) -> bool:
    """Whether an older release demands as much: an enumeration of fewer values does."""
    if key == "enum":
        return other is not None and set(map(str, other)) <= set(map(str, one))
    if key == "required":
        return other is not None and set(one) <= set(other)
    if key == "rules":
        return other is not None and {each["rule"] for each in one} <= {each["rule"] for each in other}
    return bool(one == other)


def dated(newest: Tree, older: list[tuple[str, Tree | None]], first: str) -> Tree:
    """The demands, each with the first release that makes it (``since``), if it is not the oldest.

    ``older`` are the trees of the releases before, the newest of them first; ``first`` is the newest itself.
    """
    found = dict(newest)
    since: dict[str, str] = {}
    for key in (*KEYWORDS, "rules"):
        if key in newest:
            begun = first
            for release, made in older:
                if made is None or key not in made or not same(key, newest[key], made[key]):
                    break
                begun = release
            if not older or begun != older[-1][0]:
                since[key] = begun
    if since:
        found["since"] = since
    if "properties" in newest:
        found["properties"] = {
            name: dated(each, [(release, at(made, "properties", name)) for release, made in older], first)
            for name, each in newest["properties"].items()
        }
    for key in ("items", "additionalProperties"):
        if key in newest:
            found[key] = dated(newest[key], [(release, at(made, key)) for release, made in older], first)
    return found


def at(made: Tree | None, *steps: str) -> Tree | None:
    """What lies below, which may be nothing."""
    for step in steps:
        made = made.get(step) if made is not None else None
    return made


def kinds(folder: Path) -> Iterator[tuple[str, Tree]]:
    """Each kind (``jobset.x-k8s.io/v1alpha2 JobSet``) with its demands."""
    for operator, repository, minors, names in SOURCES:
        clone = folder / repository
        tags = [(minor, tag) for minor in minors if (tag := tag_of(clone, minor))]
        for name in names:
            read = [(minor, crd(clone, tag, name)) for minor, tag in reversed(tags)]
            there = [(minor, each) for minor, each in read if each is not None]
            if not there:
                continue
            newest = there[0][1]
            oldest_kind = there[-1][0]
            for version in newest["spec"]["versions"]:
                older = [(minor, of_version(each, version["name"])) for minor, each in there[1:]]
                older = [(minor, each) for minor, each in older if each is not None]
                made = dated(whole(version), older, there[0][0])
                head = {"operator": operator, "release": there[0][0]}
                if oldest_kind != tags[0][0]:
                    head["from"] = oldest_kind
                title = f"{newest['spec']['group']}/{version['name']} {newest['spec']['names']['kind']}"
                yield title, {**head, **made}


def of_version(written: Mapping[str, Any], name: str) -> Tree | None:
    """The demands of a version of a CRD; ``None`` where it has no such version."""
    return next((whole(each) for each in written["spec"]["versions"] if each["name"] == name), None)


def main() -> None:
    """Write every file anew."""
    TARGET.mkdir(exist_ok=True)
    for old in TARGET.glob("*.json"):
        old.unlink()
    for title, made in kinds(Path(sys.argv[1])):
        version, kind = title.split(" ")
        text = json.dumps(made, sort_keys=True, separators=(",", ":")).replace('},"', '},\n"')
        (TARGET / f"{version.replace('/', '_')}_{kind}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
