"""What makes names of pods known to DNS, edit by edit (W 1.7, 9, 10): the smallest that make one name."""

from __future__ import annotations

import pytest
from tests.workload.manifests import read

from trainlint.finding import Put
from trainlint.workload.checks.hostnames import all_misnamed

JOB = """
apiVersion: v1
kind: Service
metadata: {name: SERVICE, namespace: ml}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: train}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    metadata: {labels: {app: train}}
    spec:
      subdomain: SUBDOMAIN
      containers: [{name: c, command: [torchrun, --nnodes=2, HOST, x.py]}]
"""
CONTAINER = ("spec", "template", "spec", "containers", 0)
SUBDOMAIN = ("spec", "template", "spec", "subdomain")

Edits = list[tuple[int, tuple[str | int, ...], object]]


def repairs(text: str) -> list[tuple[str, Edits]]:
    """Titles, and of each edit its document, path and value."""
    found: list[tuple[str, Edits]] = []
    for each in all_misnamed(read(text), lambda namespace: False):
        for fix in each.fault.fixes:
            edits: Edits = [(edit.at.document, edit.at.path, edit.value) for edit in fix.edits if isinstance(edit, Put)]
            assert len(edits) == len(fix.edits)
            found.append((fix.title, edits))
    return found


def job(service: str, host: str = "--master-addr=train-0.nodes", subdomain: str = "nodes") -> str:
    return JOB.replace("SERVICE", service).replace("HOST", host).replace("SUBDOMAIN", subdomain)


WORD = (*CONTAINER, "command", 2)
IN_MAP = """
---
apiVersion: v1
kind: ConfigMap
metadata: {name: env, namespace: ml}
data: {MASTER_ADDR: train-0.nodes}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a letter is wrong, in the subdomain and in the address
        (
            job("node"),
            [("look for train-0.node", [(1, WORD, "--master-addr=train-0.node"), (1, SUBDOMAIN, "node")])],
        ),
        # two letters are wrong, three are another name
        (
            job("nodess5"),
            [("look for train-0.nodess5", [(1, WORD, "--master-addr=train-0.nodess5"), (1, SUBDOMAIN, "nodess5")])],
        ),
        (job("nodess55"), [("call the Service nodess55 nodes", [(0, ("metadata", "name"), "nodes")])]),
        # pods and caller agree, so the Service is called wrong
        (job("rendezvous"), [("call the Service rendezvous nodes", [(0, ("metadata", "name"), "nodes")])]),
        # the Service and the pods agree, so the caller is wrong
        (
            job("rendezvous", subdomain="rendezvous"),
            [("look for train-0.rendezvous", [(1, WORD, "--master-addr=train-0.rendezvous")])],
        ),
        # the Service is there, and the pods have another subdomain
        (
            job("nodes", subdomain="other"),
            [("set the subdomain of train to nodes", [(1, SUBDOMAIN, "nodes")])],
        ),
        (job("nodes"), []),
    ],
)
def test_the_smallest_edits_make_one_name(text: str, expected: list[tuple[str, Edits]]) -> None:
    assert repairs(text) == expected


def test_an_address_of_another_document_is_not_edited() -> None:
    text = JOB.replace("command: [torchrun, --nnodes=2, HOST, x.py]", "envFrom: [{configMapRef: {name: env}}]")
    found = repairs(text.replace("SERVICE", "node").replace("SUBDOMAIN", "nodes") + IN_MAP)
    assert found == [("look for train-0.node", [(1, SUBDOMAIN, "node")])]


def test_a_script_that_says_the_name_twice_is_not_edited() -> None:
    once = "torchrun --nnodes=2 --master-addr=train-0.nodes x.py"
    text = JOB.replace("SERVICE", "node").replace("SUBDOMAIN", "nodes")
    one, two = (
        text.replace("[torchrun, --nnodes=2, HOST, x.py]", f"[bash, -c, '{script}']")
        for script in (once, f"nc train-0.nodes 1; {once}")
    )
    of_pods = (1, SUBDOMAIN, "node")
    assert repairs(one) == [("look for train-0.node", [(1, WORD, once.replace("nodes ", "node ")), of_pods])]
    assert repairs(two) == [("look for train-0.node", [of_pods])]


def test_a_job_whose_pods_have_no_numbers_gets_them() -> None:
    plain = job("nodes").replace("  completionMode: Indexed\n", "")
    indexed = (1, ("spec", "completionMode"), "Indexed")
    title = "number the pods (completionMode: Indexed)"
    assert repairs(plain) == [(title, [indexed])]
    queue = plain.replace("  completions: 2\n", "")
    assert repairs(queue) == [(title, [indexed, (1, ("spec", "completions"), 2)])]


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ("plugins: {ssh: []}", [("add the svc plugin", [(0, ("spec", "plugins", "svc"), [])])]),
        ("", []),
        ("plugins: {svc: []}", []),
    ],
)
def test_a_job_of_volcano_gets_the_svc_plugin(plugins: str, expected: list[tuple[str, Edits]]) -> None:
    text = f"""
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  {plugins}
  tasks:
    - name: worker
      replicas: 2
      template: {{spec: {{containers: [{{name: c, command: [torchrun, --master-addr=train-worker-0.train, x.py]}}]}}}}
"""
    assert repairs(text) == expected


def test_a_job_set_gives_names_to_its_pods() -> None:
    text = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: ml}
spec:
  network: {enableDNSHostnames: false}
  replicatedJobs:
    - name: all
      template:
        spec:
          completions: 2
          parallelism: 2
          template: {spec: {containers: [{name: c, command: [torchrun, --master-addr=train-all-0-0.train, x.py]}]}}
"""
    put = (0, ("spec", "network", "enableDNSHostnames"), True)
    assert repairs(text) == [("give the pods names in DNS", [put])]
    assert repairs(text.replace("train-all-0-0.train,", "train-all-0-0,")) == []
    assert repairs(text.replace("enableDNSHostnames: false", "enableDNSHostnames: true")) == []
