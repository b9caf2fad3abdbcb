"""Limits of Kubernetes' own kinds (kubernetes:pkg/apis/{batch,apps,core}/validation), by its release."""

from __future__ import annotations

import copy

import pytest
import yaml
from tests.admission.test_kind_places import TAKEN, refused
from tests.admission.test_places import of_container, places
from tests.admission.test_places import refused as refused_pod

from trainlint.admission.refusals import problems
from trainlint.source.document import Document

INDEXED = "spec.completionMode: Indexed; spec.completions: 5"
RULES = "spec.podFailurePolicy.rules"


def policy(rule: str) -> str:
    return f"spec.podFailurePolicy: {{rules: [{rule}]}}"


def success(rules: str) -> str:
    return f"{INDEXED}; spec.successPolicy: {{rules: [{rules}]}}"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        (f"{INDEXED}; spec.parallelism: 100000", ""),
        (f"{INDEXED}; spec.parallelism: 100001", "spec.parallelism"),
        ("spec.parallelism: 100001", ""),
        (f"{INDEXED}; spec.backoffLimitPerIndex: -1", "spec.backoffLimitPerIndex"),
        (f"{INDEXED}; spec.backoffLimitPerIndex: 1; spec.maxFailedIndexes: 5", ""),
        (f"{INDEXED}; spec.backoffLimitPerIndex: 1; spec.maxFailedIndexes: 6", "spec.maxFailedIndexes"),
        ("spec.completionMode: Indexed; spec.completions: 100000; spec.backoffLimitPerIndex: 1", ""),
        ("spec.completionMode: Indexed; spec.completions: 100001", ""),
        ("spec.completionMode: Indexed; spec.completions: 100001; spec.backoffLimitPerIndex: 1", "spec"),
        (policy("{action: FailJob, onExitCodes: {operator: In, values: [1, 42]}}"), ""),
        (policy("{action: Stop, onExitCodes: {operator: In, values: [1]}}"), f"{RULES}.0.action"),
        (policy("{action: FailJob}"), f"{RULES}.0"),
        (
            policy("{action: Count, onExitCodes: {operator: In, values: [1]}, onPodConditions: [{type: Ready}]}"),
            f"{RULES}.0",
        ),
        (policy("{action: FailIndex, onExitCodes: {operator: In, values: [1]}}"), f"{RULES}.0.action"),
        (policy("{action: FailJob, onExitCodes: {operator: Of, values: [1]}}"), f"{RULES}.0.onExitCodes.operator"),
        (policy("{action: FailJob, onExitCodes: {operator: In, values: [0]}}"), f"{RULES}.0.onExitCodes.values.0"),
        (policy("{action: FailJob, onExitCodes: {operator: NotIn, values: [0]}}"), ""),
        (policy("{action: FailJob, onExitCodes: {operator: In, values: []}}"), f"{RULES}.0.onExitCodes.values"),
        (policy("{action: FailJob, onExitCodes: {operator: In, values: [2, 1]}}"), f"{RULES}.0.onExitCodes.values"),
        (policy("{action: FailJob, onExitCodes: {operator: In, values: [1, 1]}}"), f"{RULES}.0.onExitCodes.values"),
        (policy("{action: FailJob, onExitCodes: {containerName: c, operator: In, values: [1]}}"), ""),
        (
            policy("{action: FailJob, onExitCodes: {containerName: d, operator: In, values: [1]}}"),
            f"{RULES}.0.onExitCodes.containerName",
        ),
        (
            policy("{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: Yes}]}").replace(
                "Yes", "'Yes'"
            ),
            f"{RULES}.0.onPodConditions.0.status",
        ),
        (policy(", ".join(["{action: Ignore, onPodConditions: [{type: Ready}]}"] * 20)), ""),
        (policy(", ".join(["{action: Ignore, onPodConditions: [{type: Ready}]}"] * 21)), RULES),
        (success("{succeededCount: 5}"), ""),
        (success("{succeededCount: 6}"), "spec.successPolicy.rules.0.succeededCount"),
        (success("{succeededIndexes: '0,2-4'}"), ""),
        (success("{succeededIndexes: '0-5'}"), "spec.successPolicy.rules.0.succeededIndexes"),
        (success("{succeededIndexes: '3,1'}"), "spec.successPolicy.rules.0.succeededIndexes"),
        (success("{succeededIndexes: first}"), "spec.successPolicy.rules.0.succeededIndexes"),
        (success("{}"), "spec.successPolicy.rules.0"),
        (success(""), "spec.successPolicy"),
    ],
)
def test_of_a_job(changes: str, place: str) -> None:
    assert refused("Job", changes) == ([place] if place else [])


@pytest.mark.parametrize(("release", "count"), [("1.30", 0), ("1.31", 1), ("1.37", 1), ("", 1)])
def test_what_an_older_release_drops_it_does_not_refuse(release: str, count: int) -> None:
    job = copy.deepcopy(TAKEN["Job"])
    job["spec"] |= yaml.safe_load(
        "{completionMode: Indexed, completions: 2, successPolicy: {rules: [{succeededCount: 3}]}}"
    )
    assert len(problems(Document("x.yaml", 0, 1, "", job).root, release)) == count


@pytest.mark.parametrize(
    ("kind", "changes", "place"),
    [
        ("CronJob", "spec.schedule: '*/5 * * * *'", ""),
        ("CronJob", "spec.schedule: '@hourly'", ""),
        ("CronJob", "spec.schedule: '* * * *'", "spec.schedule"),
        ("CronJob", "spec.successfulJobsHistoryLimit: -1", "spec.successfulJobsHistoryLimit"),
        ("Deployment", "spec.minReadySeconds: -1", "spec.minReadySeconds"),
        ("Deployment", "spec.progressDeadlineSeconds: 30; spec.minReadySeconds: 30", "spec.progressDeadlineSeconds"),
        ("Deployment", "spec.progressDeadlineSeconds: 31; spec.minReadySeconds: 30", ""),
        ("Deployment", "spec.strategy: {type: Recreate}", ""),
        ("Deployment", "spec.strategy: {type: Recreate, rollingUpdate: {}}", "spec.strategy.rollingUpdate"),
        (
            "Deployment",
            "spec.strategy: {rollingUpdate: {maxSurge: 0%, maxUnavailable: 0}}",
            "spec.strategy.rollingUpdate.maxUnavailable",
        ),
        ("Deployment", "spec.strategy: {rollingUpdate: {maxSurge: 0}}", ""),
        ("Deployment", "spec.strategy: {rollingUpdate: {maxSurge: 200%, maxUnavailable: 100%}}", ""),
        (
            "Deployment",
            "spec.strategy: {rollingUpdate: {maxUnavailable: 101%}}",
            "spec.strategy.rollingUpdate.maxUnavailable",
        ),
        ("Deployment", "spec.template.spec.activeDeadlineSeconds: 5", "spec.template.spec.activeDeadlineSeconds"),
        ("StatefulSet", "spec.template.spec.activeDeadlineSeconds: 5", "spec.template.spec.activeDeadlineSeconds"),
        ("Job", "spec.template.spec.activeDeadlineSeconds: 5", ""),
        (
            "LeaderWorkerSet",
            "spec.leaderWorkerTemplate.workerTemplate.spec.activeDeadlineSeconds: 5",
            "spec.leaderWorkerTemplate.workerTemplate.spec.activeDeadlineSeconds",
        ),
        (
            "StatefulSet",
            "spec.updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}",
            "spec.updateStrategy.rollingUpdate",
        ),
    ],
)
def test_of_other_controllers(kind: str, changes: str, place: str) -> None:
    assert refused(kind, changes) == ([place] if place else [])


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("{preemptionPolicy: Never}", []),
        ("{preemptionPolicy: Always}", ["preemptionPolicy"]),
        ("{schedulingGates: [{name: a}, {name: b}]}", []),
        ("{schedulingGates: [{name: a}, {name: a}]}", ["schedulingGates/1/name"]),
        ("{dnsConfig: {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3]}}", []),
        ("{dnsConfig: {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4]}}", ["dnsConfig/nameservers"]),
    ],
)
def test_of_a_pod(spec: str, found: list[str]) -> None:
    assert places(refused_pod(spec), ("spec",)) == found


GRACE = "terminationGracePeriodSeconds"
PROBE = "exec: {command: [a]}"


@pytest.mark.parametrize(
    ("container", "found"),
    [
        ("{terminationMessagePolicy: File}", []),
        ("{terminationMessagePolicy: Log}", ["terminationMessagePolicy"]),
        (f"{{livenessProbe: {{{PROBE}, periodSeconds: -1}}}}", ["livenessProbe/periodSeconds"]),
        (f"{{livenessProbe: {{{PROBE}, periodSeconds: 0}}}}", []),
        (f"{{livenessProbe: {{{PROBE}, {GRACE}: 0}}}}", [f"livenessProbe/{GRACE}"]),
        (f"{{livenessProbe: {{{PROBE}, {GRACE}: 5}}}}", []),
        (f"{{readinessProbe: {{{PROBE}, {GRACE}: 5}}}}", [f"readinessProbe/{GRACE}"]),
    ],
)
def test_of_a_container(container: str, found: list[str]) -> None:
    assert of_container(container) == found
