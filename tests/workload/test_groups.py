"""Decision 7: seeds, members, dependencies, names; decision 9: opting out."""

from __future__ import annotations

import random

from tests.workload.manifests import GPU, flows, group, objects, read

from trainlint.model.settings import Settings
from trainlint.model.workload import FlowKind
from trainlint.workload import read_workloads
from trainlint.workload.ownership import assign


def service(name: str, namespace: str = "lab") -> str:
    return f"""
---
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{clusterIP: None, selector: {{app: {name}}}, ports: [{{port: 2379}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers: [{{name: c}}]}}}}}}
"""


def job(name: str, *args: str, gpu: str = GPU, pods: int = 2, annotations: str = "") -> str:
    return f"""
---
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, namespace: lab, annotations: {{{annotations}}}}}
spec:
  completionMode: Indexed
  completions: {pods}
  parallelism: {pods}
  template: {{spec: {{containers: [{{name: c, command: [train, {", ".join(args)}], {gpu}}}]}}}}
"""


def names(text: str) -> set[str]:
    return {found.name for found in read(text).groups}


def test_what_one_group_alone_uses_is_a_member() -> None:
    found = group(read(job("fit", "--store=hub:2379") + service("hub")))
    assert found.name == "lab/fit+hub"
    assert found.dependencies == frozenset()
    assert flows(found) == {"fit -> fit 32768-60999", "fit -> hub 2379"}


def test_what_several_groups_use_is_a_dependency_and_joins_nothing() -> None:
    workloads = read(job("a", "--store=hub:2379") + job("b", "--store=hub:2379") + service("hub"))
    assert {found.name for found in workloads.groups} == {"lab/a", "lab/b"}
    for found in workloads.groups:
        assert [found.members[index].owner.name for index in found.dependencies] == ["hub"]
        assert any(text.endswith("-> hub 2379") for text in flows(found))


def test_what_a_member_uses_is_a_member_too() -> None:
    hub = service("hub").replace("[{name: c}]", "[{name: c, args: [--backend=db:2379]}]")
    assert names(job("fit", "--store=hub:2379") + hub + service("db")) == {"lab/db+fit+hub"}


def test_users_that_are_no_group_do_not_share() -> None:
    web = service("web").replace("[{name: c}]", "[{name: c, args: [--store=hub:2379]}]")
    assert names(job("fit", "--store=hub:2379") + service("hub") + web) == {"lab/fit+hub"}


def test_a_server_on_accelerators_that_calls_a_database_is_no_training_group() -> None:
    serve = service("serve").replace("[{name: c}]", f"[{{name: c, args: ['--db=redis://db:2379'], {GPU}}}]")
    assert names(serve + service("db")) == set()


def test_a_load_generator_is_no_training_group() -> None:
    serve = service("serve").replace("[{name: c}]", f"[{{name: c, {GPU}}}]")
    assert names(job("load", "--url=http://serve:2379", gpu="x: y") + serve) == set()


def test_pods_that_meet_somewhere_are_a_group_without_accelerators() -> None:
    assert names(job("fit", "--coordinator=hub:2379", gpu="x: y") + service("hub")) == {"lab/fit+hub"}


def test_the_name_is_sorted_and_names_the_namespaces_where_they_differ() -> None:
    assert names(job("z", "--store=a.ops:2379") + service("a", "ops")) == {"lab/z+ops/a"}


def test_an_object_without_pods_takes_no_part() -> None:
    assert names(job("fit", "--store=hub:2379", pods=0) + service("hub")) == set()
    empty = service("hub").replace("spec: {template", "spec: {replicas: 0, template")
    assert names(job("fit", "--store=hub:2379") + empty) == {"lab/fit"}


def test_an_annotation_joins_objects() -> None:
    note = "trainlint.io/group: rl"
    assert names(job("actor", annotations=note) + job("learner", annotations=note)) == {"lab/actor+learner"}


def test_ranks_of_two_objects_that_meet_are_one_communicator() -> None:
    master = service("m").replace("[{name: c}]", f"[{{name: c, {GPU}}}]")
    found = group(read(job("w", "--nnodes=3", "--master-addr=m", "--master-port=2379") + master))
    assert flows(found, FlowKind.COLLECTIVE) == {
        "w -> w 32768-60999",
        "w -> m 32768-60999",
        "m -> w 32768-60999",
    }


def test_traffic_across_zones_is_allowed_by_annotation_or_setting() -> None:
    assert group(read(job("a", annotations="trainlint.io/cross-zone: allowed"))).cross_zone_allowed
    assert not group(read(job("a"))).cross_zone_allowed
    settings = Settings(cross_zone_allowed=frozenset({"lab/a"}))
    assert group(read_workloads(objects(job("a")), settings)).cross_zone_allowed


def test_a_meeting_place_that_is_not_known_is_an_unknown() -> None:
    workloads = read(job("a", "--rdzv-endpoint=etcd.ops:2379"))
    assert group(workloads).name == "lab/a"
    (unknown,) = workloads.unknowns
    assert "etcd.ops" in unknown.missing


def test_the_groups_do_not_depend_on_the_order_of_the_objects() -> None:
    text = (
        job("a", "--store=hub:2379", "--x=solo:2379") + job("b", "--store=hub:2379") + service("hub") + service("solo")
    )
    items = objects(text)
    expected = {found.name for found in read_workloads(items, Settings()).groups}
    assert expected == {"lab/a+solo", "lab/b"}
    for seed in range(20):
        shuffled = random.Random(seed).sample(items, len(items))
        assert {found.name for found in read_workloads(shuffled, Settings()).groups} == expected


def test_groups_that_join_later_make_members_of_what_they_share() -> None:
    # 0 and 1 both use 2; 1 is a seed that only 0 uses, so they are one group and 2 is theirs
    found = assign(3, {0, 1}, {0: {1, 2}, 1: {2}}, [])
    assert found.members == {0: [0, 1, 2]}
    assert not found.dependencies[0]


def test_pods_that_kueue_queues_as_one_are_a_group() -> None:
    # W 11
    label = "labels: {kueue.x-k8s.io/pod-group-name: ring}"
    pod = """
---
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: lab, {label}}}
spec:
  subdomain: net
  containers: [{{name: c, command: [train, --world-size=2, "--master-addr=p0.net:29500"], {gpu}}}]
"""
    net = "---\n{apiVersion: v1, kind: Service, metadata: {name: net, namespace: lab}, spec: {selector: {NAME: ring}}}"
    text = "".join(pod.format(name=name, label=label, gpu=GPU) for name in ("p0", "p1"))
    found = group(read(text + net.replace("NAME", "kueue.x-k8s.io/pod-group-name")))
    assert found.name == "lab/p0+p1"
    assert flows(found) == {"p1 -> p0 29500", "p0 -> p1 32768-60999", "p1 -> p0 32768-60999"}
