"""What groups need of a cluster: in words, as an Inventory to edit, as questions to kubectl, for programs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from trainlint import __version__
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Answer
from trainlint.model.needs import Needs
from trainlint.model.selector import Requirement
from trainlint.proof.ideal.smallest_nodes import least_nodes
from trainlint.report.inventory import inventory_yaml
from trainlint.report.needs_json import needs_data
from trainlint.report.options import Options
from trainlint.report.terminal import Paint, escape, wrap
from trainlint.result import GroupVerdict
from trainlint.result.answers import can_run, connections, every_placement
from trainlint.wording.because import because_text, texts_of
from trainlint.wording.needs import device_words, need_words, object_words, role_words

__all__ = ["needs_inventory", "needs_json", "needs_kubectl", "needs_text"]

HEAD: Final = (
    "Written by `trainlint needs`: the smallest nodes on which the group runs. Replace them by those of the cluster.",
    "One node for each pod, or for those that must share one, in one zone, without taints; nodes may be larger, and",
    "have more labels.",
)


def needs_text(groups: Sequence[GroupVerdict], options: Options) -> str:
    """Every group in words."""
    if not groups:
        return "There are no groups.\n"
    paint = Paint(options.color)
    lines: list[str] = []
    for group in groups:
        lines.append(paint("bold", escape(f"{group.shown} ({group.kind})")))
        for text in _words(group):
            mark = "  - "
            for line in wrap(escape(text), options.width - len(mark)):
                lines.append(mark + line)
                mark = "    "
        lines.append("")
    return "\n".join(lines)


def _words(group: GroupVerdict) -> Iterator[str]:
    needs = group.needs
    if needs is None:
        yield f"can run: {can_run(group)}; every placement: {every_placement(group)}; {_of_no_needs(group)}"
        yield from (f"not known: {text}" for text in group.missing)
        return
    yield from need_words(needs)
    if group.connections is not Answer.PROVED:
        yield f"connections are {connections(group)}"
    yield from (f"not known: {text}" for text in group.missing)


def _of_no_needs(group: GroupVerdict) -> str:
    """Why no needs are listed."""
    match group.exists:
        case Answer.PROVED:
            return "Git describes all that it needs"
        case Answer.REFUTED:
            return f"`trainlint explain {group.shown}` says what keeps it from running"
        case _:
            return "what it needs depends on what is not known"


def needs_json(groups: Sequence[GroupVerdict]) -> str:
    """All groups for programs; keys in a fixed order; ASCII."""
    data = {
        "schema": 1,
        "trainlint": __version__,
        "groups": [
            {
                "name": group.name,
                **({"place": group.place} if group.place else {}),
                "kind": group.kind,
                "snapshot": group.snapshot,
                "exists": str(group.exists),
                "for_all": str(group.for_all),
                "connections": str(group.connections),
                "needs": None if group.needs is None else needs_data(group.needs),
                "missing": list(group.missing),
            }
            for group in groups
        ],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def needs_inventory(groups: Sequence[GroupVerdict]) -> str:
    """An Inventory for each group that needs nodes."""
    documents = [_inventory(group, group.needs) for group in groups if group.needs is not None]
    return "---\n".join(documents) or "# no group needs anything that Git does not hold\n"


def _inventory(group: GroupVerdict, needs: Needs) -> str:
    head = [*HEAD, f"Group: {group.shown}"]
    pools = least_nodes(needs)
    if any(pool.devices is None for pool in pools):
        head += [f"It also needs devices: {device_words(each)}" for role in needs.roles for each in role.devices]
    head += [f"It also needs {object_words(each)}" for each in needs.objects]
    head += [f"It also needs {text}" for text in texts_of(needs.others)]
    unsaid = ((each.role, because_text(each.unsaid)) for each in needs.roles if each.unsaid)
    head += [f"{role} may have more pods, each with a node: {why}" for role, why in unsaid]
    return inventory_yaml(pools, group.name.replace("/", "-").replace("+", "-"), head)


def needs_kubectl(groups: Sequence[GroupVerdict]) -> str:
    """The commands that ask, for each role, whether the cluster has such nodes."""
    asked: dict[str, list[str]] = {}
    for group in groups:
        for role in group.needs.roles if group.needs is not None else ():
            for way in role.labels or ((),):
                selector = ",".join(filter(None, map(_selector, way)))
                question = f"kubectl get nodes{f' -l {shlex.quote(escape(selector))}' if selector else ''} -o wide"
                asked.setdefault(question, []).append(f"# {escape(f'{group.shown}: {role_words(role)}')}")
    lines = [line for question, whose in asked.items() for line in (*whose, question)]
    return "".join(f"{line}\n" for line in lines) or "# no group needs anything that Git does not hold\n"


def _selector(requirement: Requirement) -> str:
    """A requirement as kubectl writes it; numbers cannot be compared there, nor placeholders, so their key must
    exist.
    """
    key, values = requirement.key, ",".join(requirement.values)
    if any(map(is_placeholder, requirement.values)):
        return key
    match requirement.operator:
        case "In":
            return f"{key}={values}" if len(requirement.values) == 1 else f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "DoesNotExist":
            return f"!{key}"
        case _:
            return key
