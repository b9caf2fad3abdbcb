"""The platform of a cluster, where something depends on it and only the manifests show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trainlint.deploy.deployment import Release
from trainlint.model.because import Because
from trainlint.model.pool import Inventory
from trainlint.model.settings import EXTENDED_RESOURCE_TOLERATION, Settings
from trainlint.snapshot.ground import SnapshotGround
from trainlint.snapshot.objects import ApiObject

__all__ = ["with_platform"]


def with_platform(
    settings: Settings, inventories: Sequence[Inventory], objects: Sequence[ApiObject], releases: tuple[Release, ...]
) -> tuple[Settings, tuple[Because, ...]]:
    """The settings with the platform that the manifests show, and what is assumed.

    Only taints that are named like a resource depend on it: where there is none, nothing is looked for.
    """
    stated = settings.profile_stated or EXTENDED_RESOURCE_TOLERATION in settings.admission
    keys = (taint.key for each in inventories for pool in each.pools for taint in pool.taints)
    if stated or not any("/" in key and "kubernetes.io/" not in key for key in keys):
        return settings, ()
    from trainlint.installed.platform import platform_of  # noqa: PLC0415 (seldom needed)

    shown = platform_of(((each.meta, each.field) for each in objects), releases)
    if shown is None:
        return replace(settings, platform_unknown=True), ()
    profile, sign = shown
    return replace(settings, profile=profile), (Because(SnapshotGround.PROFILE, (profile, sign)),)
