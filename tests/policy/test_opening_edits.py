"""The smallest change of labels or ports that opens a denied connection, found by search and tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.policy.cluster import NAMESPACES, ccnp, cilium, cnp, knp, pod_set, read

from trainlint.model.known import Known
from trainlint.model.policy import Permission
from trainlint.model.settings import Settings
from trainlint.model.workload import PodSet, PortRange
from trainlint.policy import Endpoint, PolicySet, address, endpoint
from trainlint.policy.edits import LabelEdit, PortEdit, Question
from trainlint.policy.fixes import OpeningEdits, opening_edits

MASTER = "{endpointSelector: {matchLabels: {app: x}}, ingress: [%s]}"
TO_Z = "{toEndpoints: [{matchLabels: {k8s:io.kubernetes.pod.namespace: b, app: z}}]}"
FROM_Y = "{fromEndpoints: [{matchLabels: {app: y}}]}"


def edited(labels: Mapping[str, Known[str]], edits: Mapping[str, str | None]) -> dict[str, Known[str]]:
    kept = {key: value for key, value in labels.items() if key not in edits}
    return {**kept, **{key: value for key, value in edits.items() if value is not None}}


def question(
    source: PodSet | Endpoint,
    target: PodSet | Endpoint,
    port: PortRange | int | None = 8080,
    *,
    settings: Settings | None = None,
    fixed: frozenset[str] = frozenset(),
) -> Question:
    """A question about two pods of the standard namespaces; ``fixed`` labels are not people's."""
    both = (source, target)

    def ends(edits: frozenset[LabelEdit]) -> tuple[Endpoint, Endpoint]:
        found = []
        for index, end in enumerate(both):
            if isinstance(end, Endpoint):
                found.append(end)
                continue
            own = {each.key: each.value for each in edits if each.end == index and not each.of_namespace}
            namespaces: dict[str, dict[str, str]] = {name: dict(labels) for name, labels in NAMESPACES.items()}
            for each in edits:
                of = both[each.end]
                if each.of_namespace and each.value is not None and isinstance(of, PodSet):
                    namespaces[of.namespace][each.key] = each.value
            changed = replace(end, labels=edited(end.labels, own))
            found.append(endpoint(changed, settings or cilium(), namespaces))
        return found[0], found[1]

    def free(end: PodSet | Endpoint) -> object:
        return None if isinstance(end, Endpoint) else lambda key: key not in fixed

    ports = PortRange(port, port) if isinstance(port, int) else port
    return Question("TCP", ports, ends, (free(source), free(target)))  # type: ignore[arg-type]


def labels_of(found: tuple[OpeningEdits, ...]) -> list[list[tuple[int, str, str | None]]]:
    return [[(edit.end, edit.key, edit.value) for edit in each.edits if isinstance(edit, LabelEdit)] for each in found]


def only(policies: PolicySet, asked: Question) -> OpeningEdits:
    (found,) = opening_edits(policies, asked)
    assert found.verdict.answer is Permission.ALLOW
    return found


def test_a_label_of_the_peer_is_set_to_what_the_entry_asks_for() -> None:
    found = opening_edits(read(cnp(MASTER % FROM_Y)), question(pod_set("a", {"app": "w"}), pod_set("a", {"app": "x"})))
    assert labels_of(found) == [[(0, "app", "y")]]


def test_an_allowed_connection_needs_nothing() -> None:
    assert (
        opening_edits(read(cnp(MASTER % FROM_Y)), question(pod_set("a", {"app": "y"}), pod_set("a", {"app": "x"})))
        == ()
    )


def test_a_missing_port_is_added_to_the_entry_that_lists_others() -> None:
    policies = read(cnp(MASTER % "{fromEndpoints: [{}], toPorts: [{ports: [{port: '80'}]}]}"))
    found = only(policies, question(pod_set("a", {"app": "y"}), pod_set("a", {"app": "x"}), 443))
    (edit,) = found.edits
    assert isinstance(edit, PortEdit)
    assert edit.rule is not None
    assert (edit.rule.protocol, edit.rule.ports) == ("TCP", PortRange(443, 443))
    assert edit.entry.at.path == ("spec", "ingress", 0)


def test_where_every_port_is_asked_for_the_port_list_goes() -> None:
    policies = read(cnp(MASTER % "{fromEndpoints: [{}], toPorts: [{ports: [{port: '80'}]}]}"))
    found = only(policies, question(pod_set("a", {"app": "y"}), pod_set("a", {"app": "x"}), None))
    assert [edit.rule for edit in found.edits if isinstance(edit, PortEdit)] == [None]


def test_both_directions_are_fixed_together() -> None:
    policies = read(
        cnp(MASTER % FROM_Y)
        + cnp(
            "{endpointSelector: {matchLabels: {team: t}}, egress: [{toEndpoints: [{matchLabels: {role: m}}]}]}",
            name="q",
        )
    )
    found = opening_edits(policies, question(pod_set("a", {"app": "w", "team": "t"}), pod_set("a", {"app": "x"})))
    assert labels_of(found) == [[(0, "app", "y"), (1, "role", "m")]]


def test_one_label_that_fixes_both_directions_is_one_edit() -> None:
    zones = "".join(
        cnp(
            f"""{{endpointSelector: {{matchLabels: {{zone: {zone}}}}},
                ingress: [{{fromEndpoints: [{{matchLabels: {{zone: {zone}}}}}]}}],
                egress: [{{toEndpoints: [{{matchLabels: {{zone: {zone}}}}}]}}]}}""",
            name=zone,
        )
        for zone in ("one", "two")
    )
    found = opening_edits(read(zones), question(pod_set("a", {"zone": "one"}), pod_set("a", {"zone": "two"})))
    assert sorted(labels_of(found)) == [[(0, "zone", "two")], [(1, "zone", "one")]]


def test_a_deny_is_evaded_by_breaking_a_requirement_of_it() -> None:
    guard = ccnp(
        "{endpointSelector: {}, enableDefaultDeny: {ingress: false},"
        " ingressDeny: [{fromEndpoints: [{matchLabels: {quarantine: 'true'}}]}]}"
    )
    found = opening_edits(
        read(guard), question(pod_set("a", {"app": "y", "quarantine": "true"}), pod_set("a", {"app": "x"}))
    )
    assert labels_of(found) == [[(0, "quarantine", None)]]


def test_a_namespace_is_labelled_where_the_entry_asks_for_that() -> None:
    closed = knp("{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: ml}}}]}]}")
    (found,) = opening_edits(read(closed), question(pod_set("c", {"app": "y"}), pod_set("a", {"app": "x"})))
    assert found.edits == (LabelEdit(0, "team", "ml", of_namespace=True),)


@pytest.mark.parametrize(
    "element",
    [
        "{fromEntities: [world]}",
        "{fromCIDR: [10.0.0.0/8]}",
        "{}",
        "{fromEndpoints: []}",
        "{fromEndpoints: [{matchLabels: {io.kubernetes.pod.namespace: c}}]}",
        "{fromEndpoints: [{matchLabels: {pod-template-hash: abc}}]}",
        "{fromEndpoints: [{matchLabels: {training.kubernetes.io/name: j}}]}",
        "{fromEndpoints: [{matchLabels: {io.cilium.k8s.policy.serviceaccount: other}}]}",
    ],
)
def test_where_no_label_helps_there_is_no_edit(element: str) -> None:
    asked = question(pod_set("a", {"app": "y"}), pod_set("a", {"app": "x"}))
    assert opening_edits(read(cnp(f"{{endpointSelector: {{}}, ingress: [{element}]}}")), asked) == ()


def test_labels_that_an_operator_sets_are_not_people_s_to_change() -> None:
    policies = read(cnp("{endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {job-name: other}}]}]}"))
    one, two = pod_set("a", {"job-name": "train"}), pod_set("a", {"app": "x"})
    assert labels_of(opening_edits(policies, question(one, two))) == [[(0, "job-name", "other")]]
    assert opening_edits(policies, question(one, two, fixed=frozenset({"job-name"}))) == ()


def test_addresses_and_hosts_have_no_labels_to_change_but_ports_can_be_added() -> None:
    target = pod_set("a", {"app": "x"})
    assert opening_edits(read(cnp(MASTER % FROM_Y)), question(address("192.0.2.1"), target)) == ()
    policies = read(cnp(MASTER % "{fromEntities: [world], toPorts: [{ports: [{port: '80'}]}]}"))
    assert len(only(policies, question(address("192.0.2.1"), target, 443)).edits) == 1


def test_the_value_that_looks_most_like_the_one_that_is_there_comes_first() -> None:
    policies = read(
        cnp(
            """{endpointSelector: {}, ingress: [{fromEndpoints: [
                {matchExpressions: [{key: app, operator: In, values: [metrics, trainer]}]}]}]}"""
        )
    )
    found = opening_edits(policies, question(pod_set("a", {"app": "trianer"}), pod_set("a", {"app": "x"})))
    assert labels_of(found)[0] == [(0, "app", "trainer")]


def test_a_new_label_is_preferred_to_changing_one_that_others_may_read() -> None:
    policies = read(cnp(MASTER % f"{FROM_Y}, {{fromEndpoints: [{{matchLabels: {{access: allowed}}}}]}}"))
    found = opening_edits(policies, question(pod_set("a", {"app": "w"}), pod_set("a", {"app": "x"})))
    assert labels_of(found) == [[(0, "access", "allowed")], [(0, "app", "y")]]


def test_opening_a_connection_by_leaving_the_policy_is_not_proposed() -> None:
    policies = read(cnp("{endpointSelector: {matchLabels: {app: x}}, ingress: [{fromEntities: [host]}]}"))
    assert opening_edits(policies, question(pod_set("a", {"app": "y"}), pod_set("a", {"app": "x"}))) == ()


def test_what_is_not_known_is_not_fixed() -> None:
    policies = read(cnp("{endpointSelector: {}, egress: [{toFQDNs: [{matchName: example.com}]}]}"))
    assert opening_edits(policies, question(pod_set("a", {"app": "y"}), address("192.0.2.1"))) == ()


def test_what_a_later_edit_makes_needless_is_not_proposed() -> None:
    """Evading the deny by the other end's label is of no use once the own label is another one."""
    deny = ccnp(f"{{endpointSelector: {{matchLabels: {{app: x}}}}, egress: [{{}}], egressDeny: [{TO_Z}]}}")
    closed = cnp("{endpointSelector: {}, egress: [{}]}")
    ports = cnp("{endpointSelector: {matchLabels: {app: z}}, egress: [{toPorts: [{ports: []}]}]}", name="q")
    found = opening_edits(
        read(closed + ports + deny), question(pod_set("a", {"app": "x"}), pod_set("b", {"app": "z"}), 100)
    )
    assert labels_of(found) == [[(0, "app", "z")]]
    assert [sum(isinstance(edit, PortEdit) for edit in each.edits) for each in found] == [1]
