"""The order on needs: a need is no greater where every cluster that satisfied the other one satisfies it too."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.kube.ground import FieldGround
from trainlint.model.because import Because
from trainlint.model.needs import DeviceNeed, NeedGround, Needs, ObjectNeed, RoleNeed
from trainlint.model.pod import Toleration
from trainlint.model.quantity import parse_quantity
from trainlint.model.selector import Requirement
from trainlint.model.settings import ZONE
from trainlint.scheduling.requirement import holds
from trainlint_rules.placement.answer_worsened.growth import More, growths

KEYS = ("accelerator", "generation")
VALUES = ("a", "b", "5", "7")
NODES = [dict(zip(KEYS, each, strict=True)) for each in product((None, *VALUES, "0", "6", "9", "z"), repeat=2)]
AMOUNTS = ("1", "2", "4", "8")
GPU = "nvidia.com/gpu"
SECRET = ObjectNeed("Secret", "ml", "token", "train")


def requirement(key: str, operator: str, *values: str) -> Requirement:
    return Requirement(key, operator, values)


requirements = st.one_of(
    st.builds(
        lambda key, operator, values: requirement(key, operator, *values),
        st.sampled_from(KEYS),
        st.sampled_from(("In", "NotIn")),
        st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True),
    ),
    st.builds(requirement, st.sampled_from(KEYS), st.sampled_from(("Exists", "DoesNotExist"))),
    st.builds(requirement, st.sampled_from(KEYS), st.sampled_from(("Gt", "Lt")), st.sampled_from(("5", "7"))),
)
ways = st.lists(st.lists(requirements, max_size=2).map(tuple), min_size=1, max_size=2).map(tuple)
tolerations = st.builds(
    Toleration,
    key=st.sampled_from(("gpu", "spot")),
    operator=st.sampled_from(("Exists", "Equal")),
    effect=st.sampled_from(("", "NoSchedule")),
)
roles = st.builds(
    RoleNeed,
    role=st.sampled_from(("train/Master", "train/Worker")),
    pods=st.integers(1, 4),
    labels=ways,
    requests=st.dictionaries(st.sampled_from(("cpu", GPU)), st.sampled_from(AMOUNTS)),
    tolerates=st.lists(tolerations, max_size=2).map(tuple),
    apart=st.booleans(),
    unsaid=st.sampled_from((None, None, None, Because(NeedGround.SELECTED))),
)
needs = st.builds(
    Needs,
    roles=st.lists(roles, min_size=1, max_size=2, unique_by=lambda role: role.role).map(tuple),
    objects=st.sampled_from(((), (SECRET,))),
    domain=st.sampled_from(("", ZONE)),
    zones=st.sampled_from(((), ("zone-a",), ("zone-a", "zone-b"))),
    shared=st.sampled_from(((), ("rack",))),
)
ONE = RoleNeed("train", 4, requests={"cpu": "8", "memory": "64Gi", GPU: "8"})


def placed(role: str) -> Because:
    return Because(NeedGround.PLACED, ("Volcano", role))


def of(role: RoleNeed, **more: object) -> Needs:
    return Needs(roles=(role,), domain=ZONE, **more)  # type: ignore[arg-type]


def grown(before: Needs, now: Needs) -> list[tuple[More, tuple[str, ...]]]:
    return [(each.more, each.names or each.others) for each in growths(before, now)]


@given(needs)
def test_no_need_is_greater_than_itself(need: Needs) -> None:
    assert growths(need, need) == ()


@given(needs, st.data())
def test_whatever_is_taken_away_leaves_a_need_that_is_no_greater(need: Needs, data: st.DataObject) -> None:
    role = data.draw(st.sampled_from(need.roles))
    less = data.draw(
        st.sampled_from(
            (
                replace(role, pods=role.pods - 1),
                replace(role, labels=((),)),
                replace(role, labels=(*role.labels, (requirement("other", "Exists"),))),
                replace(role, requests={}),
                replace(role, apart=False),
                replace(role, tolerates=(*role.tolerates, Toleration("other", "Exists"))),
                replace(role, tolerates=(Toleration("", "Exists"),)),
            )
        )
    )
    now = replace(need, roles=tuple(less if each is role else each for each in need.roles), objects=(), zones=())
    assert growths(need, now) == ()


@given(needs, st.data())
def test_whatever_is_added_makes_a_need_greater(need: Needs, data: st.DataObject) -> None:
    role = data.draw(st.sampled_from(need.roles))
    every = tuple((*way, requirement("other", "Exists")) for way in role.labels)
    greater, more = data.draw(
        st.sampled_from(
            (
                (replace(role, labels=every), More.LABELS),
                (replace(role, requests={**role.requests, "memory": "1Gi"}), More.AMOUNTS),
                (replace(role, devices=(DeviceNeed("train", "ResourceClaim ml/gpu"),)), More.CLAIMS),
                (replace(role, volumes=("data",)), More.CLAIMS),
            )
        )
    )
    now = replace(need, roles=tuple(greater if each is role else each for each in need.roles))
    assert more in {each.more for each in growths(need, now)}


@settings(max_examples=150)
@given(ways, ways)
def test_labels_that_are_not_more_hold_on_every_node_that_did(old: tuple[object, ...], new: tuple[object, ...]) -> None:
    before, now = (of(replace(ONE, labels=each)) for each in (old, new))
    possible = [way for way in old if any(_fits(of(replace(ONE, labels=(way,))), labels) for labels in NODES)]
    bad = [labels for labels in NODES if _fits(before, labels) and not _fits(now, labels)]
    if growths(before, now) == ():
        assert bad == []
    elif len(new) == 1 and len(possible) == len(old):  # one way is asked for: then some node shows that it is more
        assert bad


def _fits(need: Needs, labels: dict[str, str | None]) -> bool:
    return any(all(holds(each, labels[each.key]) for each in way) for way in need.roles[0].labels)


@settings(max_examples=150)
@given(needs, needs)
def test_a_need_that_is_no_greater_asks_for_no_more_in_all(before: Needs, now: Needs) -> None:
    if growths(before, now) == () and not any(each.unsaid for each in before.roles):
        for name in ("cpu", GPU):
            assert _total(now, name) <= _total(before, name)


def _total(need: Needs, name: str) -> Fraction:
    return sum((each.pods * parse_quantity(each.requests.get(name, "0")) for each in need.roles), Fraction())


@settings(max_examples=150)
@given(needs, needs, needs)
def test_the_order_has_no_gaps(one: Needs, two: Needs, three: Needs) -> None:
    alone = [replace(each, roles=(replace(each.roles[0], role="train"),)) for each in (one, two, three)]
    if growths(alone[0], alone[1]) == () == growths(alone[1], alone[2]):
        assert growths(alone[0], alone[2]) == ()


def test_more_pods() -> None:
    assert grown(of(ONE), of(replace(ONE, pods=8))) == [(More.PODS, ())]


def test_more_and_smaller_pods_that_fit_where_the_others_did() -> None:
    half = {"cpu": "4", "memory": "32Gi", GPU: "4"}
    assert grown(of(ONE), of(replace(ONE, pods=8, requests=half))) == []
    assert grown(of(ONE), of(replace(ONE, pods=9, requests=half))) == [(More.PODS, ())]
    assert grown(of(ONE), of(replace(ONE, pods=8, requests=half, apart=True)))[0] == (More.APART, ())


def test_fewer_and_bigger_pods_need_bigger_nodes() -> None:
    double = {"cpu": "8", "memory": "64Gi", GPU: "16"}
    assert grown(of(ONE), of(replace(ONE, pods=2, requests=double))) == [(More.AMOUNTS, (GPU,))]


def test_amounts_are_compared_and_not_their_text() -> None:
    same = {"cpu": "8000m", "memory": "65536Mi", GPU: "8"}
    assert grown(of(ONE), of(replace(ONE, requests=same))) == []


def test_labels_by_their_meaning() -> None:
    before = of(replace(ONE, labels=((requirement("gpu", "In", "h100"),),)))
    wider = of(replace(ONE, labels=((requirement("gpu", "NotIn", "t4"), requirement("gpu", "Exists")),)))
    assert grown(before, wider) == []
    assert grown(wider, before) == [(More.LABELS, ())]


def test_numbers_in_labels() -> None:
    low, high = (of(replace(ONE, labels=((requirement("generation", "Gt", limit),),))) for limit in ("5", "7"))
    assert grown(high, low) == []
    assert grown(low, high) == [(More.LABELS, ())]


def test_a_toleration_makes_more_nodes_fit() -> None:
    """The nodes of a need may have the taints that are tolerated: with fewer tolerations, fewer nodes will do."""
    tolerant = of(replace(ONE, tolerates=(Toleration("gpu", "Equal", "yes", "NoSchedule"),)))
    assert grown(of(ONE), tolerant) == []
    assert grown(tolerant, of(ONE)) == [(More.TAINTS, ("gpu=yes:NoSchedule",))]
    assert grown(tolerant, of(replace(ONE, tolerates=(Toleration("gpu", "Exists"),)))) == []
    soft = of(replace(ONE, tolerates=(Toleration("gpu", "Exists", "", "PreferNoSchedule"),)))
    assert grown(soft, of(ONE)) == []  # such a taint keeps no pod away


def test_roles_that_are_renamed_or_become_one() -> None:
    master, worker = replace(ONE, role="a/Master", pods=1), replace(ONE, role="a/Worker", pods=3)
    assert grown(Needs(roles=(master, worker)), Needs(roles=(replace(worker, pods=4),))) == []
    assert grown(Needs(roles=(master, worker)), Needs(roles=(replace(worker, pods=5),))) == [(More.PODS, ())]
    assert grown(Needs(roles=(worker,)), Needs(roles=(replace(worker, role="a/Node"),))) == []
    assert grown(Needs(roles=(worker,)), Needs(roles=(master, worker))) == [(More.PODS, ())]


def test_domains_zones_and_words() -> None:
    before = of(ONE, zones=("zone-a", "zone-b"))
    assert grown(before, of(ONE)) == []
    assert grown(of(ONE), before) == [(More.ZONES, ("zone-a", "zone-b"))]
    assert grown(before, of(ONE, zones=("zone-a",))) == [(More.ZONES, ("zone-a",))]
    assert grown(of(ONE), of(ONE, shared=("rack",))) == [(More.DOMAINS, ("rack",))]
    assert grown(of(ONE), of(ONE, others=(placed("train"),))) == [(More.OTHERS, (placed("train"),))]
    assert grown(of(ONE, others=(placed("train"),)), of(replace(ONE, role="t"), others=(placed("t"),))) == []


def test_zones_that_a_role_selects_are_said_once() -> None:
    alone = of(replace(ONE, labels=((requirement(ZONE, "In", "zone-a"),),)), zones=("zone-a",))
    assert grown(of(ONE), alone) == [(More.LABELS, ())]


def test_objects() -> None:
    assert grown(of(ONE), of(ONE, objects=(SECRET,))) == [(More.OBJECTS, ())]
    assert grown(of(ONE, objects=(SECRET,)), of(ONE, objects=(replace(SECRET, role="other"),))) == []


def test_claims() -> None:
    before = of(replace(ONE, devices=(DeviceNeed("train", "ResourceClaim ml/a"),)))
    now = of(replace(ONE, devices=(DeviceNeed("train", "ResourceClaim ml/b"),), volumes=("data",)))
    assert grown(before, now) == [(More.CLAIMS, ("ResourceClaim ml/b", "data"))]


def test_an_object_that_a_new_claim_names_is_said_once() -> None:
    claim = ObjectNeed("ResourceClaimTemplate", "ml", "gpus", "train")
    now = of(replace(ONE, devices=(DeviceNeed("train", "ResourceClaimTemplate ml/gpus"),)), objects=(claim,))
    assert grown(of(ONE), now) == [(More.CLAIMS, ("ResourceClaimTemplate ml/gpus",))]


def test_a_number_of_pods_that_is_not_known() -> None:
    some = of(replace(ONE, pods=1, unsaid=Because(FieldGround.PLACEHOLDER, ("parallelism", "${N}"))))
    assert grown(of(ONE), some) == [(More.PODS, ())]
    assert grown(some, some) == []
    assert grown(some, of(ONE)) == []
