"""Names of pods that DNS does not give (W 1.7, 1.8, 9, 10)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.wording.host_names import host_name_text
from trainlint.workload.checks.hostnames import all_misnamed

JOB = """
apiVersion: v1
kind: Service
metadata: {name: SERVICE, namespace: WHERE}
spec: {SPEC}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  MODE
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {app: j}}
    spec:
      SUBDOMAIN
      containers: [{name: c, command: [torchrun, --nnodes=2, --master-addr=HOST, x.py] PROBE}]
"""
SET = """
apiVersion: v1
kind: Service
metadata: {name: s, namespace: ml}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: s}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: s, namespace: ml}
spec:
  serviceName: NAME
  replicas: 2
  template:
    metadata: {labels: {app: s}}
    spec: {containers: [{name: c, env: [{name: MASTER_ADDR, value: HOST}]}]}
"""
HEADLESS = "clusterIP: None, publishNotReadyAddresses: true, selector: {app: j}"


def hosts(text: str, opened: bool = False) -> list[tuple[str, tuple[str | int, ...]]]:
    found = all_misnamed(read(text), lambda namespace: opened)
    return [(each.host, each.fault.at.path) for each in found]


def job(
    service: str = "j",
    spec: str = HEADLESS,
    subdomain: str = "subdomain: j",
    host: str = "j-0.j",
    mode: str = "completionMode: Indexed",
    probe: str = "",
    where: str = "ml",
) -> list[tuple[str, tuple[str | int, ...]]]:
    text = JOB.replace("SERVICE", service).replace("SPEC", spec).replace("SUBDOMAIN", subdomain).replace("HOST", host)
    return hosts(text.replace("MODE", mode).replace("PROBE", probe).replace("WHERE", where))


@pytest.mark.parametrize("host", ["j-0.j", "j-0.j.ml", "j-0.j.ml.svc", "j-0.j.ml.svc.cluster.local"])
def test_names_that_fit_together(host: str) -> None:
    assert job(host=host) == []


def test_a_service_with_a_cluster_ip_gives_names_too() -> None:
    assert job(spec="selector: {app: j}, ports: [{port: 29500}]") == []


def test_the_service_is_called_differently() -> None:
    assert job(service="j-headless") == [("j-0.j", ("spec", "template", "spec", "subdomain"))]


def test_without_any_service_it_is_unknown() -> None:
    text = JOB.split("---")[1].replace("SUBDOMAIN", "subdomain: j").replace("HOST", "j-0.j")
    assert hosts(text.replace("MODE", "completionMode: Indexed").replace("PROBE", "")) == []


def test_something_else_may_bring_the_service() -> None:
    text = JOB.replace("SERVICE", "other").replace("SPEC", HEADLESS).replace("SUBDOMAIN", "subdomain: j")
    text = text.replace("HOST", "j-0.j").replace("MODE", "completionMode: Indexed").replace("PROBE", "")
    assert hosts(text.replace("WHERE", "ml"), opened=True) == []


def test_the_service_stands_in_another_namespace() -> None:
    assert job(where="other") == [("j-0.j", ("spec", "template", "spec", "subdomain"))]


def test_the_selector_selects_others() -> None:
    spec = HEADLESS.replace("app: j", "app: k")
    assert job(spec=spec) == [("j-0.j", ("spec", "selector"))]


def test_pods_without_a_subdomain_have_no_names() -> None:  # W 17.13
    assert job(subdomain="") == [("j-0.j", ("spec", "template", "spec", "subdomain"))]
    assert len(job(subdomain="subdomain: k")) == 1


def test_pods_of_a_job_that_is_not_indexed_have_random_names() -> None:  # W 9
    assert job(mode="backoffLimit: 0") == [("j-0.j", ("spec", "completionMode"))]


def test_a_host_name_alone_is_no_name() -> None:
    assert [host for host, _ in job(host="j-0")] == ["j-0"]


@pytest.mark.parametrize(
    ("probe", "spec", "wrong"),
    [
        ("readinessProbe: {exec: {command: [check]}}", "clusterIP: None, selector: {app: j}", True),
        ("readinessProbe: {exec: {command: [check]}}", HEADLESS, False),
        ("readinessProbe: {tcpSocket: {port: 29500}}", "clusterIP: None, selector: {app: j}", False),
        ("livenessProbe: {exec: {command: [check]}}", "clusterIP: None, selector: {app: j}", False),
    ],
)
def test_pods_that_are_ready_when_all_have_met(probe: str, spec: str, wrong: bool) -> None:  # W 1.8
    assert bool(job(probe=f", {probe}", spec=spec)) is wrong


@pytest.mark.parametrize(
    ("name", "host", "wrong"),
    [("s", "s-0.s", False), ("t", "s-0.s", True), ("s", "s-0.t", True), ("s", "t-0.s", False)],
)
def test_a_stateful_set_names_its_service(name: str, host: str, wrong: bool) -> None:  # W 10
    assert bool(hosts(SET.replace("NAME", name).replace("HOST", host))) is wrong


JOB_SET = """
apiVersion: v1
kind: Service
metadata: {name: other, namespace: ml}
spec: {selector: {app: other}}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: j, namespace: ml}
spec:
  replicatedJobs:
    - name: head
      template: {spec: {parallelism: 1, completions: 1, template: {spec: {containers: [{name: c, HEAD}]}}}}
    - name: tail
      template: {spec: {parallelism: 1, completions: 1, template: {spec: {containers: [{name: c, TAIL}]}}}}
"""
ASKS = "env: [{name: MASTER_ADDR, value: j-head-0-0}]"


def test_who_uses_a_name_is_named_and_not_whose_it_is() -> None:
    (found,) = all_misnamed(read(JOB_SET.replace("HEAD", "image: x").replace("TAIL", ASKS)), lambda namespace: "")
    assert host_name_text(found.fault).startswith(
        "j/tail looks for j-head-0-0, and DNS does not know the host name of a pod alone"
    )


def test_a_pod_knows_its_own_name_from_its_hosts_file() -> None:
    # The kubelet writes "podIP fqdn hostname" there.
    assert hosts(JOB_SET.replace("HEAD", ASKS).replace("TAIL", "image: x")) == []
    several = JOB_SET.replace("parallelism: 1, completions: 1", "parallelism: 2, completions: 2")
    assert hosts(several.replace("HEAD", ASKS).replace("TAIL", "image: x")) != []
