"""The graph of a group agrees with its proof, on all cases that have groups."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trainlint.engine import check
from trainlint.engine.role_zones import ANY_DOMAIN
from trainlint.finding import Severity
from trainlint.model.known import Answer
from trainlint.model.policy import Permission
from trainlint.report.concern import groups_of
from trainlint.report.picture.views import views
from trainlint.report.picture.words import headline, way_out
from trainlint.report.zone_graph import edges_of, nodes_of
from trainlint.result import GroupVerdict, Result
from trainlint.result.graph import GroupGraph

TESTS = Path(__file__).parents[1]
CASES = sorted(
    path.parent for area in ("topology", "placement") for path in (TESTS / "cases" / area).glob("*/case.yaml")
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """What is said about every case, with graphs."""
    home = tmp_path_factory.mktemp("cases")
    patch = pytest.MonkeyPatch()
    patch.setenv("GIT_CEILING_DIRECTORIES", str(home))
    found = {}
    for case in CASES:
        shutil.copytree(case, home / case.name)
        (home / case.name / "case.yaml").unlink()
        found[case.name] = check([home / case.name], graphs=True)
    patch.undo()
    return found


@pytest.fixture(scope="module")
def pairs(results: dict[str, Result]) -> list[tuple[str, GroupVerdict, GroupGraph]]:
    found = [
        (name, verdict, graph)
        for name, result in results.items()
        for verdict, graph in zip(result.groups, result.graphs, strict=True)
    ]
    assert len(found) > 40
    return found


Pairs = list[tuple[str, GroupVerdict, GroupGraph]]


def test_a_graph_is_that_of_the_group_at_its_place(pairs: Pairs) -> None:
    for name, verdict, graph in pairs:
        assert (graph.group, graph.snapshot, graph.answer) == (verdict.name, verdict.snapshot, verdict.answer), name
        assert [role.name for role in graph.roles] == [role.name for role in verdict.roles], name
        assert len({node.id for node in nodes_of(graph)}) == len(nodes_of(graph)), name


def test_where_roles_fit_is_what_the_verdict_says(pairs: Pairs) -> None:
    for name, verdict, graph in pairs:
        for index, role in enumerate(verdict.roles):
            fits = [
                role_zone.zone
                for role_zone in graph.role_zones
                if role_zone.role == index and role_zone.fits is Answer.PROVED
            ]
            fits = [zone for zone in fits if zone != ANY_DOMAIN]
            if role.zones is not None:
                assert fits == list(role.zones), name
            known = {pool.name for pool in graph.pools}
            assert all(known.issuperset(role_zone.pools) for role_zone in graph.role_zones), name


def test_a_viable_zone_takes_every_role_and_permits_every_connection(pairs: Pairs) -> None:
    for name, verdict, graph in pairs:
        assert [zone.name for zone in graph.zones if zone.answer is Answer.PROVED] == list(verdict.viable_zones), name
        for zone in verdict.viable_zones:
            own = {index for index, role in enumerate(graph.roles) if not role.dependency and role.pods != 0}
            here = [role_zone for role_zone in graph.role_zones if role_zone.zone == zone and role_zone.role in own]
            assert all(role_zone.fits is not Answer.REFUTED for role_zone in here), name
            for link in graph.links:
                if {link.source, link.target} - {None} <= own:
                    assert all(ruling.answer is not Permission.DENY for ruling in link.between(zone, zone)), name


def test_what_is_cut_is_denied_between_the_zones_and_says_who_decides(pairs: Pairs) -> None:
    seen = 0
    for name, verdict, graph in pairs:
        for flow, link in zip(verdict.flows, graph.links, strict=True):
            for source, target in flow.cut:
                rulings = list(link.between(source, target))
                assert any(ruling.answer is Permission.DENY for ruling in rulings), name
                assert all(ruling.decided for ruling in rulings if ruling.answer is Permission.DENY), name
                seen += 1
            if flow.denied:
                assert {ruling.answer for ruling in link.rulings} == {Permission.DENY}, name
    assert seen > 3


def test_placements_put_pods_only_where_they_fit(pairs: Pairs) -> None:
    for name, _, graph in pairs:
        for assignment in (*graph.witness, *graph.counterexample):
            (role_zone,) = (
                each for each in graph.role_zones if (each.role, each.zone) == (assignment.role, assignment.zone)
            )
            assert role_zone.fits is not Answer.REFUTED, name


def test_edges_end_at_nodes(pairs: Pairs) -> None:
    for name, _, graph in pairs:
        nodes = nodes_of(graph)
        ids = {node.id for node in nodes}
        assert all({edge.source, edge.target} <= ids for edge in edges_of(graph, nodes)), name


def test_never_is_said_only_where_a_finding_says_that_it_is_an_error(results: dict[str, Result], pairs: Pairs) -> None:
    for name, verdict, graph in pairs:
        if "never" in headline(graph):
            result = results[name]
            about = [each for each in result.findings if verdict in groups_of(each, result.groups)]
            assert Severity.ERROR in {each.finding.severity for each in about}, name
        assert bool(way_out(graph)) <= (verdict.exists is Answer.REFUTED), name


def test_every_picture_of_what_breaks_numbers_what_breaks_it(pairs: Pairs) -> None:
    for name, verdict, graph in pairs:
        for view in views(graph):
            assert all(0 <= arrow.note < len(view.notes) for arrow in view.arrows), name
            numbers = sorted(note.number for note in view.notes if note.number)
            assert numbers == list(range(1, len(numbers) + 1)), name
            if view.key == "bad":
                assert numbers, name
            if view.key == "good" or verdict.answer is Answer.PROVED:
                assert not numbers, name
