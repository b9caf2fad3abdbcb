"""What annotations ask of the topology, read as Kueue does (kubernetes-sigs/kueue:pkg/controller/jobframework/tas.go).

Numbers and truths are those of Go's strconv: ParseInt with 32 bits, ParseBool.
"""

from __future__ import annotations

import pytest
from tests.fields import field

from trainlint.model.known import Undetermined
from trainlint.model.queued import Slices, TopologyRequest
from trainlint.model.settings import Settings
from trainlint.model.workload import ObjectRef
from trainlint.source.document import Document, Field
from trainlint.workload.expansion import Context
from trainlint.workload.kueue_pod_sets import TopologyError, queued_ray_cluster, topology_of

PREFIX = "kueue.x-k8s.io/podset-"
RACK, BLOCK = "example.com/rack", "example.com/block"


def annotations(**values: object) -> Field:
    data = {f"{PREFIX}{key.replace('_', '-')}": value for key, value in values.items()}
    return Document("train.yaml", 0, 1, "", data).root


def test_no_annotation_asks_for_nothing() -> None:
    assert topology_of(annotations()) is None
    assert topology_of(annotations(group_name="a")) is None
    assert topology_of(annotations(slice_size="4")) is None


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_every_true_of_go_is_true(text: str) -> None:
    assert topology_of(annotations(unconstrained_topology=text)) == TopologyRequest(unconstrained=True)


@pytest.mark.parametrize("text", ["0", "f", "F", "FALSE", "false", "False"])
def test_every_false_of_go_is_false(text: str) -> None:
    assert topology_of(annotations(unconstrained_topology=text)) == TopologyRequest(unconstrained=False)


@pytest.mark.parametrize("text", ["tRUE", "yes", "2", "", "on"])
def test_no_other_word_is_a_truth(text: str) -> None:
    with pytest.raises(TopologyError):
        topology_of(annotations(unconstrained_topology=text))


def test_required_wins_over_preferred_and_preferred_over_unconstrained() -> None:
    everything = annotations(required_topology=RACK, preferred_topology=BLOCK, unconstrained_topology="true")
    assert topology_of(everything) == TopologyRequest(required=RACK)
    two = annotations(preferred_topology=BLOCK, unconstrained_topology="no truth")
    assert topology_of(two) == TopologyRequest(preferred=BLOCK)


def test_a_group_counts_with_a_level_only() -> None:
    assert topology_of(annotations(required_topology=RACK, group_name="a")) == TopologyRequest(RACK, group="a")
    assert topology_of(annotations(preferred_topology=RACK, group_name="a")) == TopologyRequest(
        preferred=RACK, group="a"
    )
    assert topology_of(annotations(unconstrained_topology="true", group_name="a")) == TopologyRequest(
        unconstrained=True
    )


@pytest.mark.parametrize(
    ("size", "number"),
    [("4", 4), ("+4", 4), ("-4", -4), ("0", 0), ("2147483647", 2147483647)],
)
def test_a_slice_has_a_level_and_a_size(size: str, number: int) -> None:
    found = topology_of(annotations(slice_required_topology=RACK, slice_size=size))
    assert found == TopologyRequest(slices=(Slices(RACK, number),))


@pytest.mark.parametrize("size", ["", "four", "4.0", " 4", "+", "-", "++4", "2147483648", "٤"])
def test_a_size_that_is_no_number_of_32_bits_is_refused(size: str) -> None:
    with pytest.raises(TopologyError):
        topology_of(annotations(slice_required_topology=RACK, slice_size=size))


def test_constraints_win_over_the_slice_and_keep_their_order() -> None:
    text = f'[{{"topology": "{BLOCK}", "size": 8}}, {{"topology": "{RACK}", "size": 4}}]'
    found = topology_of(
        annotations(slice_required_topology_constraints=text, slice_required_topology=RACK, slice_size="2")
    )
    assert found == TopologyRequest(slices=(Slices(BLOCK, 8), Slices(RACK, 4)), layers=True)


@pytest.mark.parametrize("layers", [1, 3])
def test_one_to_three_constraints_are_taken(layers: int) -> None:
    text = f"[{', '.join(['{}'] * layers)}]".replace("{}", f'{{"topology": "{RACK}", "size": 1}}')
    found = topology_of(annotations(slice_required_topology_constraints=text))
    assert found is not None
    assert found.slices == (Slices(RACK, 1),) * layers


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "{}",
        "[]",
        f"[{', '.join(['{}'] * 4)}]",
        '["rack"]',
        '[{"topology": "rack", "size": "4"}]',
    ],
)
def test_other_constraints_are_refused(text: str) -> None:
    with pytest.raises(TopologyError):
        topology_of(annotations(slice_required_topology_constraints=text))


RAY = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: c, namespace: ml}
spec:
  FAULTS
  headGroupSpec: {template: {spec: {containers: [{name: head, resources: {RESOURCES}}, {name: side}]}}}
"""


@pytest.mark.parametrize(
    ("resources", "asked"),
    [
        # the job that cleans Redis up asks for 200m and 256Mi, and takes the place of the head
        ("", {"cpu": "200m", "memory": "256Mi"}),
        ("requests: {cpu: 100m, memory: 1Gi}", {"cpu": "200m", "memory": "1Gi"}),
        ("requests: {cpu: 200m, memory: 255Mi}", {"cpu": "200m", "memory": "256Mi"}),
        ("requests: {cpu: 201m, memory: 256Mi}", {"cpu": "201m", "memory": "256Mi"}),
        ("limits: {cpu: '2'}", {"cpu": "2", "memory": "256Mi"}),
        ("limits: {cpu: '2'}, requests: {cpu: '1'}", {"cpu": "1", "memory": "256Mi"}),
        ("requests: {cpu: many}", {"cpu": "200m", "memory": "256Mi"}),
        ("requests: {nvidia.com/gpu: 1}", {"cpu": "200m", "memory": "256Mi", "nvidia.com/gpu": "1"}),
    ],
)
def test_a_head_with_fault_tolerance_asks_for_what_its_cleanup_needs(resources: str, asked: dict[str, str]) -> None:
    faults = "gcsFaultToleranceOptions: {redisAddress: a}"
    item = field(RAY.replace("FAULTS", faults).replace("RESOURCES", resources))
    (head,) = queued_ray_cluster(item, ObjectRef("RayCluster", "ml", "c"), Context(Settings(), {}))
    first, side = head.spec.containers
    assert (dict(first.requests), dict(side.requests)) == (asked, {})


def test_an_amount_that_is_a_placeholder_stays_one() -> None:
    item = field(RAY.replace("FAULTS", "gcsFaultToleranceOptions: {}").replace("RESOURCES", "requests: {cpu: '${C}'}"))
    (head,) = queued_ray_cluster(item, ObjectRef("RayCluster", "ml", "c"), Context(Settings(), {}))
    assert isinstance(head.spec.containers[0].requests["cpu"], Undetermined)
