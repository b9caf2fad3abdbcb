"""JobSet (W 5)."""

from __future__ import annotations

import hashlib

from tests.workload.manifests import GPU, flows, group, labels, name_users, read, role

from trainlint.model.workload import FlowKind

MEETING = '"--master-addr=js-node-0-0.js", --master-port=29500, --driver, "js-driver-0-0.js:7"'
JOBSET = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: js, namespace: lab}}
spec:
  replicatedJobs:
  - name: driver
    template: {{spec: {{template: {{spec: {{containers: [{{name: c, command: [drive]}}]}}}}}}}}
  - name: node
    replicas: 2
    template:
      spec:
        parallelism: 3
        completions: 3
        template:
          spec:
            containers:
            - {{name: c, command: [train, {MEETING}], {GPU}}}
"""


def test_pods_are_those_of_all_child_jobs() -> None:
    node = role(read(JOBSET), "node")
    assert (node.replicas, node.blocks) == (6, 2)
    assert (node.hostname, node.spec.subdomain) == ("js-node-{}-{}", "js")


def test_pods_carry_the_labels_of_jobset_and_of_the_job() -> None:
    workloads = read(JOBSET)
    prefix = "jobset.sigs.k8s.io/"
    assert labels(role(workloads, "node")) == {
        f"{prefix}jobset-name": "js",
        f"{prefix}replicatedjob-name": "node",
        f"{prefix}replicatedjob-replicas": "2",
        f"{prefix}global-replicas": "3",
        f"{prefix}job-index": "*",
        f"{prefix}job-global-index": "*",
        f"{prefix}job-key": "*",
        f"{prefix}restart-attempt": "?",
        f"{prefix}jobset-uid": "?",
        f"{prefix}group-name": "default",
        f"{prefix}group-replicas": "3",
        f"{prefix}job-group-index": "*",
        f"{prefix}priority": "0",
        "batch.kubernetes.io/job-name": "*",
        "job-name": "*",
        "batch.kubernetes.io/controller-uid": "?",
        "controller-uid": "?",
        "batch.kubernetes.io/job-completion-index": "*",
    }
    driver = labels(role(workloads, "driver"))
    assert driver["job-name"] == "js-driver-0"
    assert driver[f"{prefix}job-key"] == hashlib.sha1(b"lab/js-driver-0").hexdigest()


def test_one_service_named_like_the_subdomain_serves_all_roles() -> None:
    (service,) = read(JOBSET).services
    assert (service.ref.name, service.selector) == ("js", {"jobset.sigs.k8s.io/jobset-name": "js"})
    assert service.publish_not_ready
    (named,) = read(JOBSET.replace("spec:\n  rep", "spec:\n  network: {subdomain: net}\n  rep", 1)).services
    assert named.ref.name == "net"


def test_roles_on_accelerators_are_ranks_and_a_driver_is_not() -> None:
    found = group(read(JOBSET))
    assert found.name == "lab/js"
    assert flows(found, FlowKind.COLLECTIVE) == {"node -> node 32768-60999"}
    assert flows(found, FlowKind.RENDEZVOUS) == {"node -> node 29500"}
    assert flows(found, FlowKind.CALL) == {"node -> driver 7"}
    assert name_users(found) == {"node"}


def test_a_role_that_ends_first_is_no_part_of_the_group() -> None:
    text = JOBSET.replace("name: driver", "name: fetch").replace(', --driver, "js-driver-0-0.js:7"', "")
    text = text.replace("name: node\n", "name: node\n    dependsOn: [{name: fetch, status: Complete}]\n")
    assert {member.role for member in group(read(text)).members} == {"node"}


def test_roles_that_meet_at_different_places_are_different_communicators() -> None:
    pod = f"containers: [{{name: c, command: [torchrun, --nnodes=2, --master-addr=js-ROLE-0-0.js], {GPU}}}]"
    job = "template: {spec: {parallelism: 2, completions: 2, template: {spec: {POD}}}}".replace("POD", pod)
    text = JOBSET[: JOBSET.index("  - name: driver")]
    for name in ("actor", "critic"):
        text += f"  - name: {name}\n    {job.replace('ROLE', name)}\n"
    assert flows(group(read(text)), FlowKind.COLLECTIVE) == {
        "actor -> actor 32768-60999",
        "critic -> critic 32768-60999",
    }


def test_pods_that_say_nothing_about_each_other_are_an_unknown() -> None:
    text = JOBSET.replace(GPU, "x: y").replace(f"[train, {MEETING}]", "[serve]")
    workloads = read(text)
    assert workloads.groups == ()
    assert [unknown.subject for unknown in workloads.unknowns] == ["JobSet lab/js"]


def test_the_jobsets_name_may_come_from_the_downward_api() -> None:
    field = "metadata.annotations['jobset.sigs.k8s.io/jobset-name']"
    text = JOBSET.replace("js-node-0-0.js", "$(NAME)-node-0-0.$(NAME)").replace(
        "{name: c, command: [train",
        f'{{name: c, env: [{{name: NAME, valueFrom: {{fieldRef: {{fieldPath: "{field}"}}}}}}], command: [train',
    )
    assert "node -> node 29500" in flows(group(read(text)), FlowKind.RENDEZVOUS)


def test_a_coordinator_is_named_on_all_pods() -> None:
    # jobset:pkg/controllers/jobset_controller.go, coordinatorEndpoint: jobset-job-jobIndex-podIndex.subdomain
    text = JOBSET.replace(
        "spec:\n  rep", "spec:\n  coordinator: {replicatedJob: driver, jobIndex: 1, podIndex: 2}\n  rep", 1
    )
    key = "jobset.sigs.k8s.io/coordinator"
    assert {labels(pods).get(key) for pods in read(text).pod_sets} == {"js-driver-1-2.js"}
    assert {labels(pods).get(key) for pods in read(JOBSET).pod_sets} == {None}
    unnamed = text.replace("spec:\n  coord", "spec:\n  network: {enableDNSHostnames: false, subdomain: s}\n  coord", 1)
    assert {labels(pods).get(key) for pods in read(unnamed).pod_sets} == {"js-driver-1-2.s"}
    short = text.replace(", jobIndex: 1, podIndex: 2", "")
    assert {labels(pods).get(key) for pods in read(short).pod_sets} == {"js-driver-0-0.js"}
