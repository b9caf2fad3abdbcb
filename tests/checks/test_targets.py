"""What must start near pods that are not there (S 1.6), claims that pods cannot share, and nodes with accelerators."""

from __future__ import annotations

import pytest
from tests.references.test_settings_of_pods import snapshot
from tests.unknown_values import unknown

from trainlint.checks.affinity_targets import missing_targets
from trainlint.checks.gpu_nodes import accelerators, device_name, keeping, taint_key, untainted
from trainlint.checks.shared_claims import shared_claims
from trainlint.finding import Location
from trainlint.model.known import Undetermined
from trainlint.model.pool import Inventory, Pool, Taint
from trainlint.model.storage import Claim, Storage

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: NAME, namespace: ml}
spec:
  parallelism: COUNT
  template:
    metadata: {labels: {app: NAME}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"}]MORE}
"""
TERM = "requiredDuringSchedulingIgnoredDuringExecution"
SELECTOR = "labelSelector: {matchLabels: {app: TARGET}}"
AFFINITY = f", affinity: {{podAffinity: {{{TERM}: [{{topologyKey: zone, {SELECTOR}SPACE}}]}}}}"
AT = ("spec", "template", "spec", "affinity", "podAffinity", TERM, 0)


def job(name: str, more: str = "", count: int = 1, namespace: str = "ml") -> str:
    text = JOB.replace("NAME", name).replace("COUNT", str(count)).replace("MORE", more)
    return text.replace("namespace: ml", f"namespace: {namespace}")


def near(target: str, space: str = "") -> str:
    return AFFINITY.replace("TARGET", target).replace("SPACE", f", {space}" if space else "")


def targets(*documents: str) -> list[tuple[str, list[tuple[str, str]], tuple[str, ...], tuple[str, ...]]]:
    found = list(missing_targets(snapshot({"a.yaml": "---\n".join(documents)})))
    assert all(each.at.path == AT for each in found)
    assert all([requirement.key for requirement in each.requirements] == ["app"] for each in found)
    return [(each.pod_set.name, list(each.near), each.namespaces, each.elsewhere) for each in found]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        # the target is there
        ([job("train", near("cache")), job("cache")], []),
        # nothing has the label: what pods of the namespace have instead
        (
            [job("train", near("cach")), job("cache")],
            [("train", [("app", "train"), ("app", "cache")], ("ml",), ())],
        ),
        # the first of all may start near its own kind
        ([job("train", near("train"))], []),
        # no pod is made of the target
        ([job("train", near("cache")), job("cache", count=0)], [("train", [("app", "train")], ("ml",), ())]),
        # pods that are not made need no target
        ([job("train", near("cache"), count=0)], []),
        # the target is in another namespace
        (
            [job("train", near("cache")), job("cache", namespace="web")],
            [("train", [("app", "train")], ("ml",), ("web",))],
        ),
        ([job("train", near("cache", "namespaces: [web]")), job("cache", namespace="web")], []),
        (
            [job("train", near("cache", "namespaces: [web]")), job("cache")],
            [("train", [], ("web",), ("ml",))],
        ),
        ([job("train", near("cache", "namespaceSelector: {}")), job("cache", namespace="web")], []),
        (
            [job("train", near("other", "namespaceSelector: {}")), job("cache", namespace="web")],
            [("train", [("app", "train"), ("app", "cache")], (), ())],
        ),
        # a label that is filled in elsewhere may be the one
        ([job("train", near("cache")), job("'${NAME}'")], []),
    ],
)
def test_a_pod_starts_near_pods_that_are_there(documents: list[str], expected: list[object]) -> None:
    assert targets(*documents) == expected


CLAIMING = ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"


@pytest.mark.parametrize(
    ("modes", "count", "shared"),
    [
        ({"ReadWriteOncePod"}, 2, True),
        ({"ReadWriteOncePod"}, 1, False),
        ({"ReadWriteOncePod"}, 0, False),
        ({"ReadWriteOncePod", "ReadWriteMany"}, 2, False),
        ({"ReadWriteMany"}, 2, False),
        ({"ReadWriteOnce"}, 2, False),  # nothing is known of the nodes
        (set(), 2, False),
    ],
)
def test_a_claim_of_one_pod_is_not_shared(modes: set[str], count: int, shared: bool) -> None:
    (pods,) = snapshot({"a.yaml": job("train", CLAIMING, count)}).workloads.pod_sets
    storage = Storage(claims={("ml", "data"): Claim("ml", "data", access_modes=frozenset(modes))})
    found = list(shared_claims((), [pods], storage, lambda _: None))
    assert len(found) == shared
    for each in found:
        assert (each.mode, each.pods, each.certain, each.pod_sets) == ("ReadWriteOncePod", 2, True, (pods,))
        assert each.at.path == ("spec", "template", "spec", "volumes", 0)
    assert (
        list(shared_claims((), [pods], Storage(claims={("web", "data"): Claim("web", "data")}), lambda _: None)) == []
    )


def test_pods_of_unknown_number_count_as_one() -> None:
    text = job("train", CLAIMING).replace("parallelism: 1", "parallelism: '${N}'")
    storage = Storage(claims={("ml", "data"): Claim("ml", "data", access_modes=frozenset({"ReadWriteOncePod"}))})
    assert list(shared_claims((), snapshot({"a.yaml": text}).workloads.pod_sets, storage, lambda _: None)) == []


@pytest.mark.parametrize(
    ("allocatable", "found", "taint"),
    [
        ({"cpu": "8", "nvidia.com/gpu": "8"}, ("nvidia.com/gpu",), "nvidia.com/gpu"),
        ({"nvidia.com/mig-1g.5gb": "7"}, ("nvidia.com/mig-1g.5gb",), "nvidia.com/gpu"),
        ({"aws.amazon.com/neuroncore": "2"}, ("aws.amazon.com/neuroncore",), "aws.amazon.com/neuron"),
        ({"google.com/tpu": "4"}, ("google.com/tpu",), "google.com/tpu"),
        ({"amd.com/gpu": "8", "nvidia.com/gpu": "8"}, ("amd.com/gpu", "nvidia.com/gpu"), "amd.com/gpu"),
        ({"nvidia.com/gpu": "0"}, (), "nvidia.com/gpu"),
        ({"nvidia.com/gpu": "10"}, ("nvidia.com/gpu",), "nvidia.com/gpu"),
        ({"nvidia.com/gpu": unknown("?")}, (), "nvidia.com/gpu"),
        ({"cpu": "8"}, (), "nvidia.com/gpu"),
        (None, (), "nvidia.com/gpu"),
    ],
)
def test_accelerators_of_nodes_and_the_taint_that_belongs_to_them(
    allocatable: dict[str, str | Undetermined] | None, found: tuple[str, ...], taint: str
) -> None:
    pool = Pool("gpu", allocatable=allocatable)
    assert (accelerators(pool), taint_key(pool)) == (found, taint)


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        ("nvidia.com/gpu", "GPU"),
        ("amd.com/gpu", "GPU"),
        ("google.com/tpu", "TPU"),
        ("aws.amazon.com/neuroncore", "Neuron device"),
        ("habana.ai/gaudi", "Gaudi"),
    ],
)
def test_what_people_call_the_devices(resource: str, name: str) -> None:
    assert device_name(resource) == name


HARD, SOFT, EVICTING = (Taint("a", "", effect) for effect in ("NoSchedule", "PreferNoSchedule", "NoExecute"))


def pool(name: str, *taints: Taint, gpus: str = "8", **labels: str) -> Pool:
    keys = {key.replace("_", "/"): value for key, value in labels.items()}
    place = Location(f"{name}.yaml", 0, ())
    return Pool(name, labels=keys, taints=taints, allocatable={"nvidia.com/gpu": gpus}, at=place)


def test_only_some_taints_keep_pods_away() -> None:
    assert keeping(pool("gpu", HARD, SOFT, EVICTING)) == (HARD, EVICTING)


def test_nodes_with_accelerators_are_tainted_where_there_are_others() -> None:
    bare, soft, hard, cpu = pool("bare"), pool("soft", SOFT), pool("hard", HARD), pool("cpu", gpus="0")
    made = pool("class", **{"cloud.google.com/compute-class": "gpus"})
    assert untainted(Inventory("i", (bare, soft, hard, made, cpu), complete=True)) == (bare, soft)
    assert untainted(Inventory("i", (bare, soft, hard), complete=True)) == ()
    assert untainted(Inventory("i", (bare, soft, hard), complete=False)) == (bare, soft)
    assert untainted(Inventory("i", (bare, bare, cpu), complete=True)) == (bare,)
