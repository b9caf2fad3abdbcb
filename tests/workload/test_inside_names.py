"""Names inside a job's own subdomain: JobSet, Volcano and LeaderWorkerSet make them, and nothing else (W 5, 6, 8)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.workload.checks.hostnames import all_misnamed
from trainlint.workload.checks.subdomain_names import absent_pods
from trainlint.workload.services import directory_of
from trainlint_rules.workload.headless_service_mismatch import finding_of

VOLCANO = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: wide, namespace: lm}
spec:
  PLUGINS
  tasks:
  - {name: master, replicas: 1, template: {spec: {containers: [{name: c}]}}}
  - name: worker
    replicas: 2
    template: {spec: {containers: [{name: c, env: [{name: MASTER_ADDR, value: HOST}]}]}}
"""
JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: wide, namespace: lm}
spec:
  NETWORK
  replicatedJobs:
  - name: w
    replicas: 2
    template:
      spec:
        parallelism: 3
        completions: 3
        template: {spec: {containers: [{name: c, env: [{name: MASTER_ADDR, value: HOST}]}]}}
"""
LWS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: wide, namespace: lm}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 3
    workerTemplate: {spec: {containers: [{name: c, env: [{name: MASTER_ADDR, value: HOST}]}]}}
"""
SVC = "plugins: {svc: []}"


def misnamed(text: str) -> list[tuple[tuple[str | int, ...], str]]:
    found = all_misnamed(read(text), lambda namespace: "")
    return [(each.fault.at.path, finding_of(each.fault).message + finding_of(each.fault).remedy) for each in found]


def absent(text: str) -> list[str]:
    workloads = read(text)
    directory = directory_of(workloads)
    return [fault.nearest for each in workloads.objects for fault in absent_pods(each, directory)]


@pytest.mark.parametrize(
    "text",
    [
        VOLCANO.replace("PLUGINS", SVC).replace("HOST", "wide-master-0"),
        JOB_SET.replace("NETWORK", "").replace("HOST", "wide-w-0-0"),
        LWS.replace("HOST", "wide-0"),
    ],
)
def test_a_host_name_alone_is_no_name_in_dns(text: str) -> None:
    ((_, said),) = misnamed(text)
    assert ".wide" in said
    assert "Service" not in said


@pytest.mark.parametrize(
    "text",
    [
        VOLCANO.replace("PLUGINS", SVC).replace("HOST", "wide-master-0.wide"),
        VOLCANO.replace("PLUGINS", "plugins: {pytorch: []}").replace("HOST", "wide-master-0.wide.lm.svc"),
        VOLCANO.replace("PLUGINS", SVC).replace("HOST", '"${MASTER}.wide"'),
        JOB_SET.replace("NETWORK", "").replace("HOST", "wide-w-1-2.wide"),
        JOB_SET.replace("NETWORK", "network: {subdomain: net}").replace("HOST", "wide-w-1-2.net"),
        LWS.replace("HOST", "wide-1.wide"),
        LWS.replace("HOST", "wide-1-2.wide"),
    ],
)
def test_a_pod_in_its_subdomain_is_known(text: str) -> None:
    assert misnamed(text) == []
    assert absent(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (VOLCANO.replace("PLUGINS", "plugins: {env: []}"), ("spec", "plugins", "svc")),
        (VOLCANO.replace("PLUGINS", ""), ("spec",)),
        (JOB_SET.replace("NETWORK", "network: {enableDNSHostnames: false}"), ("spec", "network", "enableDNSHostnames")),
    ],
)
def test_without_a_service_there_are_no_names(text: str, place: tuple[str, ...]) -> None:
    host = "wide-w-0-0.wide" if "JobSet" in text else "wide-master-0.wide"
    ((path, said),) = misnamed(text.replace("HOST", host))
    assert path == place
    assert host in said


def test_the_operator_decides_the_subdomain() -> None:
    ((path, said),) = misnamed(
        JOB_SET.replace("NETWORK", "network: {subdomain: net}").replace("HOST", "wide-w-0-0.wide")
    )
    assert path[-1] == "value" or path[-2] == "env"
    assert "wide-w-0-0.net" in said


def test_a_service_of_that_name_is_another_thing() -> None:
    service = """
---
apiVersion: v1
kind: Service
metadata: {name: wide-master-0, namespace: lm}
spec: {selector: {volcano.sh/task-spec: master}, ports: [{port: 29500}]}
"""
    assert misnamed(VOLCANO.replace("PLUGINS", "").replace("HOST", "wide-master-0") + service) == []


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        (VOLCANO.replace("PLUGINS", SVC).replace("HOST", "wide-chief-0.wide"), "wide-master-0"),
        (VOLCANO.replace("PLUGINS", SVC).replace("HOST", "wide-worker-2.wide"), "wide-worker-0"),
        (JOB_SET.replace("NETWORK", "").replace("HOST", "wide-w-2-0.wide"), "wide-w-0-0"),
        (JOB_SET.replace("NETWORK", "").replace("HOST", "wide-w-0-3.wide"), "wide-w-0-0"),
        (JOB_SET.replace("NETWORK", "").replace("HOST", "wide-workers-0-0.wide.lm.svc.cluster.local"), "wide-w-0-0"),
        (LWS.replace("HOST", "wide-2.wide"), "wide-0"),
        (LWS.replace("HOST", "wide-0-3.wide"), "wide-0-1"),
    ],
)
def test_a_pod_that_the_job_does_not_have(text: str, nearest: str) -> None:
    assert absent(text) == [nearest]


def test_an_unknown_number_of_pods_is_no_limit() -> None:
    text = (
        VOLCANO.replace("PLUGINS", SVC).replace("replicas: 2", "replicas: ${N}").replace("HOST", "wide-worker-7.wide")
    )
    assert absent(text) == []
