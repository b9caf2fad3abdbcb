"""What a snapshot leaves out and may bear on a group: while there is any, nothing is proved (design, section 7.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.inventory.example_nodes import concerning
from trainlint.inventory.read import nearest_inventories
from trainlint.launch.addresses import addresses
from trainlint.model.because import Because
from trainlint.model.workload import Group, ObjectRef
from trainlint.policy import PolicyContext, read_policies
from trainlint.policy.checks.pods import Audience
from trainlint.proof.ground import ProofGround
from trainlint.references.references import references_of
from trainlint.snapshot.build import Snapshot
from trainlint.snapshot.objects import ApiObject
from trainlint.snapshot.omissions import DECIDING_KINDS, LIMITING_KINDS, OmittedObjects
from trainlint.workload.services import Directory, called_services, read_service

__all__ = ["left_out"]

SHOWN: Final = 2
"""How many files of one object are named."""


def left_out(snapshot: Snapshot, rest: OmittedObjects, group: Group) -> Iterator[Because]:
    """What may bear on a group and is left out, as what is missing for its proof."""
    found: dict[str, dict[str, None]] = {}
    for each in _bearing(snapshot, rest, group):
        found.setdefault(_name(each), {})[each.file] = None
    for name, at in found.items():
        files = [*at]
        values = (name, tuple(files[:SHOWN]), max(0, len(files) - SHOWN), len(files) == 1)
        yield Because(ProofGround.LEFT_OUT, values)


def _name(each: ApiObject) -> str:
    """The object as a reader knows it; configurations of kind have no name of their own."""
    return str(each.ref) if each.ref.name else each.ref.kind


def _bearing(snapshot: Snapshot, rest: OmittedObjects, group: Group) -> Iterator[ApiObject]:
    owners = {member.owner for member in group.members}
    namespaces = {member.namespace for member in group.members}
    yield from rest.left_out(LIMITING_KINDS, namespaces, owners)
    policies = list(rest.left_out(DECIDING_KINDS, {"", *namespaces}, owners))
    yield from _selecting(snapshot, group, policies)
    for ref in called_services(*group.members):
        if ref not in snapshot.by_ref:
            found = rest.left_out(("Service",), {ref.namespace}, owners, ref.name)
            yield from (each for each in found if _calls(group, each))
    for ref in dict.fromkeys(ref for member in group.members for ref in references_of(member)):
        if ref not in snapshot.by_ref:
            yield from rest.definitions(ref, owners)
    yield from _pools(snapshot, rest, group, owners)


def _selecting(snapshot: Snapshot, group: Group, policies: list[ApiObject]) -> Iterator[ApiObject]:
    """The policies that select pods of a group, or may."""
    if not policies:
        return
    context = PolicyContext(settings=snapshot.settings, namespaces=snapshot.namespaces)
    audience = Audience(group.members, snapshot.settings, snapshot.namespaces)
    for each in policies:
        found = read_policies([each.field], context)
        if found.unknowns or any(audience.selects(entry) for entry in found.entries):
            yield each


def _calls(group: Group, service: ApiObject) -> bool:
    """Whether pods of a group call a Service by its name, or take their own names from it."""
    namespace, name = service.ref.namespace, service.ref.name
    directory = Directory(group.members, {(namespace, name): read_service(service.field, namespace)})
    return any(
        (member.spec.subdomain == name and member.namespace == namespace)
        or any(
            directory.resolve(address, member.namespace) is not None
            for container in (*member.spec.containers, *member.spec.init_containers)
            for address in addresses(container)
        )
        for member in group.members
    )


def _pools(snapshot: Snapshot, rest: OmittedObjects, group: Group, owners: set[ObjectRef]) -> Iterator[ApiObject]:
    """What describes nodes that would be as near to a group as those that count for it."""
    if snapshot.settings.inventories or not snapshot.elsewhere:
        return
    file = (group.at or group.members[0].at).file
    for each in snapshot.elsewhere:
        if each.at is not None and any(
            found is each for found in nearest_inventories(concerning((*snapshot.inventories, each), file), file)
        ):
            yield from rest.nodes(each.at.file, owners)
