"""The needs of a group are what it needs: nodes that offer them run it, and nodes that lack one of them do not.

Where Git describes other nodes, these stay beside what is given: then only that the needs suffice is a law.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.laws.worlds import WORLDS, Files, describes_nodes, documents, world

from trainlint.config.choices import NodesFile
from trainlint.engine import check
from trainlint.kube.node import HOSTNAME
from trainlint.model.devices import NodeDevices
from trainlint.model.known import Answer
from trainlint.model.pool import Pool
from trainlint.model.quantity import parse_quantity
from trainlint.model.settings import ZONE
from trainlint.proof.ideal.smallest_nodes import least_nodes
from trainlint.report.inventory import inventory_yaml
from trainlint.result import GroupVerdict

ROOM = ("pods", "cpu", "memory")
"""Where pods of one role may land on nodes of another, there is room for all of them on each, as if they came first:
what starts late (the submitter of a RayJob) needs less.
"""


def judged(root: Path, pools: tuple[Pool, ...] = ()) -> dict[str, list[GroupVerdict]]:
    text = inventory_yaml(pools, "needed") if pools else ""
    given = (NodesFile("needed.yaml", text.encode()),) if pools else ()
    result = check([root], nodes=given)
    assert not result.failures, result.failures
    found: dict[str, list[GroupVerdict]] = {}
    for group in result.groups:
        found.setdefault(group.name, []).append(group)
    return found


def written(files: Files, root: Path) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return root


def less(pools: tuple[Pool, ...]) -> Iterator[tuple[str, tuple[Pool, ...]]]:
    """The pools with one need taken away, in words."""
    for number, pool in enumerate(pools):
        before, after = pools[:number], pools[number + 1 :]

        def with_(
            changed: Pool, before: tuple[Pool, ...] = before, after: tuple[Pool, ...] = after
        ) -> tuple[Pool, ...]:
            return (*before, changed, *after)

        count = pool.minimum - 1
        yield f"a node of {pool.name} fewer", with_(replace(pool, minimum=count, maximum=count))
        for key in pool.labels:
            if key not in {ZONE, HOSTNAME}:
                labels = {name: value for name, value in pool.labels.items() if name != key}
                yield f"no label {key} on {pool.name}", with_(replace(pool, labels=labels))
        if pool.devices is not None and pool.devices.slices:
            one, *others = pool.devices.slices
            slices = (replace(one, devices=one.devices[1:]), *others)
            yield f"a device fewer on {pool.name}", with_(replace(pool, devices=NodeDevices(slices)))
        for name, amount in (pool.allocatable or {}).items():
            assert isinstance(amount, str)
            step = 1 if name != "cpu" else parse_quantity("1m")
            smaller = f"{int((parse_quantity(amount) - step) * 1000)}m" if parse_quantity(amount) >= step else "0"
            if parse_quantity(amount) > 0:
                yield (
                    f"{pool.name} with {smaller} {name}",
                    with_(replace(pool, allocatable={**(pool.allocatable or {}), name: smaller})),
                )
        if ZONE in pool.labels and sum(each.minimum for each in pools) > 1:
            apart = replace(pool, name="elsewhere", labels={**pool.labels, ZONE: "another"}, minimum=1, maximum=1)
            yield f"a node of {pool.name} in another zone", (*with_(replace(pool, minimum=count, maximum=count)), apart)


def describes(files: Files) -> bool:
    return any(describes_nodes(value) for text in files.values() for _, value in documents(text) or ())


@pytest.mark.parametrize("name", WORLDS)
def test_needs_suffice_and_each_is_needed(name: str) -> None:
    files = world(name)
    if files is None:
        pytest.skip("it compares two revisions")
    with tempfile.TemporaryDirectory() as temporary:
        root = written(files, Path(temporary) / "repository")
        groups = [each for found in judged(root).values() for each in found]
        conditional = [each for each in groups if each.exists is Answer.CONDITIONAL and each.needs is not None]
        if not conditional:
            pytest.skip("no group is conditional")
        for group in conditional:
            assert group.needs is not None
            outside = (
                group.needs.others
                or group.needs.objects
                or any(role.unsaid for role in group.needs.roles)
                or (
                    any(role.devices for role in group.needs.roles)
                    and any(each.devices is None for each in least_nodes(group.needs))
                )
            )
            if outside or [each.name for each in groups].count(group.name) > 1:
                continue  # nodes alone are not all that it needs, or it is judged in several states
            pools = least_nodes(group.needs)
            (there,) = judged(root, pools)[group.name]
            if describes(files):
                assert there.exists is not Answer.REFUTED, group.name
                continue
            assert there.exists is Answer.PROVED, (group.name, there.missing)
            if group.for_all is Answer.CONDITIONAL:
                assert there.for_all is Answer.PROVED, (group.name, there.missing)
                hosts = len(pools) < len({role.role for role in group.needs.roles})
                changes = [each for each in less(pools) if not (hosts and each[0].endswith(ROOM))]
                for what, fewer in changes:
                    (without,) = judged(root, fewer)[group.name]
                    assert {without.exists, without.for_all} != {Answer.PROVED}, (group.name, what)
