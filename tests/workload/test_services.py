"""Where the names in manifests lead, and which ports a connection ends at."""

from __future__ import annotations

import pytest
from tests.workload.manifests import flows, group, name_users, read

from trainlint.finding import Location
from trainlint.launch.addresses import Address
from trainlint.workload.services import Directory

HUB = """
apiVersion: v1
kind: Service
metadata: {name: hub, namespace: lab}
spec: {CLUSTER_IP selector: {app: hub}, ports: [{port: 80, targetPort: TARGET}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store, namespace: lab}
spec:
  serviceName: hub
  template:
    metadata: {labels: {app: hub}}
    spec: {containers: [{name: c, ports: [{name: api, containerPort: 7000}]}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: fit, namespace: lab}
spec:
  parallelism: 2
  template: {spec: {containers: [{name: c, command: [train, --coordinator, "ADDRESS"]}]}}
"""


def manifest(address: str, target: str = "80", cluster_ip: str = "") -> str:
    return HUB.replace("ADDRESS", address).replace("TARGET", target).replace("CLUSTER_IP", cluster_ip)


@pytest.mark.parametrize(
    ("address", "target", "cluster_ip", "port"),
    [
        pytest.param("hub:80", "9000", "", 9000, id="a cluster IP translates to the target port"),
        pytest.param("hub:80", "api", "", 7000, id="by the container port's name"),
        pytest.param("hub", "api", "", 7000, id="the only port where none is written"),
        pytest.param("http://hub", "api", "", 7000, id="the port of the URL's scheme"),
        pytest.param("hub:7000", "api", "clusterIP: None,", 7000, id="a headless Service translates nothing"),
        pytest.param("store-0.hub:7000", "api", "", 7000, id="nor does a pod's own name"),
        pytest.param("hub.lab:80", "api", "", 7000, id="with namespace"),
        pytest.param("hub.lab.svc.cluster.local:80", "api", "", 7000, id="full name"),
        pytest.param("store-0.hub.lab.svc:7000", "api", "", 7000, id="full name of a pod"),
    ],
)
def test_a_connection_ends_at_the_port_of_the_pod(address: str, target: str, cluster_ip: str, port: int) -> None:
    found = group(read(manifest(address, target, cluster_ip)))
    assert found.name == "lab/fit+store"
    assert flows(found) == {f"fit -> store {port}"}
    assert name_users(found) == {"fit"}


@pytest.mark.parametrize("address", ["other:80", "hub.prod:80", "other.hub:80", "hub.lab.example.com:80"])
def test_other_names_lead_nowhere(address: str) -> None:
    assert read(manifest(address)).groups == ()


def test_a_service_of_the_same_name_in_another_namespace_is_another_one() -> None:
    text = manifest("hub:80").replace("{name: fit, namespace: lab}", "{name: fit, namespace: prod}")
    assert read(text).groups == ()
    across = manifest("hub.lab:80").replace("{name: fit, namespace: lab}", "{name: fit, namespace: prod}")
    assert group(read(across)).name == "lab/store+prod/fit"


def test_a_service_without_selector_leads_nowhere() -> None:
    assert read(manifest("hub:80").replace("selector: {app: hub}, ", "")).groups == ()


def test_a_selector_on_a_label_that_numbers_the_pods_finds_them() -> None:
    text = manifest("hub:80").replace("selector: {app: hub}", "selector: {statefulset.kubernetes.io/pod-name: store-0}")
    assert flows(group(read(text))) == {"fit -> store 80"}


def test_the_name_decides_even_where_nothing_selects_the_pods() -> None:
    directory = Directory((), {})
    assert directory.resolve(Address("hub", 80, Location("f", 0), "hub:80"), "lab") is None
