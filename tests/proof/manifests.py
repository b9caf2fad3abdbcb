"""Manifests as plain data from which constraints are taken away, for the tests of cores, of which it knows nothing.

Everything that the definition calls removable is found by looking at the files: what stands there is deleted, what is
missing is added (a toleration of everything, an entry that admits everyone, a node selector on one zone).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

__all__ = ["Manifests", "Spot"]

Spot = tuple[str, int, tuple[str | int, ...]]
"""File, document, path."""

ZONE = "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
CLAIM = "persistentVolumeClaim"
GONE = object()
CLAIMED = "example.com/gpu"
"""What containers ask for instead of GPUs of a claim that is dropped."""
ALONE = {
    "alpha.jobset.sigs.k8s.io/exclusive-topology",
    "leaderworkerset.sigs.k8s.io/exclusive-topology",
    "kueue.x-k8s.io/podset-required-topology",
}
"""Annotations that keep pods in one domain, or keep others out of it."""


class Manifests:
    """All documents of a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = {
            path.relative_to(root).as_posix(): list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
            for path in sorted(root.rglob("*.yaml"))
            if path.name != "trainlint.yaml"
        }

    def removable(self) -> Iterator[Spot]:
        """Every removable constraint, by its place."""
        for file, documents in self.files.items():
            for number, document in enumerate(documents):
                for path in _walk(document, ()):
                    yield (file, number, path)

    def written_without(self, dropped: Iterable[Spot], root: Path, zone: str = "") -> None:
        """Write the documents without some constraints; where a zone is given, every pod is pinned to it.

        Accelerators are what makes some workloads a group: a request for them that no other pod keeps is dropped by
        giving every node more of them than any pod asks for, and by lifting the limits of NodePools for them. For the
        same reason a GPU that nodes have more of than any pod asks for takes the place of a claim of GPUs.
        """
        files = copy.deepcopy(self.files)
        gone = set(dropped)
        kept = {path[-1] for _, _, path in set(self.removable()) - gone if "resources" in path}
        plenty = {path[-1] for _, _, path in gone if "resources" in path and "/" in str(path[-1])} - kept
        if any("resourceClaims" in path for _, _, path in gone):
            plenty.add(CLAIMED)
        for file, number, path in gone:
            if path[-1] not in plenty:
                _drop(files[file][number], path)
        of_gpus = self._claims_of_gpus()
        for file, documents in files.items():
            left = [_pruned(document) for document in documents]
            for document in left:
                for allocatable in _mappings(document, "allocatable"):
                    allocatable.update(dict.fromkeys(plenty, "1000000"))
                if document.get("kind") == "NodePool":
                    limits = document["spec"].get("limits", {})
                    limits.update(dict.fromkeys(plenty & limits.keys(), "1000000"))
                for spec in _mappings(document, "containers", whole=True):
                    _unmount(spec)
                    _unclaim(spec, of_gpus)
                    if zone:
                        spec.setdefault("nodeSelector", {})[ZONE] = zone
            target = root / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(yaml.safe_dump_all(left, sort_keys=False), encoding="utf-8")
        settings = self.root / "trainlint.yaml"
        if settings.exists():
            (root / "trainlint.yaml").write_bytes(settings.read_bytes())

    def _claims_of_gpus(self) -> set[str]:
        """The names by which pods call their claims of GPUs."""
        documents = [each for every in self.files.values() for each in every if isinstance(each, dict)]
        made = {
            each["metadata"]["name"]
            for each in documents
            if each.get("kind") in ("ResourceClaim", "ResourceClaimTemplate") and _asks_for_gpus(each)
        }
        pods = (spec for every in documents for spec in _mappings(every, "resourceClaims", whole=True))
        claims = (each for spec in pods for each in spec["resourceClaims"])
        return {
            each["name"]
            for each in claims
            if made & {each.get("resourceClaimName"), each.get("resourceClaimTemplateName")}
        }


def _unmount(spec: dict[str, Any]) -> None:
    """Mounts of volumes that are gone go as well: the API server refuses the pods with them."""
    volumes = {each.get("name") for each in spec.get("volumes") or ()}
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        mounts = container.get("volumeMounts")
        if mounts:
            container["volumeMounts"] = [each for each in mounts if each.get("name") in volumes]


def _unclaim(spec: dict[str, Any], of_gpus: set[str]) -> None:
    """So do the containers' uses of claims that are gone (by name, those of GPUs)."""
    names = {each.get("name") for each in spec.get("resourceClaims") or ()}
    for container in (*spec.get("containers", ()), *spec.get("initContainers", ())):
        resources = container.get("resources", {})
        lost = {each.get("name") for each in resources.get("claims") or ()} - names
        if lost:
            resources["claims"] = [each for each in resources["claims"] if each.get("name") in names]
        if lost & of_gpus:
            resources.setdefault("limits", {})[CLAIMED] = "1"


def _asks_for_gpus(made: Any) -> bool:
    """Whether a ResourceClaim or its template asks for devices of a class that is called after GPUs."""
    return any(
        "gpu" in request.get("deviceClassName", "") for request in _mappings(made, "deviceClassName", whole=True)
    )


def _walk(node: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(node, dict):
        if isinstance(node.get("containers"), list):
            yield from _of_pods(node, path)
        for key in ALONE & set(node.get("annotations") or ()):
            yield (*path, "annotations", key)
        if isinstance(node.get("taints"), list) and "devices" not in path:  # those of devices go with them
            yield from ((*path, "taints", index) for index in range(len(node["taints"])))
        if node.get("kind") == "ResourceQuota":
            yield from ((*path, "spec", "hard", key) for key in node["spec"]["hard"])
        if "networkPolicy" in node:  # of a Ray cluster: without it KubeRay makes no policies
            yield (*path, "networkPolicy")
        if node.get("kind") == "PodGroup":
            yield (*path, "spec", "minMember")
        if node.get("kind") in ("NetworkPolicy", "CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"):
            yield from _of_policy(node, path)
            return
        for key, child in node.items():
            yield from _walk(child, (*path, key))
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from _walk(child, (*path, index))


def _of_pods(spec: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    yield (*path, "tolerations")
    yield from ((*path, "nodeSelector", key) for key in spec.get("nodeSelector", {}))
    affinity = spec.get("affinity", {})
    terms = affinity.get("nodeAffinity", {}).get(REQUIRED, {}).get("nodeSelectorTerms", [])
    for index, term in enumerate(terms):
        for number in range(len(term.get("matchExpressions", []))):
            within = ("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms", index, "matchExpressions", number)
            yield (*path, *within)
    for kind in ("podAffinity", "podAntiAffinity"):
        for index in range(len(affinity.get(kind, {}).get(REQUIRED, []))):
            yield (*path, "affinity", kind, REQUIRED, index)
    yield from ((*path, "volumes", index) for index, each in enumerate(spec.get("volumes", [])) if CLAIM in each)
    yield from ((*path, "resourceClaims", index) for index in range(len(spec.get("resourceClaims", []))))
    for index, constraint in enumerate(spec.get("topologySpreadConstraints", [])):
        if constraint.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule":
            yield (*path, "topologySpreadConstraints", index)
    if spec.get("hostNetwork") and "pytorchReplicaSpecs" in path:  # the operator opens a port in its container
        yield (*path, "hostNetwork")
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind, [])):
            if spec.get("hostNetwork") and "ports" in container:
                yield (*path, kind, index, "ports")
            resources = container.get("resources", {})
            asked = {**resources.get("limits", {}), **resources.get("requests", {})}
            for name in asked:
                column = "requests" if name in resources.get("requests", {}) else "limits"
                yield (*path, kind, index, "resources", column, name)


def _of_policy(policy: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    specs = [((*path, "spec"), policy["spec"])] if "spec" in policy else []
    specs += [((*path, "specs", index), spec) for index, spec in enumerate(policy.get("specs", []))]
    for where, spec in specs:
        for side in ("ingress", "egress"):
            if side in spec or f"{side}Deny" in spec or side in [each.lower() for each in spec.get("policyTypes", [])]:
                yield (*where, side)
            yield from ((*where, f"{side}Deny", index) for index in range(len(spec.get(f"{side}Deny", []))))


def _drop(document: dict[str, Any], path: tuple[str | int, ...]) -> None:
    *parents, last = path
    node: Any = document
    for step in parents:
        node = node[step]
    match last:
        case "tolerations":
            node["tolerations"] = [{"operator": "Exists"}]
        case "ingress" | "egress":
            entities = "fromEntities" if last == "ingress" else "toEntities"
            plain = "endpointSelector" not in node and "nodeSelector" not in node
            node[last] = [*(node.get(last) or []), {} if plain else {entities: ["all"]}]
        case _ if parents[-1] in ("requests", "limits"):
            resources = document
            for step in parents[:-1]:
                resources = resources[step]
            for column in ("requests", "limits"):
                resources.get(column, {}).pop(last, None)
        case _:
            node[last] = GONE


def _pruned(node: Any) -> Any:
    if isinstance(node, dict):
        left = {key: _pruned(value) for key, value in node.items() if value is not GONE}
        terms = left.get("nodeSelectorTerms")
        if isinstance(terms, list) and any(not term.get("matchExpressions") for term in terms):
            return None  # a term of which nothing is left takes every node
        if left.get("nodeAffinity", 0) == {} or left.get("nodeAffinity", {}).get(REQUIRED, 0) is None:
            left.pop("nodeAffinity")
        if left.get("ingressDeny", 0) == []:
            left.pop("ingressDeny")
        if left.get("egressDeny", 0) == []:
            left.pop("egressDeny")
        return left
    if isinstance(node, list):
        return [_pruned(value) for value in node if value is not GONE]
    return node


def _mappings(node: Any, key: str, *, whole: bool = False) -> Iterator[dict[str, Any]]:
    """Every mapping at the key, or (``whole``) every mapping with it."""
    if isinstance(node, dict):
        if key in node:
            yield node if whole else node[key]
        for child in node.values():
            yield from _mappings(child, key, whole=whole)
    elif isinstance(node, list):
        for child in node:
            yield from _mappings(child, key, whole=whole)
