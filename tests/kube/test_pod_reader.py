"""Reading pod specs: what is there, what is not known, and that nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.finding import Location
from trainlint.kube.node import read_node
from trainlint.kube.pod import read_pod_spec
from trainlint.kube.values import is_placeholder
from trainlint.model.known import Undetermined
from trainlint.model.pod import PodSpec, Volume
from trainlint.model.selector import Requirement
from trainlint.source.document import Document
from trainlint.wording.because import because_text


def read(spec: Any) -> PodSpec:
    return read_pod_spec(Document("f.yaml", 0, 1, "", {"spec": spec}).root["spec"])


FULL = {
    "nodeSelector": {"pool": "gpu"},
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}],
                    }
                ]
            }
        },
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}, "namespaceSelector": {}}
            ],
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "rack", "labelSelector": {}}}
            ],
        },
    },
    "topologySpreadConstraints": [
        {"topologyKey": "zone", "maxSkew": 2, "whenUnsatisfiable": "ScheduleAnyway", "minDomains": 3}
    ],
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": "fast"}}}},
        {"name": "shm", "emptyDir": {"medium": "Memory"}},
    ],
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}],
    "schedulingGates": [{"name": "example.com/wait"}],
    "containers": [
        {
            "name": "main",
            "image": "img",
            "command": ["sh", "-c", "torchrun --nnodes=${N}"],
            "env": [
                {"name": "A", "value": "1"},
                {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
                {"name": "C"},
                {"name": "N", "value": 4},
            ],
            "ports": [{"containerPort": 29500, "hostPort": 29500, "hostIP": "10.0.0.1"}],
            "resources": {"limits": {"nvidia.com/gpu": 8, "cpu": 0.5}, "claims": [{"name": "gpu"}]},
        }
    ],
    "initContainers": [{"name": "proxy", "restartPolicy": "Always"}],
    "hostNetwork": True,
}


def test_every_part_is_read_with_its_place() -> None:
    spec = read(FULL)
    assert spec.node_selector == (Requirement("pool", "In", ("gpu",)),)
    assert spec.node_selector[0].at == Location("f.yaml", 0, ("spec", "nodeSelector", "pool"))
    (node_term,) = spec.node_affinity or ()
    assert node_term.expressions == (Requirement("zone", "In", ("a", "b")),)
    assert node_term.fields == (Requirement("metadata.name", "In", ("n",)),)
    (near,) = spec.pod_affinity
    assert near.selector is not None
    assert near.namespace_selector is not None
    assert near.namespace_selector.requirements == ()
    assert near.at is not None
    assert near.at.path[-2:] == ("requiredDuringSchedulingIgnoredDuringExecution", 0)
    assert [each.topology_key for each in spec.preferred_pod_affinity] == ["rack"]
    (spread,) = spec.spread
    assert (spread.max_skew, spread.hard, spread.min_domains, spread.selector) == (2, False, 3, None)
    assert spec.volumes == (
        Volume("data", "persistentVolumeClaim", "data"),
        Volume("scratch", "ephemeral", storage_class="fast"),
        Volume("shm", "emptyDir", medium="Memory"),
    )
    assert [(claim.name, claim.template) for claim in spec.resource_claims] == [("gpu", "one-gpu")]
    assert spec.scheduling_gates == ("example.com/wait",)
    assert spec.init_containers[0].restart_policy == "Always"
    assert spec.host_network
    assert spec.undetermined == ()


def test_a_container_keeps_quantities_as_text_and_the_words_of_its_command() -> None:
    (main,) = read(FULL).containers
    assert main.limits == {"nvidia.com/gpu": "8", "cpu": "0.5"}
    assert main.command == ("sh", "-c", "torchrun --nnodes=${N}")
    assert main.ports[0].host_port == 29500
    assert main.resource_claims == ("gpu",)
    assert [(each.name, each.value) for each in main.env if each.name != "B"] == [("A", "1"), ("C", ""), ("N", "4")]
    assert isinstance(main.env[1].value, Undetermined)
    assert because_text(main.env[1].value.why) == "from ConfigMap c, key k"


def test_no_required_node_affinity_and_no_terms_are_not_the_same() -> None:
    # S 1.3: `required: null` is no constraint, zero terms match nothing.
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    assert read({"affinity": {"nodeAffinity": {required: None}}}).node_affinity is None
    assert read({"affinity": {"nodeAffinity": {required: {"nodeSelectorTerms": []}}}}).node_affinity == ()


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ({"tolerations": "${TOLERATIONS}"}, "tolerations"),
        ({"nodeSelector": "{{ .Values.nodeSelector }}"}, "nodeSelector"),
        ({"affinity": {"podAffinity": "<affinity>"}}, "affinity.podAffinity"),
        ({"nodeName": "$(NODE)"}, "nodeName"),
        ({"hostNetwork": "${HOST}"}, "hostNetwork"),
        ({"topologySpreadConstraints": [{"topologyKey": "zone", "maxSkew": "${SKEW}"}]}, "topologySpreadConstraints"),
        ({"containers": [{"ports": [{"containerPort": "${PORT}"}]}]}, "containers.ports"),
        ({"containers": [{"resources": "${RESOURCES}"}]}, "containers.resources"),
    ],
)
def test_a_placeholder_makes_its_part_undetermined(spec: Any, part: str) -> None:
    assert part in read(spec).undetermined


def test_a_placeholder_for_a_quantity_makes_only_that_amount_undetermined() -> None:
    spec = read({"containers": [{"resources": {"limits": {"nvidia.com/gpu": "__GPUS__", "cpu": "1"}}}]})
    limits = spec.containers[0].limits
    assert isinstance(limits["nvidia.com/gpu"], Undetermined)
    assert limits["cpu"] == "1"
    assert spec.undetermined == ()


@pytest.mark.parametrize(
    "text", ["${N}", "$(N)", "$N", "{{ .Values.n }}", "<n>", "__N__", "@N@", "x-${N}", "%{ if x }"]
)
def test_what_stands_for_something_else_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["", "a__b__c", "1e3", "nvidia.com/gpu", "a_b", "A100-SXM4-80GB", "5%", "user@host"])
def test_valid_values_are_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


def _keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in _keys(each)}
    return {key for each in value for key in _keys(each)} if isinstance(value, list) else set()


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(["", "x", "${N}", "1Gi", "In"])
)
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(sorted(_keys(FULL) | {"status", "spec", "allocatable"})), inner, max_size=4),
    ),
    max_leaves=25,
)


@given(junk)
def test_nothing_that_yaml_can_hold_makes_the_readers_raise(data: Any) -> None:
    read(data)
    read_node(Document("f.yaml", 0, 1, "", data).root)


@st.composite
def damaged(draw: st.DrawFn, value: Any = FULL) -> Any:
    if not draw(st.integers(0, 12)):
        return draw(scalars)
    if isinstance(value, dict):
        return {key: draw(damaged(each)) for key, each in value.items()}
    return [draw(damaged(each)) for each in value] if isinstance(value, list) else value


@given(damaged())
def test_a_damaged_spec_is_read_as_far_as_it_goes(data: Any) -> None:
    read(data)
