"""The graph of permitted flows between places: cuts, viable places and parts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from trainlint.finding import Location
from trainlint.model.policy import Permission
from trainlint.model.workload import Flow, PortRange
from trainlint.reachability.flow_graph import DNS, POSSIBLE, FlowGraph

AT = Location("a.yaml", 0)
FLOWS = [
    Flow(0, 1, "TCP", PortRange(1, 1), "other", "w", AT),
    Flow(1, 2, "TCP", PortRange(2, 2), "other", "w", AT),
    Flow(2, None, "UDP", PortRange(53, 53), "other", "dns", AT),
]


def graph(denied: set[tuple[int, str, str]]) -> FlowGraph:
    """Three members in a chain; ``denied`` are flows by index with their places."""

    def answer(flow: Flow, source: str, target: str) -> Permission:
        return Permission.DENY if (FLOWS.index(flow), source, target) in denied else Permission.ALLOW

    return FlowGraph(3, FLOWS, answer)


def test_a_flow_is_cut_only_where_it_is_denied() -> None:
    made = graph({(1, "a", "a")})
    assert made.cut("a", [0, 1]) == (1,)
    assert made.cut("b", [0, 1]) == ()
    assert made.viable(["a", "b"], [0, 1]) == ("b",)


def test_members_that_still_communicate_are_one_part() -> None:
    made = graph({(1, "a", "a")})
    assert made.parts("a", [0, 1, 2]) == ((0, 1), (2,))
    assert made.parts("b", [0, 1, 2]) == ((0, 1, 2),)
    assert made.parts("b", [0, 2]) == ((0,), (2,))  # without the one in the middle


def test_members_may_communicate_by_flows_of_which_that_is_not_known() -> None:
    made = FlowGraph(3, FLOWS, lambda flow, source, target: Permission.UNKNOWN)
    assert made.parts("a", [0, 1, 2]) == ((0,), (1,), (2,))
    assert made.parts("a", [0, 1, 2], POSSIBLE) == ((0, 1, 2),)


def test_edges_between_places_are_those_of_the_pair() -> None:
    made = graph({(0, "a", "b")})
    edges = {(source, target, key) for source, target, key in made.between(["a", "b"]).edges(keys=True)}
    assert ((0, "a"), (1, "b"), 0) not in edges
    assert ((0, "b"), (1, "a"), 0) in edges
    assert len(edges) == 7  # two flows in four pairs of places, without the one that is denied


def test_named_ends_have_all_flows_with_their_answers_and_dns() -> None:
    made = graph({(0, "a", "b")}).named({(0, "a"): "zero", (1, "b"): "one", DNS: "dns", (2, "b"): "two"})
    assert list(made) == ["zero", "one", "dns", "two"]
    assert {(one, other, key): answer for one, other, key, answer in made.edges(keys=True, data="answer")} == {
        ("zero", "one", 0): Permission.DENY,
        ("one", "two", 1): Permission.ALLOW,
        ("two", "dns", 2): Permission.ALLOW,
    }


def test_networkx_is_not_loaded_for_groups_whose_connections_are_permitted(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {pytorchReplicaSpecs: {Worker: "
        "{replicas: 2, template: {spec: {containers: [{name: pytorch, image: b}]}}}}}\n"
    )
    code = (
        "import sys; from pathlib import Path; from trainlint.engine import check;"
        f"found = check([Path({str(tmp_path)!r})]);"
        "sys.exit(len(found.groups) != 1 or 'networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
