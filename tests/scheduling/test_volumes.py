"""Volumes as a linter meets them: objects that only controllers complete, and claims that are not in Git."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scheduling.clusters import ZONE, field, node, pod

from trainlint.kube.storage import read_claim, read_persistent_volume, read_storage_class
from trainlint.model.selector import NodeSelectorTerm, Requirement
from trainlint.model.storage import Claim, PersistentVolume, Storage, StorageClass
from trainlint.scheduling import volume_binding, volume_zone
from trainlint.scheduling.refusal import Answer, Doubt, Refusal

A, B = node("a", {ZONE: "a"}), node("b", {ZONE: "b"})
POD = pod(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}])
CLAIM = Claim("default", "d", frozenset({"ReadWriteOnce"}), request="10Gi")
IN_A = (NodeSelectorTerm((Requirement(ZONE, "In", ("a",)),)),)
DISK = PersistentVolume("pv", capacity="10Gi", access_modes=frozenset({"ReadWriteOnce"}), node_affinity=IN_A)
IN_B = replace(DISK, name="other", node_affinity=(NodeSelectorTerm((Requirement(ZONE, "In", ("b",)),)),))
FAST = StorageClass("fast", "disk.example.com", delayed=True)


def storage(
    *claims: Claim,
    volumes: tuple[PersistentVolume, ...] = (),
    classes: tuple[StorageClass, ...] = (),
    complete: bool = True,
) -> Storage:
    return Storage(
        {each.name: each for each in volumes},
        {(each.namespace, each.name): each for each in claims},
        {each.name: each for each in classes},
        complete=complete,
    )


def answers(known: Storage) -> tuple[str, str]:
    return _word(volume_binding.check(POD, A, known)), _word(volume_binding.check(POD, B, known))


def _word(answer: Answer) -> str:
    return "fits" if answer is None else "refused" if isinstance(answer, Refusal) else "unknown"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (storage(complete=False), ("unknown", "unknown")),
        (storage(), ("refused", "refused")),
        (storage(replace(CLAIM, volume="pv"), volumes=(DISK,)), ("fits", "refused")),
        (storage(CLAIM, volumes=(replace(DISK, claim=("default", "d")),)), ("fits", "refused")),
        (storage(replace(CLAIM, storage_class=""), volumes=(DISK,)), ("fits", "refused")),
        (storage(replace(CLAIM, storage_class=""), volumes=(DISK, IN_B)), ("unknown", "unknown")),
        (storage(replace(CLAIM, storage_class=""), volumes=(replace(DISK, node_affinity=None),)), ("fits", "fits")),
        (storage(CLAIM), ("unknown", "unknown")),
        (storage(CLAIM, classes=(replace(FAST, default=True),)), ("fits", "fits")),
        (storage(replace(CLAIM, storage_class="fast"), classes=(FAST,)), ("fits", "fits")),
        (
            storage(replace(CLAIM, storage_class="fast"), classes=(replace(FAST, delayed=False),)),
            ("unknown", "unknown"),
        ),
        (storage(replace(CLAIM, storage_class="typo")), ("refused", "refused")),
        (storage(replace(CLAIM, storage_class="typo"), complete=False), ("unknown", "unknown")),
        (
            storage(
                replace(CLAIM, storage_class="fast"),
                classes=(replace(FAST, topologies=((Requirement(ZONE, "In", ("b",)),),)),),
            ),
            ("refused", "fits"),
        ),
        (
            storage(
                replace(CLAIM, storage_class="local"),
                classes=(StorageClass("local", "kubernetes.io/no-provisioner", delayed=True),),
                volumes=(replace(DISK, storage_class="local"),),
            ),
            ("fits", "refused"),
        ),
    ],
    ids=[
        "a claim that is not in Git is unknown",
        "unless nothing else exists",
        "a claim that names its volume is as good as bound",
        "so is a volume that is reserved for the claim",
        "a claim without class gets the only volume that fits",
        "or any of those that fit",
        "which does not matter if all of them reach the node",
        "without class and without a known default it is unknown",
        "a default class that waits for the pod fits everywhere",
        "a class that waits for the pod fits everywhere",
        "a class that does not wait chooses a zone that is not known",
        "a class that does not exist never binds",
        "or is not in Git",
        "allowed topologies restrict the zones",
        "local volumes bind where they are",
    ],
)
def test_what_a_claim_means_for_two_zones(known: Storage, expected: tuple[str, str]) -> None:
    assert answers(known) == expected


def test_a_zone_label_that_a_driver_puts_on_nodes_is_taken_for_the_zone() -> None:
    # S 1.8: static inventories lack the driver's own label.
    driver = (NodeSelectorTerm((Requirement("topology.ebs.csi.aws.com/zone", "In", ("a",)),)),)
    known = storage(replace(CLAIM, volume="pv"), volumes=(replace(DISK, node_affinity=driver),))
    assert answers(known) == ("fits", "refused")


def test_the_refusal_points_at_the_volume_of_the_pod_and_at_the_persistent_volume() -> None:
    pv = read_persistent_volume(
        field(
            {
                "metadata": {"name": "pv"},
                "spec": {
                    "capacity": {"storage": "10Gi"},
                    "nodeAffinity": {
                        "required": {
                            "nodeSelectorTerms": [
                                {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
                            ]
                        }
                    },
                },
            }
        )
    )
    answer = volume_binding.check(POD, B, storage(replace(CLAIM, volume="pv"), volumes=(pv,)))
    assert isinstance(answer, Refusal)
    assert answer.at is not None
    assert answer.at.path == ("volumes", 0)
    assert answer.node_at == pv.at


def test_an_unbound_claim_is_no_refusal_of_the_zone_filter_for_a_linter() -> None:
    assert isinstance(volume_zone.check(POD, A, storage(CLAIM)), Doubt)
    assert volume_zone.check(POD, A, storage(replace(CLAIM, storage_class="fast"), classes=(FAST,))) is None


def test_ephemeral_volumes_get_their_claims_from_a_controller() -> None:
    template = {"spec": {"storageClassName": "fast", "accessModes": ["ReadWriteOnce"]}}
    scratch = pod(volumes=[{"name": "s", "ephemeral": {"volumeClaimTemplate": template}}])
    assert volume_binding.check(scratch, A, storage(classes=(FAST,))) is None
    bare = replace(storage(classes=(FAST,)), controllers=False)
    assert isinstance(volume_binding.check(scratch, A, bare), Refusal)


def test_storage_objects_are_read_as_written() -> None:
    claim = read_claim(
        field(
            {
                "metadata": {"name": "d", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
                "spec": {"volumeName": "pv", "resources": {"requests": {"storage": "1Gi"}}},
            }
        ),
        "team",
    )
    assert (claim.namespace, claim.bound, claim.volume, claim.request, claim.storage_class) == (
        "team",
        True,
        "pv",
        "1Gi",
        None,
    )
    chosen = read_storage_class(
        field(
            {
                "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                "provisioner": "disk.example.com",
                "volumeBindingMode": "WaitForFirstConsumer",
                "allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": ["a"]}]}],
            }
        )
    )
    assert chosen == replace(FAST, default=True, topologies=((Requirement(ZONE, "In", ("a",)),),))
