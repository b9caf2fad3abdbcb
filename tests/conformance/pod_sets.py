"""The pod sets, Services and policies that are read of a manifest, against what eight operators make of it.

A pod set is a number of equal pods, as rules and the scheduler's model use it; what the operators make pod by pod is
compared in expansion.py. Records of refused objects are passed over: what is refused is another question.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.conformance.pod_specs import spec_texts

from trainlint.admission.ground import RefusedPart
from trainlint.admission.problem import Problem
from trainlint.admission.refusals import problems
from trainlint.kube.pod import read_pod_spec
from trainlint.model.because import Because
from trainlint.model.known import SYMBOL, Known, Undetermined
from trainlint.model.settings import Settings
from trainlint.model.workload import FIRST_ONLY, PodSet, Service, Workloads
from trainlint.source.document import Document
from trainlint.workload import read_workloads

Record = Mapping[str, Any]
Prediction = dict[str, Any]

UNKNOWN = "*"
"""For what is not known before, in records and in predictions; in a prediction also for what differs by pod."""


def predict(record: Record) -> Prediction:
    """The pod sets and Services for one record."""
    documents = [Document("record.yaml", number, 1, "", each) for number, each in enumerate(record["input"])]
    workloads = read_workloads([each.root for each in documents], Settings())
    unmade = [problem for each in documents for problem in problems(each.root, "") if _leaves_no_pods(problem)]
    return {
        "id": record["id"],
        "pods": [_pods(each) for each in workloads.pod_sets if each.replicas != 0 and not _is_at(each, unmade)],
        "services": sorted((_service(each) for each in workloads.services), key=lambda each: str(each["name"])),
        "policies": sorted(str(each.down("metadata", "name").value) for each in workloads.policies),
        "unknown": _unknown(workloads),
    }


def _leaves_no_pods(problem: Problem) -> bool:
    """Whether the object is taken, and has no pods at this place."""
    return problem.unmade or problem.what == Because(RefusedPart.EVERY_POD)


def _is_at(pods: PodSet, unmade: Iterable[Problem]) -> bool:
    return any(problem.at[: len(pods.at.path)] == pods.at.path for problem in unmade)


def _unknown(workloads: Workloads) -> list[str]:
    return [each.missing for each in workloads.unknowns]


def _pods(pods: PodSet) -> Prediction:
    spec = pods.spec
    replicas, instances = pods.replicas, pods.instances
    known = isinstance(replicas, int) and isinstance(instances, int)
    return {
        "role": pods.role,
        "count": replicas * instances if known and isinstance(replicas, int) and isinstance(instances, int) else None,
        "most": pods.max_replicas,
        "labels": {key: _text(value) for key, value in pods.labels.items() if value != FIRST_ONLY},
        "only first": sorted(key for key, value in pods.labels.items() if value == FIRST_ONLY)
        + sorted({entry.name for each in spec.containers for entry in each.env if entry.value == FIRST_ONLY}),
        "hostname": pods.hostname.replace("{}", UNKNOWN),
        "subdomain": spec.subdomain.replace("{}", UNKNOWN),
        "scheduler": spec.scheduler_name or "default-scheduler",
        "hostNetwork": spec.host_network,
        "spec": spec_texts(spec, together=pods.together is not None, commands=_commands_are_the_users(pods)),
        "containers": {
            each.name: {
                entry.name: _of_instance(_text(entry.value), pods) for entry in each.env if entry.value != FIRST_ONLY
            }
            for each in spec.containers
        },
    }


def _commands_are_the_users(pods: PodSet) -> bool:
    """Whether the containers run what the user wrote: KubeRay and Flux write the command lines of theirs.

    Workers of an MPIJob v1 without a command sleep: what matters is what the launcher runs in them.
    """
    names = {entry.name for each in pods.spec.containers for entry in each.env if entry.injected}
    flux = any(each.name == "flux-installer" for each in pods.spec.init_containers)
    sleeping = pods.owner.kind == "MPIJob" and any(key.startswith("training.kubeflow.org/") for key in pods.labels)
    return not flux and not sleeping and not names & {"KUBERAY_GEN_RAY_START_CMD", "RAY_DASHBOARD_ADDRESS"}


def _of_instance(text: str, pods: PodSet) -> str:
    """A value that names the first of several copies names another one in each."""
    return text if pods.instances == 1 else text.replace(f"{pods.owner.name}-0", f"{pods.owner.name}-{UNKNOWN}")


def _service(service: Service) -> Prediction:
    return {
        "name": _made(service.ref.name),
        "selector": {key: _made(value) for key, value in (service.selector or {}).items()},
        "headless": service.headless,
        "publishNotReadyAddresses": service.publish_not_ready,
        "ports": sorted(f"{port.number} {port.name}" for port in service.ports),
    }


def _made(text: str) -> str:
    """A text without the symbols that stand for names made in the cluster; of those only the end is known."""
    if SYMBOL not in text:
        return text
    end, cut, _ = text.partition("/")
    return f"{UNKNOWN}-{end}" if cut else UNKNOWN


def _text(value: Known[str]) -> str:
    return UNKNOWN if isinstance(value, Undetermined) else value


def disagreements(record: Record, predicted: Prediction) -> dict[str, str]:
    """What was predicted otherwise than recorded: the first difference of each kind."""
    found: dict[str, str] = {}
    output = record["output"]
    counts: Counter[int] = Counter()
    for pod in output["pods"]:
        options = [(_of_pod(pod, each), number) for number, each in enumerate(predicted["pods"])]
        if not options:
            found.setdefault("pod sets", f"recorded {pod['name']}, predicted none")
            continue
        wrong, number = min(options, key=lambda option: (_far(pod, predicted["pods"][option[1]]), len(option[0])))
        counts[number] += 1
        for kind, text in wrong.items():
            found.setdefault(kind, f"{pod['name']}: {text}")
    for number, each in enumerate(predicted["pods"]):
        count, most = each["count"], each["most"] or 0
        least = 0 if each["most"] and count == 1 else count  # a group that scales from zero is judged with one pod
        if count is not None and count != counts[number] and not least <= counts[number] <= most:
            found.setdefault("count", f"{each['role']}: recorded {counts[number]}, predicted {each['count']}")
    found.update(_of_services(output["services"], predicted["services"]))
    policies = sorted(each["name"] for each in output["others"] if each["kind"] == "NetworkPolicy")
    if policies != predicted["policies"]:
        found["policies"] = f"recorded {policies}, predicted {predicted['policies']}"
    return found


def _far(pod: Record, predicted: Prediction) -> int:
    """How unlike a pod is to a pod set: labels with other values, and containers with other names."""
    own = pod.get("labels", {})
    labels = sum(not _same(own.get(key, ""), value) for key, value in predicted["labels"].items())
    names = {each["name"] for each in pod["containers"]}
    host = not _same(pod.get("hostname", ""), predicted["hostname"])
    return 2 * labels + 3 * len(set(predicted["containers"]) - names) + host


def _same(recorded: str, predicted: str) -> bool:
    if UNKNOWN in (recorded, predicted) or recorded == predicted:
        return True
    one, other = (re.escape(each).replace(r"\*", ".*") for each in (recorded, predicted))
    return re.fullmatch(one, predicted) is not None or re.fullmatch(other, recorded) is not None


def _of_pod(pod: Record, predicted: Prediction) -> dict[str, str]:
    found: dict[str, str] = {}
    own = {key: value for key, value in pod.get("labels", {}).items() if key not in predicted["only first"]}
    _compare_maps("label", own, predicted["labels"], found)
    for key, default in (("hostname", ""), ("subdomain", "")):
        recorded = pod.get(key, default)
        named = key == "hostname" and _same(
            pod["name"], predicted[key]
        )  # pods without a host name are called by theirs
        if not _same(recorded, predicted[key]) and not (named and not recorded):
            found[key] = f"recorded {pod.get(key, default)!r}, predicted {predicted[key]!r}"
    if pod.get("schedulerName", "default-scheduler") != predicted["scheduler"]:
        found["scheduler"] = f"recorded {pod.get('schedulerName')!r}, predicted {predicted['scheduler']!r}"
    found.update(_of_spec(pod, predicted["spec"]))
    containers = {each["name"]: each for each in pod["containers"]}
    if set(containers) != set(predicted["containers"]):
        found["containers"] = f"recorded {sorted(containers)}, predicted {sorted(predicted['containers'])}"
    for name, env in predicted["containers"].items():
        written = [
            each for each in containers.get(name, {}).get("env", ()) if each["name"] not in predicted["only first"]
        ]
        values = {each["name"]: UNKNOWN if "valueFrom" in each else each.get("value", "") for each in written}
        _compare_maps("env", values, env, found)
    return found


def _of_spec(pod: Record, predicted: Mapping[str, str]) -> dict[str, str]:
    """The parts of the pod spec that differ, read as the linter reads a written one."""
    recorded = spec_texts(read_pod_spec(Document("pod.yaml", 0, 1, "", pod).root))
    return {
        f"spec {part}": f"recorded {recorded.get(part)}, predicted {value}"
        for part, value in predicted.items()
        if not _same(recorded.get(part, ""), value)
    }


def _compare_maps(what: str, recorded: Mapping[str, str], predicted: Mapping[str, str], found: dict[str, str]) -> None:
    for key in sorted(recorded.keys() - predicted.keys()):
        found.setdefault(f"{what} not predicted: {key}", f"recorded {recorded[key]!r}")
    for key in sorted(predicted.keys() - recorded.keys()):
        found.setdefault(f"{what} not recorded: {key}", f"predicted {predicted[key]!r}")
    for key in sorted(predicted.keys() & recorded.keys()):
        if not _same(recorded[key], predicted[key]):
            found.setdefault(f"{what} {key}", f"recorded {recorded[key]!r}, predicted {predicted[key]!r}")


def _of_services(recorded: Iterable[Record], predicted: Iterable[Prediction]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = list(predicted)
    for service in recorded:
        same = next((each for each in left if service["name"] == each["name"]), None)
        same = same or next((each for each in left if _same(service["name"], each["name"])), None)
        if same is None:
            found.setdefault("service not predicted", service["name"])
            continue
        left.remove(same)
        _compare_maps("selector", service.get("selector") or {}, same["selector"], found)
        for key in ("headless", "publishNotReadyAddresses"):
            if bool(service.get(key)) != same[key]:
                found.setdefault(f"service {key}", f"{service['name']}: recorded {service.get(key)!r}")
        ports = sorted(f"{each['port']} {each.get('name', '')}" for each in service.get("ports", ()))
        if ports != same["ports"]:
            found.setdefault("service ports", f"{service['name']}: recorded {ports}, predicted {same['ports']}")
    if left:
        found["service not recorded"] = str([each["name"] for each in left])
    return found


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file that have an output, and of which no part was refused."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                record = json.loads(line)
                if "output" in record and not _left_out(record):
                    yield record


def _left_out(record: Record) -> bool:
    """What is judged otherwise, or cannot be known: see data/expansion/README.md."""
    config = set(record.get("config", {})) - {"shipped-runtimes"}
    tags = {"suspend", "managedBy", "managed-by", "generate-name"} & set(record["tags"])
    return bool(config or tags or {"child_rejected", "errors", "note"} & set(record))


class Comparison:
    """Counts of records that agree, the disagreements by kind, and the first of them in full."""

    def __init__(self) -> None:
        self.records = 0
        self.agreed = 0
        self.wrong: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def add(self, record: Record) -> None:
        """Predict and compare one record."""
        wrong = disagreements(record, predict(record))
        self.records += 1
        self.agreed += not wrong
        for kind, text in wrong.items():
            self.wrong[kind] += 1
            self.first.setdefault(kind, f"{record['id']} {text}")

    @property
    def complete(self) -> bool:
        """Whether everything agrees."""
        return self.agreed == self.records

    def report(self) -> str:
        """``N of M records agree``, and the kinds of disagreement, each with its first."""
        lines = [f"{self.agreed} of {self.records} records agree"]
        lines += [f"  {kind}: {count} disagree, first {self.first[kind]}" for kind, count in self.wrong.most_common()]
        return "\n".join(lines)


def compare(paths: Iterable[Path]) -> Comparison:
    """Predict and compare every record of the files."""
    total = Comparison()
    for path in paths:
        for record in read_records(path):
            total.add(record)
    return total
