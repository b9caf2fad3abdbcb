"""Every field of trainlint.yaml: what it takes, at its limits, and what it makes of the settings."""

from __future__ import annotations

from typing import Any

import pytest

from trainlint.config.kind_descriptions import described_kind
from trainlint.config.load import configuration_document, load_configuration
from trainlint.config.mistakes import mistakes
from trainlint.config.model import Config, WorkloadConfig
from trainlint.config.schema import config_schema
from trainlint.finding import UsageError
from trainlint.model.settings import Settings

NETWORKS = "must be 'cilium', 'calico', 'antrea', 'ovn-kubernetes', 'kindnet', 'vpc-cni' or 'other', got 'flannel'"
LEVELS = "must be 'error', 'warning', 'note' or 'off', got 'none'; did you mean note?"
DATE = "must be a date, as 2027-01-31, got '2027-02-30'"


def wrong(value: dict[str, Any]) -> dict[tuple[str | int, ...], str]:
    return mistakes(config_schema(), value)


def flow(port: object) -> dict[str, Any]:
    return {"workloads": [{"kind": "A", "roles": [{}], "flows": [{"from": "a", "to": "b", "port": port}]}]}


def cluster(**fields: object) -> dict[str, Any]:
    return {"clusters": [{"name": "a", **fields}]}


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (flow(0), "must be at least 1, got 0"),
        (flow(1), None),
        (flow(65535), None),
        (flow(65536), "must be at most 65535, got 65536"),
        (flow("80"), "must be a whole number, got '80'"),
        (cluster(kubernetes="1.30"), None),
        (cluster(kubernetes="v1.30.1"), None),
        (cluster(kubernetes="1"), r"must match ^v?\d+\.\d+(\.\d+)?$, got '1'"),
        (cluster(kubernetes="1.30.1.1"), r"must match ^v?\d+\.\d+(\.\d+)?$, got '1.30.1.1'"),
        (cluster(kubernetes=None), None),
        (cluster(closed=["PriorityClass"]), None),
        (cluster(closed=["priorityClass"]), "must match ^[A-Z][A-Za-z0-9]*$, got 'priorityClass'"),
        (cluster(closed=["Priority-Class"]), "must match ^[A-Z][A-Za-z0-9]*$, got 'Priority-Class'"),
        (cluster(paths=["a"]), None),
        (cluster(paths=[""]), "must not be empty"),
        (cluster(inventories=[""]), "must not be empty"),
        (cluster(topology_key=""), "must not be empty"),
        (cluster(nodes="open"), None),
        (cluster(nodes="closed"), None),
        (cluster(nodes="shut"), "must be 'open' or 'closed', got 'shut'"),
        (cluster(namespace=1), "must be a string, and YAML reads this as the number 1: put it in quotes"),
        (cluster(cni={"name": "cilium", "options": {"a": 1, "b": True, "c": "d"}}), None),
        (cluster(cni={"name": "flannel"}), NETWORKS),
        ({"rules": {"select": ["a-1"]}}, None),
        ({"rules": {"select": ["A"]}}, "must match ^[a-z0-9]+(-[a-z0-9]+)*$, got 'A'"),
        ({"rules": {"ignore": ["a-"]}}, "must match ^[a-z0-9]+(-[a-z0-9]+)*$, got 'a-'"),
        ({"rules": {"severity": {"a": "note"}}}, None),
        ({"rules": {"severity": {"a": False}}}, None),
        ({"rules": {"severity": {"a": "none"}}}, LEVELS),
        ({"ignore": [{"paths": ["a"], "rules": []}]}, "must not be empty"),
        ({"ignore": [{"paths": [""], "rules": ["a"]}]}, "must not be empty"),
        ({"ignore": [{"paths": ["a"], "rules": ["a"], "until": "2027-02-30"}]}, DATE),
        ({"render": {"helm": "never", "kustomize": "auto"}}, None),
        ({"render": {"helm": "always"}}, "must be 'auto' or 'never', got 'always'"),
        ({"fail_on": "warning"}, None),
        ({"fail_on": "off"}, "must be 'error', 'warning' or 'note', got 'off'"),
        ({"workloads": [{"kind": "", "roles": [{}]}]}, "must not be empty"),
        ({"workloads": [{"kind": "A", "roles": []}]}, "must not be empty"),
        ({"workloads": [{"kind": "A", "roles": [{"template": ""}]}]}, "must not be empty"),
        ({"workloads": [{"kind": "A", "roles": [{"replicas": 2}]}]}, None),
        ({"workloads": [{"kind": "A", "roles": [{"replicas": "n"}]}]}, None),
        ({"workloads": [{"kind": "A", "roles": [{"ranks": "yes"}]}]}, "must be true or false, got 'yes'"),
    ],
)  # fmt: skip
def test_what_a_field_takes(value: dict[str, Any], cause: str | None) -> None:
    assert list(wrong(value).values()) == ([] if cause is None else [cause])


def test_several_mistakes_come_in_the_order_of_the_file() -> None:
    value = {"fail_on": "x", "clusters": [{"profile": "eks", "zzz": 1}, {"name": ""}], "nope": 1}
    assert [".".join(map(str, path)) for path in wrong(value)] == [
        *("fail_on", "clusters.0.zzz", "clusters.0.name", "clusters.1.name", "nope")
    ]


def settings(text: str) -> tuple[Settings, ...]:
    return load_configuration(configuration_document("trainlint.yaml", text.encode())).settings


def test_what_the_fields_of_a_cluster_make_of_the_settings() -> None:
    (made,) = settings(
        "clusters:\n- name: a\n  kubernetes: v1.30\n  profile: eks\n  admission: [X, Z]\n  topology_key: k\n"
        "  paths: [p]\n  namespace: m\n  inventories: [i]\n  closed: [PriorityClass]\n  nodes: closed\n"
        "  cni: {name: calico, version: v3.28, options: {a: true, b: false, c: 1, d: e}}\n"
    )
    assert (made.cluster, made.kubernetes, made.kubernetes_stated) == ("a", "1.30", True)
    assert (made.profile, made.profile_stated) == ("eks", True)
    assert (made.admission, made.topology_key, made.paths) == (frozenset({"X", "Z"}), "k", ("p",))
    assert (made.namespace, made.inventories, made.closed, made.nodes) == ("m", ("i",), {"PriorityClass"}, "closed")
    assert (made.cni.name, made.cni.version, made.cni.stated, made.cni.version_stated) == ("calico", "3.28", True, True)
    assert made.cni.options == {"a": "true", "b": "false", "c": "1", "d": "e"}


def test_what_is_not_said_of_a_cluster() -> None:
    (made,) = settings("clusters: [{name: a, cni: {name: calico}}]\n")
    plain = Settings()
    assert (made.kubernetes, made.kubernetes_stated) == (plain.kubernetes, False)
    assert (made.profile, made.profile_stated, made.nodes, made.namespace) == ("generic", False, "", "")
    assert (made.cni.version, made.cni.version_stated, made.cni.options) == ("", False, {})
    (cilium,) = settings("clusters: [{name: a, cni: {name: cilium}}]\n")
    assert cilium.cni.version
    assert not cilium.cni.version_stated


def test_each_cluster_has_settings_of_its_own() -> None:
    assert [each.cluster for each in settings("clusters: [{name: a}, {name: b}]\n")] == ["a", "b"]
    assert [each.cluster for each in settings("fail_on: note\n")] == [""]


def test_a_described_kind() -> None:
    config = WorkloadConfig.model_validate(
        {
            "kind": "Train",
            "group": "example.com",
            "roles": [
                {
                    "name": "w",
                    "at": "spec.tasks.*",
                    "template": "pod",
                    "replicas": "n.m",
                    "name_at": "x",
                    "ranks": False,
                },
                {"replicas": 3},
            ],
            "flows": [{"from": "a", "to": "b", "port": 80, "protocol": "UDP"}],
        }
    )
    made = described_kind(config)
    assert (made.kind, made.group) == ("Train", "example.com")
    one, two = made.roles
    assert (one.name, one.at, one.template, one.replicas, one.name_at, one.ranks) == (
        *("w", ("spec", "tasks", "*"), ("pod",), ("n", "m"), ("x",), False),
    )
    assert (two.name, two.at, two.template, two.replicas, two.name_at, two.ranks) == (
        "",
        (),
        ("template",),
        3,
        (),
        True,
    )
    (made_flow,) = made.flows
    assert (made_flow.source, made_flow.target, made_flow.port, made_flow.protocol) == ("a", "b", 80, "UDP")


def test_the_defaults_of_the_whole_file() -> None:
    made = Config.model_validate({})
    assert (made.fail_on, made.require_reason, made.render.kustomize, made.render.helm) == (
        "error",
        False,
        "auto",
        "auto",
    )
    assert (made.clusters, made.workloads, made.groups, made.ignore) == ([], [], {}, [])


def test_a_file_that_is_no_mapping() -> None:
    with pytest.raises(UsageError, match=r"^trainlint\.yaml:1:1: configuration: the whole: must be a mapping$"):
        load_configuration(configuration_document("trainlint.yaml", b"- a\n"))
