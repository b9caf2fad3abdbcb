"""The picture: roles in zones, what is permitted and what is cut."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.report.samples import EVIL, evil

from trainlint.model.known import Answer
from trainlint.report.mermaid import EDGES, GROUPS, ROLES, ZONES, picture
from trainlint.result import GroupVerdict, NeededFlow, RoleVerdict

# The grammar of what is drawn; Mermaid's own is larger.
LABEL = r'"(?:[\w ./,+-]|\#\d+;|<br/>)+"'
LINE = re.compile(
    rf"""flowchart\ LR | \ *direction\ LR
    | \ *subgraph\ f\d+\[{LABEL}\] | \ *end
    | \ *[pm]\d+\[{LABEL}\]
    | \ *p\d+\ --\ {LABEL}\ -->\ p\d+ | \ *p\d+\ -\.\ {LABEL}\ \.-x\ p\d+
    | \ *linkStyle\ \d+(,\d+)*\ stroke:\#d1242f,stroke-width:2px""",
    re.VERBOSE | re.ASCII,
)


def group(*roles: RoleVerdict, flows: tuple[NeededFlow, ...] = (), **more: object) -> GroupVerdict:
    return GroupVerdict("ml/train", "Job", "", 4, Answer.REFUTED, Answer.REFUTED, roles=roles, flows=flows, **more)  # type: ignore[arg-type]


def read(text: str) -> str:
    """A label as it is shown."""
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), text).replace("<br/>", "\n")


def boxes(lines: list[str]) -> dict[str, list[str]]:
    """What stands in each innermost frame."""
    found: dict[str, list[str]] = {}
    frame = ""
    for line in lines:
        if match := re.fullmatch(r' *subgraph f\d+\["(.*)"\]', line):
            frame = read(match[1])
        elif match := re.fullmatch(r' *([pm]\d+)\["(.*)"\]', line):
            found.setdefault(frame, []).append(f"{match[1]} {read(match[2])}")
    return found


def edges(lines: list[str]) -> list[tuple[str, str, str, bool]]:
    pattern = re.compile(r'  (\w+) (--|-\.) "(.*)" (?:-->|\.-x) (\w+)')
    return [
        (match[1], match[4], read(match[3]), match[2] == "-.") for line in lines if (match := pattern.fullmatch(line))
    ]


def test_without_a_placement_every_role_stands_where_it_can_run() -> None:
    lines = picture(
        [
            group(
                RoleVerdict("leader", 1, ("west",)),
                RoleVerdict("trainers", 3, ("east", "west")),
                RoleVerdict("stuck", 2, ()),
            )
        ]
    )
    assert boxes(lines) == {
        "Pending: no node": ["p0 stuck\n2 pods"],
        "zone east": ["p1 trainers\n3 pods"],
        "zone west": ["p2 leader\n1 pod", "p3 trainers\n3 pods"],
    }


def test_a_counterexample_is_shown_as_the_placement_that_it_is() -> None:
    shown = group(
        RoleVerdict("train", 4, ("a", "b")),
        RoleVerdict("late", 1, ("a",)),
        flows=(NeededFlow("train", "train", "TCP 29500", cut=(("a", "b"),)),),
        counterexample={"train": {"a": 1, "b": 3}},
    )
    lines = picture([shown])
    assert boxes(lines) == {
        "Pending: no node": ["p0 late\n1 pod"],
        "zone a": ["p1 train\n1 pod"],
        "zone b": ["p2 train\n3 pods"],
    }
    assert edges(lines) == [("p1", "p2", "denied: TCP 29500", True)]
    assert lines[-1] == "  linkStyle 0 stroke:#d1242f,stroke-width:2px"


def test_permitted_and_denied_connections_differ_and_ports_are_collected() -> None:
    flows = (
        *(NeededFlow("w", "m", f"TCP {port}") for port in range(1, 6)),
        NeededFlow("w", "m", "TCP 7", denied=True),
        NeededFlow("w", "kube-dns", "UDP 53", denied=True),
    )
    lines = picture([group(RoleVerdict("w", 2, ("a",)), RoleVerdict("m", 1, ("a",)), flows=flows)])
    assert edges(lines) == [("p0", "p1", "TCP 1, TCP 2, TCP 3, +2", False), ("p0", "p1", "denied: TCP 7", True)]
    assert "linkStyle 1 " in lines[-1]


def test_a_permitted_connection_inside_one_node_is_not_drawn() -> None:
    assert edges(picture([group(RoleVerdict("w", 2, ("a",)), flows=(NeededFlow("w", "w", "TCP 1"),))])) == []


def test_without_an_inventory_the_zones_are_unknown() -> None:
    assert boxes(picture([group(RoleVerdict("w", None))])) == {"zones unknown: no inventory": ["p0 w"]}


def test_zones_that_are_called_so_are_not_called_so_twice() -> None:
    assert boxes(picture([group(RoleVerdict("w", 1, ("zone-a",)))])) == {"zone-a": ["p0 w\n1 pod"]}


def test_a_picture_stays_small() -> None:
    roles = [RoleVerdict(f"r{n}", 1, tuple(f"z{z:02}" for z in range(40))) for n in range(60)]
    flows = tuple(NeededFlow(f"r{n}", f"r{m}", "TCP 1", denied=True) for n in range(9) for m in range(9))
    lines = picture([group(*roles, flows=flows)] * 20)
    assert len(edges(lines)) <= EDGES
    assert sum("subgraph" in line for line in lines) == GROUPS * (ZONES + 1)
    assert sum(bool(re.search(r"\bp\d+\[", line)) for line in lines) == GROUPS * ROLES * ZONES
    assert "and 52 more roles, 34 more zones" in read("\n".join(lines))
    assert all(LINE.fullmatch(line) for line in lines)
    # Mermaid refuses more than 50,000 characters.
    assert len("\n".join(lines)) < 50_000


def test_names_are_no_mermaid() -> None:
    lines = picture(evil().groups, snapshots=True)
    assert all(LINE.fullmatch(line) for line in lines), [line for line in lines if not LINE.fullmatch(line)]
    assert 'group a"]; click p0' in read("\n".join(lines))


@given(st.text(max_size=80))
def test_whatever_the_names_every_line_is_one_of_ours(text: str) -> None:
    flows = (NeededFlow(text, "b", text, denied=True), NeededFlow("b", text, text))
    shown = replace(group(RoleVerdict(text, 1, (text, EVIL)), RoleVerdict("b", 1, (text,)), flows=flows), name=text)
    lines = picture([shown])
    assert all(LINE.fullmatch(line) for line in lines)
    assert lines.count("    end") + lines.count("  end") == sum("subgraph" in line for line in lines)


def test_no_groups_are_no_picture() -> None:
    assert picture([]) == []
