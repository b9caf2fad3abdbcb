"""topology.volcano.sh: HyperNode."""

from __future__ import annotations

from trainlint.kube.meta import read_meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_int, read_text
from trainlint.model.hypernode import HyperNode, Member
from trainlint.source.document import Field

__all__ = ["read_hypernode"]


def read_hypernode(item: Field) -> HyperNode | None:
    """The HyperNode at the cursor; ``None`` where its tier is no number."""
    spec = item["spec"]
    tier = read_int(spec["tier"])
    if not isinstance(tier, int):
        return None
    members = tuple(_member(member) for member in spec["members"].elements())
    return HyperNode(read_meta(item).name, tier, read_text(spec["tierName"]), members)


def _member(member: Field) -> Member:
    selector = member["selector"]
    return Member(
        of_nodes=read_text(member["type"]) != "HyperNode",
        name=read_text(selector.down("exactMatch", "name")),
        pattern=read_text(selector.down("regexMatch", "pattern")),
        labels=read_label_selector(selector["labelMatch"]),
    )
