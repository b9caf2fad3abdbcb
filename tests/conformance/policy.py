"""Policy verdicts against those that Cilium's own policy engine gave.

``python -m tests.conformance policy FILE...`` compares; with ``--predict`` it prints predictions instead. The files
hold one recorded case a line (see README.md); a prediction never looks at what was recorded.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from trainlint.model.pod import ContainerPort
from trainlint.model.policy import Decision, Permission, Verdict
from trainlint.model.settings import Cni, Settings
from trainlint.policy import Endpoint, PolicyContext, PolicyService, PolicySet, read_policies
from trainlint.policy.identity import named_ports, node_endpoint, pod_endpoint, reserved_endpoint
from trainlint.policy.labels import node_label_filter, pod_label_filter
from trainlint.source.document import Document

Case = Mapping[str, Any]

OPTIONS = {
    "enablePolicy": "enable-policy",
    "allowLocalhost": "allow-localhost",
    "clusterName": "cluster-name",
    "policyDefaultLocalCluster": "policy-default-local-cluster",
    "enableHostFirewall": "enable-host-firewall",
    "enableNodeSelectorLabels": "enable-node-selector-labels",
    "nodeLabels": "node-labels",
    "policyCIDRMatchMode": "policy-cidr-match-mode",
    "labels": "labels",
    "enableNonDefaultDenyPolicies": "enable-non-default-deny-policies",
    "enableICMPRules": "enable-icmp-rules",
    "enableL7Proxy": "enable-l7-proxy",
    "enableExtendedIPProtocols": "enable-extended-ip-protocols",
}
RECORDED_VERSIONS = {"1.18": "1.18.0", "1.19": "1.19.0", "1.20": "1.20.0"}
"""The commits that were recorded; 1.19 with the label filter of its first release (see the recordings' README)."""


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(value) if isinstance(value, list) else str(value)


class Cluster:
    """One recorded case: the policies read, and its ends of connections.

    ``bare_engine`` is what was recorded; without it everything is judged as in the product.
    """

    def __init__(self, case: Case, *, bare_engine: bool = True) -> None:
        settings = case["settings"]
        options = {OPTIONS[key]: _text(value) for key, value in settings.items() if key in OPTIONS}
        options["enable-k8s-cluster-network-policy"] = "true"
        if options.get("allow-localhost") == "auto":
            options["allow-localhost"] = "policy"  # The bare engine; only the agent turns auto into always.
        cni = Cni(version=RECORDED_VERSIONS[settings["cilium"]], options=options, stated=True)
        self.namespaces = {each["name"]: each.get("labels") or {} for each in case["namespaces"]}
        self.nodes = {each["name"]: each for each in case.get("nodes") or ()}
        self.pods = {f"{each['namespace']}/{each['name']}": each for each in case["pods"]}
        context = PolicyContext(
            settings=Settings(cni=cni),
            namespaces=self.namespaces,
            services=tuple(_services(case)),
            port_names=_port_names(case["pods"]),
            bare_engine=bare_engine,
        )
        self.options = context.options
        self.filters = pod_label_filter(self.options), node_label_filter(self.options)
        documents = [Document("case", index, 1, "", each) for index, each in enumerate(case["policies"])]
        self.policies: PolicySet = read_policies((each.root for each in documents), context)
        self._pods: dict[str, Endpoint] = {}

    @property
    def rejected(self) -> list[int]:
        """Indices of the policies that the engine refuses."""
        return sorted({each.at.document for each in self.policies.rejected if each.engine})

    def ask(self, query: Mapping[str, Any]) -> dict[str, str]:
        """The prediction for one query."""
        verdict = self.verdict(query)
        sides = {"egress": _answer(verdict.egress), "ingress": _answer(verdict.ingress)}
        answers = set(sides.values())
        overall = "error" if "error" in answers else "deny" if "deny" in answers else "allow"
        return {"verdict": overall, **sides}

    def verdict(self, query: Mapping[str, Any]) -> Verdict:
        """The verdict on one query, with everything that led to it."""
        source = self._end(query["from"], query["to"])
        target = self._end(query["to"], query["from"])
        return self.policies.verdict(source, target, query["protocol"], query["port"])

    def _end(self, end: str | Mapping[str, Any], other: str | Mapping[str, Any]) -> Endpoint:
        if isinstance(end, str):
            pod = self.pods[end]
            if pod.get("hostNetwork"):
                return self._node(pod.get("nodeName") or "n1", other)
            return self._pod(end)
        entity, address = end["entity"], end.get("ip")
        match entity:
            case "world":
                return reserved_endpoint(entity, "world", address=ip_address(str(address)))
            case "host":
                return self._node(self._node_of(other) or "n1", other, local=True)
            case "remote-node":
                return self._node(end.get("node") or "", other)
            case "kube-apiserver" if address:
                return reserved_endpoint(entity, "world", "kube-apiserver", address=ip_address(address))
            case "kube-apiserver":
                return self._node("", other, api_server=True)
            case _:
                return reserved_endpoint(entity, entity, policed=entity != "unmanaged")

    def _pod(self, name: str) -> Endpoint:
        found = self._pods.get(name)
        if found is None:
            pod, (label_filter, _) = self.pods[name], self.filters
            found = self._pods[name] = pod_endpoint(
                name,
                pod["namespace"],
                pod.get("labels") or {},
                namespace_labels=self.namespaces.get(pod["namespace"], {}),
                service_account=pod.get("serviceAccountName") or "default",
                options=self.options,
                label_filter=label_filter,
                cluster=pod.get("cluster") or "",
                names=_names(pod),
            )
        return found

    def _node_of(self, end: str | Mapping[str, Any]) -> str:
        if isinstance(end, str):
            return self.pods[end].get("nodeName") or "n1"
        return end.get("node") or ("n1" if end["entity"] == "host" else "")

    def _node(
        self, name: str, other: str | Mapping[str, Any], *, local: bool = False, api_server: bool = False
    ) -> Endpoint:
        node = self.nodes.get(name, {})
        label_filter, node_filter = self.filters
        return node_endpoint(
            name,
            node.get("labels") or {},
            local=local or (bool(name) and self._node_of(other) == name),
            options=self.options,
            label_filter=label_filter,
            node_filter=node_filter,
            api_server=api_server or bool(node.get("kubeApiserver")),
            address=ip_address(node["ip"]) if "ip" in node else None,
        )


def _answer(decision: Decision) -> str:
    return "error" if decision.conflict else "allow" if decision.answer is Permission.ALLOW else "deny"


def _names(pod: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    ports = pod.get("ports") or ()
    return named_ports(
        ContainerPort(port["containerPort"], port.get("name") or "", port.get("protocol") or "TCP") for port in ports
    )


def _port_names(pods: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], frozenset[int]]:
    table: dict[tuple[str, str], set[int]] = {}
    for pod in pods:
        if not pod.get("hostNetwork"):
            for name, number in _names(pod).items():
                table.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in table.items()}


def _services(case: Case) -> Iterator[PolicyService]:
    for each in case.get("services") or ():
        yield PolicyService(
            each["namespace"],
            each["name"],
            each.get("labels") or {},
            each.get("selector") or {},
            tuple(f"{address}/32" for address in each.get("endpoints") or ()),
        )


def predict(case: Case) -> dict[str, Any]:
    """The prediction for one case."""
    cluster = Cluster(case)
    return {
        "id": case["id"],
        "queries": [cluster.ask(query) for query in case["queries"]],
        "rejected": cluster.rejected,
    }


def read_cases(path: Path) -> Iterator[Case]:
    """The cases of a file, packed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


class Comparison:
    """Counts of agreement: of queries and of lists of rejected objects, in all and by tag."""

    def __init__(self, show: int = 5) -> None:
        self.agreed: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.examples: list[str] = []
        self._show = show

    def add(self, case: Case, predicted: Mapping[str, Any]) -> None:
        """Compare one case; queries whose record is a known quirk of one build of the engine are left out."""
        if "quirk-aggregate" in case["tags"]:
            return
        tags = ["", *case["tags"]]
        wrong = [
            f"  {json.dumps(query)}\n    predicted {json.dumps(answer)}"
            for query, answer in zip(case["queries"], predicted["queries"], strict=True)
            if any(query[side] != answer[side] for side in ("egress", "ingress", "verdict"))
        ]
        recorded = sorted(each["index"] for each in case["rejected"])
        if recorded != predicted["rejected"]:
            wrong.append(f"  rejected: recorded {json.dumps(case['rejected'])}, predicted {predicted['rejected']}")
        for tag in tags:
            self.asked[tag] += len(case["queries"]) + 1
            self.agreed[tag] += len(case["queries"]) + 1 - len(wrong)
        if wrong and len(self.examples) < self._show:
            inputs = {key: value for key, value in case.items() if key not in ("queries", "rejected", "errors")}
            self.examples.append("\n".join([json.dumps(inputs), *wrong[:5]]))

    def join(self, other: Comparison) -> None:
        """Count what another comparison counted too."""
        self.agreed += other.agreed
        self.asked += other.asked
        self.examples = (self.examples + other.examples)[: self._show]

    @property
    def complete(self) -> bool:
        """Whether everything agrees."""
        return self.agreed == self.asked

    def report(self) -> str:
        """``N of M agree``, the tags with disagreements, and the first of these in full."""
        lines = [f"{self.agreed['']} of {self.asked['']} agree"]
        wrong = [tag for tag in sorted(self.asked) if tag and self.agreed[tag] != self.asked[tag]]
        lines += [f"  {tag}: {self.agreed[tag]} of {self.asked[tag]}" for tag in wrong]
        return "\n".join([*lines, *self.examples])


def compare(paths: Iterable[Path], show: int = 5) -> Comparison:
    """Predict and compare every case of the files."""
    comparison = Comparison(show)
    for path in paths:
        for case in read_cases(path):
            comparison.add(case, predict(case))
    return comparison


def _compare_all(paths: Sequence[Path], show: int) -> Comparison:
    """As ``compare``, files side by side."""
    if len(paths) == 1:
        return compare(paths, show)
    with ProcessPoolExecutor(max_workers=min(len(paths), os.cpu_count() or 1)) as pool:
        total, *others = pool.map(compare, [[path] for path in paths], [show] * len(paths))
    for each in others:
        total.join(each)
    return total


def main(argv: list[str]) -> int:
    """The command line: 0 where everything agrees, 1 where something does not, 2 where a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance policy", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--predict", action="store_true", help="print predictions as JSON lines")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="how many disagreements to print in full")
    arguments = parser.parse_args(argv)
    try:
        if arguments.predict:
            for path in arguments.files:
                for case in read_cases(path):
                    sys.stdout.write(json.dumps(predict(case)) + "\n")
            return 0
        comparison = _compare_all(arguments.files, arguments.show)
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"not a recording: {type(error).__name__}: {error}\n")
        return 2
    sys.stdout.write(comparison.report() + "\n")
    return 0 if comparison.complete else 1
