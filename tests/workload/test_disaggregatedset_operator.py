"""What the controller of DisaggregatedSets makes; expectations are those of kubernetes-sigs/lws:pkg/controllers/
disaggregatedset (lws_manager.go, service_manager.go) and pkg/utils/disaggregatedset (utils.go, affinity.go) at 0.10.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from trainlint.operators.cluster import MadeObjects
from trainlint.operators.run_operators import run_operators

SET = """apiVersion: disaggregatedset.x-k8s.io/v1
kind: DisaggregatedSet
metadata: {name: serve, namespace: ml}
spec:
  slices: 2
  placementPolicy: POLICY
  roles:
  - name: prefill
    metadata: {labels: {team: a}}
    spec:
      replicas: 2
      leaderWorkerTemplate:
        size: 2
        workerTemplate:
          metadata: {labels: {mine: b}}
          spec: {containers: [{name: w, image: "r.example/serve:1"}]}
  - name: decode
    spec:
      leaderWorkerTemplate:
        size: 1
        workerTemplate: {spec: {containers: [{name: w, image: "r.example/serve:1"}]}}
"""
PREFIX = "disaggregatedset.x-k8s.io/"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def made(policy: str = "{}") -> MadeObjects:
    return run_operators([yaml.safe_load(SET.replace("POLICY", policy))])


def test_each_role_of_each_slice_is_a_set_of_leaders_and_workers() -> None:
    names = [pod["metadata"]["name"] for pod in made().pods]
    prefill = ["prefill-0", "prefill-0-1", "prefill-1", "prefill-1-1"]
    assert sorted(names) == sorted(f"serve-{n}-*-{each}" for n in (0, 1) for each in (*prefill, "decode-0"))


def test_pods_and_services_have_the_labels_by_which_they_find_each_other() -> None:
    found = made()
    own = {f"{PREFIX}name": "serve", f"{PREFIX}role": "prefill", f"{PREFIX}slice": "1", f"{PREFIX}revision": "*"}
    pods = [each for each in found.pods if each["metadata"]["name"].startswith("serve-1-*-prefill")]
    for pod in pods:
        assert own.items() <= pod["metadata"]["labels"].items()
        assert {"app": "serve-1-prefill", "mine": "b"}.items() <= pod["metadata"]["labels"].items()
        assert "team" not in pod["metadata"]["labels"]
    (service,) = [each for each in found.services if each["metadata"]["name"] == "serve-1-*-prefill-prv"]
    assert service["spec"] == {"clusterIP": "None", "selector": own}
    (workers,) = [each for each in found.others if each["metadata"]["name"] == "serve-1-*-prefill"][:1]
    assert workers["kind"] == "LeaderWorkerSet"
    assert workers["metadata"]["labels"] == {"team": "a", "app": "serve-1-prefill", **own}


Terms = list[tuple[str, list[tuple[str, ...]]]]


def terms(policy: str, start: str) -> tuple[Terms, Terms]:
    """The terms of required affinity and anti-affinity of the first pod whose name begins so."""
    pod = next(each for each in made(policy).pods if each["metadata"]["name"].startswith(start))
    affinity = pod["spec"].get("affinity", {})
    return _terms(affinity.get("podAffinity", {})), _terms(affinity.get("podAntiAffinity", {}))


def _terms(affinity: dict[str, Any]) -> Terms:
    return [(term["topologyKey"], list(map(_asked, _expressions(term)))) for term in affinity.get(REQUIRED, ())]


def _expressions(term: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = term["labelSelector"]["matchExpressions"]
    return found


def _asked(expression: dict[str, Any]) -> tuple[str, ...]:
    return (expression["key"].removeprefix(PREFIX), expression["operator"], *expression.get("values", ()))


@pytest.mark.parametrize("policy", ["{}", "{type: None}", "{type: ExclusiveSlice}"])
def test_without_a_policy_or_a_topology_nothing_is_placed(policy: str) -> None:
    assert terms(policy.replace("None", '"None"'), "serve-0") == ([], [])


def test_a_slice_stays_together_and_apart_from_others() -> None:
    together, apart = terms("{type: ExclusiveSlice, topology: rack}", "serve-0")
    assert together == [("rack", [("name", "In", "serve"), ("slice", "In", "0")])]
    assert apart == [("rack", [("name", "In", "serve"), ("slice", "Exists"), ("slice", "NotIn", "0")])]
    _, apart = terms("{type: ExclusiveSlice, topology: rack}", "serve-1")
    assert apart == [("rack", [("name", "In", "serve"), ("slice", "NotIn", "1")])]


def test_an_exclusive_topology_keeps_other_sets_away_too() -> None:
    _, (_, others) = terms("{type: ExclusiveTopology, topology: rack}", "serve-0")
    assert others == ("rack", [("name", "Exists"), ("name", "NotIn", "serve"), ("slice", "Exists")])
