"""LeaderWorkerSet (W 6): each replica is a group of its own."""

from __future__ import annotations

from tests.workload.manifests import GPU, env, flows, group, labels, name_users, read, role

from trainlint.model.workload import FlowKind

LWS = f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: chat, namespace: serve}}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 4
    workerTemplate:
      spec:
        containers:
        - name: c
          command: [bash, -c]
          args: ["torchrun --nnodes=$LWS_GROUP_SIZE --master_addr=$LWS_LEADER_ADDRESS --master_port=20000 x"]
          {GPU}
"""


def test_the_size_includes_the_leader_and_each_replica_is_an_instance() -> None:
    workloads = read(LWS)
    leader, worker = role(workloads, "leader"), role(workloads, "worker")
    assert (leader.replicas, worker.replicas) == (1, 3)
    assert (leader.instances, worker.instances, group(workloads).instances) == (2, 2, 2)
    assert (leader.hostname, worker.hostname) == ("chat-{}", "chat-{}-{}")


def test_pods_carry_name_and_indices() -> None:
    workloads = read(LWS)
    prefix = "leaderworkerset.sigs.k8s.io/"
    worker = labels(role(workloads, "worker"))
    assert {key: worker[prefix + key] for key in ("name", "group-index", "worker-index", "group-key")} == {
        "name": "chat",
        "group-index": "*",
        "worker-index": "*",
        "group-key": "*",
    }
    assert labels(role(workloads, "leader"))[f"{prefix}worker-index"] == "0"


def test_the_leader_is_found_by_the_variable_that_the_controller_sets() -> None:
    workloads = read(LWS)
    assert env(role(workloads, "worker"))["LWS_LEADER_ADDRESS"] == "chat-0.chat.serve"
    found = group(workloads)
    assert found.name == "serve/chat"
    assert flows(found, FlowKind.RENDEZVOUS) == {"worker -> leader 20000"}
    assert flows(found, FlowKind.COLLECTIVE) == {
        "leader -> worker 32768-60999",
        "worker -> leader 32768-60999",
        "worker -> worker 32768-60999",
    }
    assert "worker" in name_users(found)


def test_one_service_serves_all_groups_unless_each_has_its_own() -> None:
    (shared,) = read(LWS).services
    assert (shared.ref.name, shared.selector) == ("chat", {"leaderworkerset.sigs.k8s.io/name": "chat"})
    one = LWS.replace("replicas: 2", "replicas: 1\n  networkConfig: {subdomainPolicy: UniquePerReplica}")
    assert [service.ref.name for service in read(one).services] == ["chat-0"]
    assert env(role(read(one), "worker"))["LWS_LEADER_ADDRESS"] == "chat-0.chat-0.serve"


def test_a_leader_without_accelerator_or_launcher_is_no_rank() -> None:
    text = LWS.replace(
        "    workerTemplate",
        "    leaderTemplate: {spec: {containers: [{name: r, command: [route]}]}}\n    workerTemplate",
    )
    assert flows(group(read(text)), FlowKind.COLLECTIVE) == {"worker -> worker 32768-60999"}


def test_a_size_of_one_is_no_group() -> None:
    assert read(LWS.replace("size: 4", "size: 1")).groups == ()
