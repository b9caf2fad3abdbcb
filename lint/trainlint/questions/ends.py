"""The ends of a connection as people name them: workloads, labels of pods, entities, addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from ipaddress import ip_network

from trainlint.facts.facts import Facts
from trainlint.finding import Location, UsageError
from trainlint.model.because import Because
from trainlint.model.ground import ValueGround
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import PodSpec
from trainlint.model.workload import DNS_PEER, ObjectRef, PodSet
from trainlint.policy import Endpoint, address, entity
from trainlint.policy.addresses import parse_address
from trainlint.policy.checks.subnets import read_subnets
from trainlint.policy.syntax import key_problem, value_problem
from trainlint.questions.end import End
from trainlint.reachability import Place, places
from trainlint.wording.because import because_text

__all__ = ["ENTITIES", "find_end", "unknown_end"]

ENTITIES = ("world", "host", "remote-node", "kube-apiserver", "health", "ingress", "init", "unmanaged")
NOWHERE = Location("", 0)
_Spelling = Callable[[PodSet], str]


def find_end(text: str, facts: Facts, zone: str | None = None) -> End | None:
    """The end that ``text`` names in a snapshot; ``None`` where there is no such workload.

    Raises:
        UsageError: the text names several workloads, is wrong by itself, or the zone is none of the inventory.
    """
    settings = facts.snapshot.settings
    if zone is not None and (text in (*ENTITIES, DNS_PEER) or parse_address(text) is not None):
        raise UsageError(f"{text} is no workload: it runs in no zone that could be given")
    if text in ENTITIES:
        return End(text, facts, fixed=entity(text, settings))
    if text == DNS_PEER:
        return End(text, facts, fixed=replace(facts.policies.dns.main, name=text))
    if parse_address(text) is not None:
        return End(text, facts, fixed=_address(text, facts))
    if ":" in text and ("=" in text or text.endswith(":")):
        return _placed(End(text, facts, pod_set=_pods_with(text), hypothetical=True), zone)
    found = _workloads(text, facts)
    if not found:
        return None
    if len(found) > 1:
        names = [_full_name(each, kind=len({_full_name(one) for one in found}) < len(found)) for each in found]
        raise UsageError(f"{text!r} may be any of {', '.join(sorted(names))}: say which")
    return _placed(End(_full_name(found[0]), facts, pod_set=found[0]), zone)


def unknown_end(text: str, snapshots: Sequence[Facts]) -> UsageError:
    """The complaint about a name that no snapshot knows, with the nearest ones."""
    if "/" in text and _is_network(text):
        return UsageError(f"{text!r} is a range of addresses: give one address of it")
    pod_sets = [each for facts in snapshots for each in facts.snapshot.workloads.pod_sets]
    names = sorted({_full_name(each) for each in pod_sets})
    near = get_close_matches(text, [*names, *ENTITIES, DNS_PEER], n=3, cutoff=0.5)
    if not near:
        near = [name for name in names if text.rpartition("/")[2] in name][:3]
    if near:
        return UsageError(f"there is no workload {text!r}; did you mean {' or '.join(map(repr, near))}?")
    known = f"the workloads are {', '.join(names[:8])}{' ...' if len(names) > 8 else ''}" if names else NO_WORKLOADS
    return UsageError(f"there is no workload {text!r}; {known}")


NO_WORKLOADS = "there are no workloads here; pods may be given by labels, as namespace:key=value"


def _full_name(pod_set: PodSet, *, kind: bool = False) -> str:
    name = f"{pod_set.namespace}/{pod_set.name}"
    return f"{pod_set.owner.kind}:{name}" if kind else name


def _workloads(text: str, facts: Facts) -> list[PodSet]:
    """The pod sets that a name may mean: the full name wins, then the object's, then names without namespace."""
    kind, colon, rest = text.partition(":")
    name = rest if colon else text
    pod_sets = [each for each in facts.snapshot.workloads.pod_sets if not colon or each.owner.kind == kind]
    for spelling in _spellings():
        found = [each for each in pod_sets if spelling(each) == name]
        if found:
            return found
    return []


def _spellings() -> Iterator[_Spelling]:
    yield _full_name
    yield lambda pods: f"{pods.namespace}/{pods.owner.name}"
    yield lambda pods: pods.name
    yield lambda pods: pods.owner.name


def _pods_with(text: str) -> PodSet:
    """Pods by their labels: ``namespace:key=value,key=value``."""
    namespace, _, rest = text.partition(":")
    labels: dict[str, Known[str]] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.strip().partition("=")
        if not equals:
            raise UsageError(f"{text!r}: {part.strip()!r} is no label: write key=value")
        if (problem := key_problem(key) or value_problem(value)) is not None:
            raise UsageError(f"{text!r}: {part.strip()!r} is no label: {because_text(problem)}")
        labels[key] = value
    if not namespace or key_problem(namespace):
        raise UsageError(f"{text!r}: {namespace!r} is no name of a namespace; write namespace:key=value")
    owner = ObjectRef("Pod", namespace, text)
    return PodSet(owner, "", 1, labels, PodSpec(), at=NOWHERE, template=NOWHERE)


def _address(text: str, facts: Facts) -> Endpoint:
    found = parse_address(text)
    for subnet in read_subnets(each.field for each in facts.snapshot.objects):
        if found is not None and found in subnet.network:
            raise UsageError(
                f"{text} lies in {subnet.what} ({subnet.network}): policies see the pod or node that has it, not its "
                "address; name the pod, or say host or remote-node"
            )
    return address(text)


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def _placed(end: End, zone: str | None) -> End:
    """The end in a zone: the labels of zone and region are those of the inventory's nodes there."""
    if zone is None:
        return end
    snapshot = end.facts.snapshot
    pools = [pool for inventory in snapshot.every_inventory for pool in inventory.pools]
    known = {place.name: place for place in places(pools, snapshot.settings.topology_key)}
    if zone in known:
        return replace(end, place=known[zone])
    if known and all(inventory.complete for inventory in snapshot.every_inventory):
        near = get_close_matches(zone, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
        raise UsageError(f"there are no nodes in zone {zone!r}; {hint}")
    return replace(end, place=Place(zone, zone, Undetermined(Because(ValueGround.ZONE_REGION))))
