"""The ray plugin of Volcano: commands, ports, the head's Service (volcano-sh/volcano:pkg/controllers/job/plugins)."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read, role

JOB = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j, namespace: ml}
spec:
  plugins: {PLUGINS}
  tasks:
    - name: HEAD
      replicas: 1
      template: {spec: {containers: [{name: HEAD, command: [own]}, {name: side, command: [own]}]}}
    - name: WORKER
      replicas: 2
      template: {spec: {containers: [{name: WORKER, command: [own]}, {name: side, command: [own]}]}}
    - {name: board, replicas: 1, template: {spec: {containers: [{name: WORKER, command: [own]}]}}}
"""


@pytest.mark.parametrize(
    ("plugins", "head", "worker", "ports"),
    [
        ("ray: [], svc: []", "head", "worker", (6379, 8265, 10001)),
        (
            (
                "svc: [], ray: ['--head=first', '--worker=second', '--headContainer=first', "
                "'--workerContainer=second', '--port=1', '--dashboardPort=2', '--clientPort=3']"
            ),
            "first",
            "second",
            (1, 2, 3),
        ),
    ],
)
def test_the_plugin_starts_ray_in_its_containers(
    plugins: str, head: str, worker: str, ports: tuple[int, int, int]
) -> None:
    found = read(JOB.replace("PLUGINS", plugins).replace("HEAD", head).replace("WORKER", worker))
    store, dashboard, clients = ports
    first, side = role(found, head).spec.containers
    assert first.command == (
        "sh",
        "-c",
        (
            f"ray start --head --block --dashboard-host=0.0.0.0 --port={store} --dashboard-port={dashboard} "
            f"--ray-client-server-port={clients}"
        ),
    )
    assert {port.name: port.number for port in first.ports} == {
        "gcs": store,
        "dashboard": dashboard,
        "client-server": clients,
    }
    assert (side.command, side.ports) == (("own",), ())
    other, beside = role(found, worker).spec.containers
    assert other.command == ("sh", "-c", f"ray start --block --address=j-{head}-0.j:{store}")
    assert beside.command == ("own",)
    assert [each.command for each in role(found, "board").spec.containers] == [("own",)]
    (service,) = (each for each in found.services if each.ref.name == "j-head-svc")
    assert (service.ref.namespace, service.headless, service.generated) == ("ml", False, True)
    assert [(port.number, port.name) for port in service.ports] == [
        (store, "gcs"),
        (dashboard, "dashboard"),
        (clients, "client-server"),
    ]
    assert service.selector is not None
    assert service.selector["volcano.sh/task-spec"] == head


def test_without_the_plugin_commands_and_services_are_the_users() -> None:
    found = read(JOB.replace("PLUGINS", "svc: []").replace("HEAD", "head").replace("WORKER", "worker"))
    assert [each.command for pods in found.pod_sets for each in pods.spec.containers] == [("own",)] * 5
    assert [each.ref.name for each in found.services] == ["j"]
