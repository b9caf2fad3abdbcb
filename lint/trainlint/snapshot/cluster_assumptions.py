"""What is assumed about a cluster where nothing states it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from trainlint.cel.expression import NOT_INSTALLED, is_installed
from trainlint.inventory.example_nodes import apart
from trainlint.inventory.kinds import INVENTORY_KINDS
from trainlint.model.because import Because
from trainlint.model.pool import Inventory
from trainlint.model.settings import Cni, Settings
from trainlint.snapshot.ground import SnapshotGround
from trainlint.snapshot.objects import ApiObject

__all__ = ["assumptions", "with_cni"]

CILIUM_KINDS: Final = frozenset({"CiliumCIDRGroup", "CiliumClusterwideNetworkPolicy", "CiliumNetworkPolicy"})


def with_cni(settings: Settings, objects: Iterable[ApiObject]) -> Settings:
    """The network plugin where none is stated: Cilium where its policies are in use, else an unknown one."""
    if settings.cni.stated or any(each.meta.kind in CILIUM_KINDS for each in objects):
        return settings
    return replace(settings, cni=Cni(name="", version=""))


def assumptions(
    settings: Settings, objects: Sequence[ApiObject], inventories: Sequence[Inventory]
) -> Iterator[Because]:
    """What is taken for granted about the network plugin, the version of Kubernetes, namespaces, nodes."""
    policies = any("Policy" in each.meta.kind for each in objects)
    if policies and settings.cni.stated and settings.cni.name == "cilium" and not settings.cni.version_stated:
        yield Because(SnapshotGround.CILIUM_VERSION, (settings.cni.version,))
    if policies and not settings.cni.stated:
        if settings.cni.name == "cilium":
            yield Because(SnapshotGround.CILIUM_IN_USE, (settings.cni.version,))
        else:
            yield Because(SnapshotGround.NETWORK_PLUGIN)
    if objects and not settings.kubernetes_stated:
        yield Because(SnapshotGround.KUBERNETES_VERSION, (settings.kubernetes,))
    if not is_installed() and (kinds := _kinds_with_rules(settings, objects)):
        yield Because(SnapshotGround.RULES_HOLD, (tuple(kinds), NOT_INSTALLED))
    if any(_unstated(each) for each in objects):
        yield Because(SnapshotGround.DEFAULT_NAMESPACE)
    if not settings.inventories:
        for name, home in apart(inventories, dict.fromkeys(each.file for each in objects)):
            yield Because(SnapshotGround.EXAMPLE_NODES, (name, home))


def _kinds_with_rules(settings: Settings, objects: Sequence[ApiObject]) -> list[str]:
    """The kinds of objects, of whose CRDs the rules cannot be evaluated."""
    from trainlint.admission.schema_constraints import has_rules  # noqa: PLC0415 (only without the library of CEL)

    kinds = {(each.meta.api_version, each.meta.kind): each.meta for each in objects if "/" in each.meta.api_version}
    defined = settings.definitions
    found = {meta.kind for meta in kinds.values() if has_rules(meta, defined.get((meta.api_group, meta.kind)))}
    return sorted(found)


def _unstated(each: ApiObject) -> bool:
    return not each.meta.namespace and each.ref.namespace == "default" and each.meta.kind not in INVENTORY_KINDS
