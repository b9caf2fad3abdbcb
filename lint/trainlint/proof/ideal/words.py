"""Needs in words, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.model.needs import Needs, ObjectNeed, RoleNeed
from trainlint.model.pod import Toleration
from trainlint.model.settings import ZONE
from trainlint.scheduling.node_affinity import describe

__all__ = ["domain_word", "need_words", "object_words", "role_words", "taint_words"]


def need_words(needs: Needs) -> Iterator[str]:
    """What must be there, the nodes first."""
    for role in needs.roles:
        yield role_words(role)
    if needs.domain:
        where = f": {' or '.join(needs.zones)}" if needs.zones else ""
        yield f"all of this in one {domain_word(needs.domain)}{where}"
    yield from (f"all of this on nodes with one value of the label {key}" for key in needs.shared)
    if needs.together:
        word = domain_word(needs.together)
        yield f"nothing keeps the pods together: every placement is good only where such nodes are in one {word}"
    yield from (f"{object_words(each)}, for {each.role}" for each in needs.objects)
    yield from needs.others


def domain_word(key: str) -> str:
    """What people call a domain of a topology key."""
    return "zone" if key == ZONE else key.rpartition("/")[2]


def object_words(need: ObjectNeed) -> str:
    """The object as kubectl names it."""
    return f"{need.kind} {need.namespace}/{need.name}" if need.namespace else f"{need.kind} {need.name}"


def role_words(role: RoleNeed) -> str:
    """What the pods of one role need of nodes."""
    what = ", ".join(f"{amount} {name}" for name, amount in role.requests.items())
    many = bool(role.pods > 1 or role.unsaid)
    text = f"{role.role}: {role.pods} pod{'' if role.pods == 1 else 's'}{' or more' if role.unsaid else ''}"
    text += f" with {what}{' each' if many else ''}" if what else ""
    text += ", each on a node of its own" if role.apart else ""
    text += f", {_together(role)}" if role.on_nodes_of else ""
    text += ", near which the pods of the group must be" if role.beside else ""
    ways = [" and ".join(map(describe, way)) for way in role.labels if way]
    text += f", on nodes with {', or with '.join(ways)}" if ways and len(ways) == len(role.labels) else ""
    text += f"; devices of {', '.join(role.devices)}" if role.devices else ""
    text += f"; within reach of the volumes of {', '.join(role.volumes)}" if role.volumes else ""
    if role.tolerates:
        text += f"; the nodes may be tainted {', '.join(dict.fromkeys(map(taint_words, role.tolerates)))}"
    return text + (f"; how many is not known: {role.unsaid}" if role.unsaid else "")


def _together(role: RoleNeed) -> str:
    """With which pods those of a role share a node."""
    others = [each for each in role.on_nodes_of if each != role.role]
    beside = f"a pod of {' and of '.join(others)}" if others else ""
    if role.role not in role.on_nodes_of:
        return f"{'each ' if role.pods > 1 else ''}on the node of {beside}"
    return f"{'all ' if role.pods > 1 else ''}on one node{f' with {beside}' if beside else ''}"


def taint_words(toleration: Toleration) -> str:
    """The taints that a toleration is for, as kubectl writes them."""
    key = toleration.key or "with anything"
    value = f"={toleration.value}" if toleration.value else ""
    return f"{key}{value}{f':{toleration.effect}' if toleration.effect else ''}"
