"""The schedulers that a snapshot describes, and names that were probably meant for one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Final

from trainlint.inventory.user_data import embedded
from trainlint.kube.names import distance
from trainlint.kube.spelling import only_meant
from trainlint.kube.values import is_placeholder, read_text
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field
from trainlint.workload.operator_gangs import KAI
from trainlint.workload.podgroups import DEFAULT_SCHEDULERS
from trainlint.workload.tier import VOLCANO_SCHEDULERS

__all__ = ["COSCHEDULERS", "meant_scheduler", "profiles"]

COSCHEDULERS: Final = frozenset({"scheduler-plugins-scheduler"})
"""The names under which scheduler-plugins is installed beside the default scheduler."""
_LONG: Final = 5
"""Letters of a word of which two may be wrong."""
_KIND: Final = "KubeSchedulerConfiguration"
_PLUGIN: Final = "Coscheduling"
_POINTS: Final = ("multiPoint", "permit")


def profiles(objects: Iterable[ApiObject]) -> Mapping[str, bool]:
    """The names of the scheduler profiles in Git, each with whether it runs the plugin Coscheduling."""
    found: dict[str, bool] = {}
    for configuration in _configurations(objects):
        for profile in configuration["profiles"].elements():
            name = read_text(profile["schedulerName"]) or "default-scheduler"
            found[name] = found.get(name, False) or _runs(profile["plugins"])
    return found


def _configurations(objects: Iterable[ApiObject]) -> Iterator[Field]:
    """Files of their own, and what ConfigMaps hold as text."""
    for each in objects:
        if each.meta.kind == _KIND:
            yield each.field
        elif each.meta.kind == "ConfigMap":
            data = each.field["data"]
            held = [data[key] for key, text in (data.mapping or {}).items() if isinstance(text, str) and _KIND in text]
            yield from (found for text in held for found in embedded(text) if found["kind"].string == _KIND)


def _runs(plugins: Field) -> bool:
    return any(
        read_text(each["name"]) == _PLUGIN for point in _POINTS for each in plugins.down(point, "enabled").elements()
    )


def meant_scheduler(name: str, described: Iterable[str]) -> str:
    """The scheduler for which a name was probably meant that is none of a known one; empty if there is none."""
    known = {*DEFAULT_SCHEDULERS, *VOLCANO_SCHEDULERS, KAI, *COSCHEDULERS, *described} - {""}
    if not name or name in known or is_placeholder(name):
        return ""
    meant = only_meant(name, sorted(known))
    return meant if meant and _is_slip(name, meant) else ""


def _is_slip(name: str, meant: str) -> bool:
    """Whether the words that differ are long, or one letter off: ``ali-scheduler`` is not meant for KAI's."""
    pairs = list(zip_longest(name.split("-"), meant.split("-"), fillvalue=""))
    return all(one == other or len(other) >= _LONG or distance(one, other) <= 1 for one, other in pairs)
