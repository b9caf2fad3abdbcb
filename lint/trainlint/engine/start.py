"""What a repository says about its clusters by itself, and what it leaves open: for a first configuration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from trainlint.engine.current_repository import opened
from trainlint.engine.repository_state import State
from trainlint.facts.facts import Facts
from trainlint.kube.kueue import KUEUE_KINDS
from trainlint.start import MissingFact, Start

__all__ = ["first_look"]

INVENTORY: Final = "kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml"
VERSION: Final = "kubectl version -o yaml"
CNI: Final = "kubectl get daemonsets -n kube-system -o wide"
CILIUM: Final = "kubectl get configmap cilium-config -n kube-system -o yaml"
ADMISSION: Final = "kubectl get pods -n kube-system -l component=kube-apiserver -o yaml"
KUEUE: Final = "kubectl get clusterqueues,localqueues,resourceflavors,topologies -A -o yaml > kueue.yaml"

_PROFILES: Final = (
    ("EC2NodeClass", "eks"),
    ("ClusterConfig", "eks"),
    ("AKSNodeClass", "aks"),
    ("GCENodeClass", "gke"),
    ("ComputeClass", "gke"),
    ("OCINodeClass", "oke"),
)
_KIND_GROUP: Final = "kind.x-k8s.io"


def first_look(paths: Sequence[Path], *, cache: bool = False) -> Start:
    """Read the repository as ``check`` does, with its ``cache``. Raises UsageError as it does."""
    state, _ = opened(paths, cache=cache)
    profile, because = _profile(state)
    inventories = dict.fromkeys(
        f"{each.name} ({'complete' if each.complete else 'not all nodes'})"
        for snapshot in state.snapshots
        for each in snapshot.inventories
    )
    facts = state.facts
    cni = next((each.snapshot.settings.cni.name for each in facts if each.snapshot.settings.cni.name), "")
    return Start(
        root=state.world.root,
        groups=len({group.name for each in facts for group in each.snapshot.workloads.groups}),
        policies=len({entry.at for each in facts for entry in each.policies.entries}),
        inventories=tuple(inventories),
        profile=profile,
        because=because,
        cni=cni,
        missing=tuple(dict.fromkeys(_missing(state, facts, cni, profile))),
        clusters=tuple(
            dict.fromkeys(each.settings.cluster for each in state.snapshots if each.settings.cluster and each.objects)
        ),
    )


def _profile(state: State) -> tuple[str, str]:
    for kind, profile in _PROFILES:
        for each in state.repository.objects:
            if each.meta.kind == kind and (kind != "ClusterConfig" or each.meta.api_group == "eksctl.io"):
                return profile, f"{each.file} holds a {kind}"
    for each in state.repository.objects:
        if each.meta.kind == "Cluster" and each.meta.api_group == _KIND_GROUP:
            return "generic", f"write kind if {each.file} is the cluster that the manifests are for"
    return "generic", "no file tells the platform"


def _missing(state: State, facts: Iterable[Facts], cni: str, profile: str) -> Iterator[MissingFact]:
    for each in facts:
        snapshot = each.snapshot
        if not any(found.complete for found in snapshot.inventories):
            partial = next((found.partial for found in snapshot.inventories if found.partial), "")
            why = partial or "without the nodes nothing can be said about scheduling"
            yield MissingFact("all nodes of the cluster", why, INVENTORY)
        if not snapshot.settings.kubernetes_stated:
            yield MissingFact("the Kubernetes version", "the newest is assumed; write it to kubernetes:", VERSION)
        if not snapshot.settings.cni.stated and each.policies.entries:
            why = "policies mean different things under different network plugins; write it to cni:"
            yield MissingFact("the network plugin and its version", why, CNI)
            if cni == "cilium":
                why = "options such as policy-cidr-match-mode and labels change what policies match; write them to cni:"
                yield MissingFact("the options of Cilium", why, CILIUM)
        elif each.policies.entries and cni == "cilium" and not snapshot.settings.cni.version_stated:
            why = "policies mean different things under different versions; write it to cni:"
            yield MissingFact("the version of Cilium", why, CNI)
        queued = any(pod_set.queue for pod_set in snapshot.workloads.pod_sets)
        if queued and not any(item.meta.kind in KUEUE_KINDS for item in snapshot.objects):
            yield MissingFact("the queues of Kueue", "jobs name queues that are not in Git", KUEUE)
        if snapshot.workloads.groups and profile == "generic":
            why = "some add tolerations to pods that ask for GPUs; write the names to admission:"
            yield MissingFact("admission plugins beside the defaults", why, ADMISSION)
    for unknown in state.repository.unknowns:
        if unknown.command:
            yield MissingFact(f"{unknown.subject}: {unknown.missing}", "", unknown.command)
