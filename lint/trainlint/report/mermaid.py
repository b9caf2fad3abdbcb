"""A picture of groups in Mermaid: their roles in zones, the connections that they need, and those that are cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from trainlint.report.markup import clipped
from trainlint.report.terminal import escape
from trainlint.result import GroupVerdict, NeededFlow

__all__ = ["label", "picture"]

GROUPS: Final = 4
ROLES: Final = 8
ZONES: Final = 6
EDGES: Final = 24
LABEL: Final = 60
PORTS: Final = 3
PENDING: Final = "Pending: no node"
NO_INVENTORY: Final = "zones unknown: no inventory"
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ./,+-")


def picture(groups: Sequence[GroupVerdict], *, snapshots: bool = False) -> list[str]:
    """The lines of a flowchart of the first groups; none without groups. ``snapshots`` says whether to name them.

    A group with a counterexample is shown as that placement; otherwise every role stands in the zones in which it can
    run.
    """
    if not groups:
        return []
    drawing = _Drawing()
    for group in groups[:GROUPS]:
        drawing.group(group, f"{group.name} ({group.snapshot})" if snapshots and group.snapshot else group.name)
    return ["flowchart LR", *drawing.boxes, *drawing.edges, *drawing.styles()]


@dataclass(slots=True)
class _Drawing:
    """Collects the lines of a flowchart; edges are styled by their number."""

    boxes: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    pods: int = 0
    frames: int = 0

    def group(self, group: GroupVerdict, title: str) -> None:
        nodes = self._place(group, title)
        for (source, target), flows in _by_pair(group.flows).items():
            for permitted, cut in ((True, ()), *((False, pair) for pair in _pairs(flows))):
                if len(self.edges) < EDGES:
                    self._edge(nodes.get(source, {}), nodes.get(target, {}), flows, cut, permitted=permitted)

    def _place(self, group: GroupVerdict, title: str) -> dict[str, dict[str, str]]:
        """Draw the roles in their zones; the nodes by role and zone."""
        where = dict(list(_placement(group).items())[:ROLES])
        nodes: dict[str, dict[str, str]] = {role: {} for role in where}
        zones = sorted({zone for found in where.values() for zone in found})
        more = [f"{len(group.roles) - len(where)} more roles"] if len(group.roles) > len(where) else []
        more += [f"{len(zones) - ZONES} more zones"] if len(zones) > ZONES else []
        self._frame(f"group {title}", "  ")
        self.boxes.append("    direction LR")
        for zone in zones[:ZONES]:
            itself = zone in (PENDING, NO_INVENTORY) or zone.lower().startswith("zone")
            self._frame(zone if itself else f"zone {zone}", "    ")
            for role, found in where.items():
                if zone in found:
                    nodes[role][zone] = f"p{self.pods}"
                    self.pods += 1
                    self.boxes.append(f"      {nodes[role][zone]}[{label(role, found[zone])}]")
            self.boxes.append("    end")
        if more:
            self.boxes.append(f"    m{self.frames}[{label('and ' + ', '.join(more))}]")
        self.boxes.append("  end")
        return nodes

    def _frame(self, title: str, indent: str) -> None:
        self.boxes.append(f"{indent}subgraph f{self.frames}[{label(title)}]")
        self.frames += 1

    def _edge(
        self,
        source: Mapping[str, str],
        target: Mapping[str, str],
        flows: Sequence[NeededFlow],
        cut: tuple[str, ...],
        *,
        permitted: bool,
    ) -> None:
        if not source or not target:
            return
        anywhere = (next(iter(source.values())), _end(source, target))
        ends = (source.get(cut[0]), target.get(cut[1])) if cut else anywhere
        chosen = [flow for flow in flows if _is(flow, cut, permitted=permitted)]
        if None in ends or not chosen or (permitted and ends[0] == ends[1]):
            return
        ports = list(dict.fromkeys(flow.ports for flow in chosen))
        more = f", +{len(ports) - PORTS}" if len(ports) > PORTS else ""
        text = ", ".join(ports[:PORTS]) + more
        if permitted:
            self.edges.append(f"  {ends[0]} -- {label(text)} --> {ends[1]}")
        else:
            self.cut.append(len(self.edges))
            self.edges.append(f"  {ends[0]} -. {label(f'denied: {text}')} .-x {ends[1]}")

    def styles(self) -> Iterator[str]:
        if self.cut:
            yield f"  linkStyle {','.join(map(str, self.cut))} stroke:#d1242f,stroke-width:2px"


def _placement(group: GroupVerdict) -> dict[str, dict[str, str]]:
    """For each role the zones, each with how many pods are there, in words."""
    found: dict[str, dict[str, str]] = {}
    for role in group.roles:
        shown = group.counterexample.get(role.name)
        if isinstance(shown, Mapping) and shown:
            found[role.name] = {str(zone): _count(count) for zone, count in shown.items()}
        elif isinstance(shown, str):
            found[role.name] = {shown: _count(role.pods)}
        elif group.counterexample and not role.dependency:
            found[role.name] = {PENDING: _count(role.pods)}
        elif role.zones is None:
            found[role.name] = {NO_INVENTORY: _count(role.pods)}
        else:
            found[role.name] = {zone: _count(role.pods) for zone in role.zones} or {PENDING: _count(role.pods)}
    return found


def _count(pods: object) -> str:
    return "" if not isinstance(pods, int) else f"{pods} pod{'' if pods == 1 else 's'}"


def _by_pair(flows: Sequence[NeededFlow]) -> dict[tuple[str, str], list[NeededFlow]]:
    found: dict[tuple[str, str], list[NeededFlow]] = {}
    for flow in flows:
        found.setdefault((flow.source, flow.target), []).append(flow)
    return found


def _pairs(flows: Sequence[NeededFlow]) -> Iterator[tuple[str, ...]]:
    """The pairs of zones between which one of the flows is cut; an empty one if one is denied everywhere."""
    if any(flow.denied for flow in flows):
        yield ()
    yield from dict.fromkeys(pair for flow in flows if not flow.denied for pair in flow.cut)


def _is(flow: NeededFlow, cut: tuple[str, ...], *, permitted: bool) -> bool:
    if permitted:
        return not flow.denied and not flow.cut
    return cut in flow.cut if cut else flow.denied


def _end(source: Mapping[str, str], target: Mapping[str, str]) -> str:
    """Where a flow ends: in the zone where it begins if the target is there too; inside a role at its last node."""
    zone = next(iter(source))
    nodes = list(target.values())
    if source == target:
        return nodes[-1]
    return target.get(zone, nodes[0])


def label(*lines: str) -> str:
    """A quoted label; all but harmless characters as Mermaid's entity codes, so that none is markup."""
    shown = [coded for line in lines if (coded := _coded(line))]
    return '"' + "<br/>".join(shown or [_coded("?")]) + '"'  # an empty label is a syntax error


def _coded(text: str) -> str:
    shown = clipped(escape(" ".join(text.split())), LABEL)
    return "".join(char if char in _PLAIN else f"#{ord(char)};" for char in shown)
