"""Verdicts of Calico's own tests and documentation, at a named commit: the files beside this one hold the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.policy.cluster import other, pod, read, roots

from trainlint.model.policy import Permission
from trainlint.model.settings import Cni, Settings
from trainlint.model.workload import PortRange
from trainlint.policy import Endpoint, PolicySet, address
from trainlint.policy.calico.language import SelectorError, parse
from trainlint.policy.selector import Matcher

HERE = Path(__file__).parent
CALICO = Settings(cni=Cni("calico", "3.32", {}, stated=True))
NAMESPACES: Mapping[str, Mapping[str, str]] = {"a": {"team": "ml"}, "b": {"team": "ml"}, "c": {}}
HEAD = "{apiVersion: projectcalico.org/v3, kind: GlobalNetworkPolicy, metadata: {name: g}, spec: "


def data(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text(encoding="utf-8"))


SELECTORS = data("selectors.yaml")
REFUSED = data("refused.yaml")
SCENES = data("verdicts.yaml")["scenes"]


@pytest.mark.parametrize(("selector", "labels", "expected", "lines"), SELECTORS["matches"])
def test_what_a_selector_takes(selector: str, labels: Mapping[str, str], expected: bool, lines: str) -> None:
    """A policy selects the pods that the selector takes, and isolates them."""
    assert Matcher((), parse(selector)).matches(labels) is expected, lines
    if "global(" in selector:
        return  # which no policy may say of its own pods
    settings = other()
    spec = yaml.safe_dump({"selector": selector, "types": ["Ingress"]}, default_flow_style=True).strip()
    policies = read(f"{HEAD}{spec}}}", settings)
    verdict = policies.verdict(pod("b", "", settings), pod("a", "", settings, labels=labels), "TCP", 80)
    assert verdict.answer is (Permission.DENY if expected else Permission.ALLOW), lines


@pytest.mark.parametrize(("selector", "line"), SELECTORS["refused"])
def test_what_is_no_selector(selector: str, line: int) -> None:
    with pytest.raises(SelectorError):
        parse(selector)
    spec = yaml.safe_dump({"selector": selector}, default_flow_style=True, width=1000).strip()
    assert read(f"{HEAD}{spec}}}", other()).rejected, line


@pytest.mark.parametrize(("rule", "taken", "evidence"), REFUSED["rules"])
def test_which_rules_are_refused(rule: str, taken: bool, evidence: str) -> None:
    head = "{apiVersion: projectcalico.org/v3, kind: NetworkPolicy, metadata: {name: n, namespace: a}, spec: "
    rejected = read(f"{head}{{selector: all(), ingress: [{rule}]}}}}", other()).rejected
    assert (not rejected) is taken, (evidence, rejected)
    assert all(each.at.path[:2] == ("spec", "ingress") for each in rejected)


@pytest.mark.parametrize(("spec", "taken", "evidence"), REFUSED["specs"])
def test_which_policies_are_refused(spec: str, taken: bool, evidence: str) -> None:
    rejected = read(f"{HEAD}{spec}}}", other()).rejected
    assert (not rejected) is taken, (evidence, rejected)


def asks() -> Iterator[Any]:
    for index, scene in enumerate(SCENES):
        for ask in scene["asks"]:
            yield pytest.param(index, *ask, id=f"{scene['about']}: {' '.join(map(str, ask))}")


@cache
def policies_of(index: int) -> PolicySet:
    scene = SCENES[index]
    text = scene["policies"]
    if "replace" in scene:
        assert scene["replace"][0] in text
        text = text.replace(*scene["replace"])
    objects = [each for each in yaml.safe_load_all(text) if each]
    accounts = tuple(root for root in roots(objects) if root["kind"].scalar == "ServiceAccount")
    found = read(yaml.safe_dump_all(objects), CALICO, service_accounts=accounts, namespaces=NAMESPACES)
    assert found.rejected == ()
    assert found.foreign == ()
    return found


def end(index: int, name: str) -> Endpoint:
    scene = SCENES[index]
    namespace, slash, app = name.partition("/")
    if not slash:
        return address("203.0.113.9" if name == "out" else name)
    return pod(
        namespace,
        app,
        CALICO,
        namespaces=NAMESPACES,
        ports=scene.get("ports", {}).get(app, {}),
        service_account=scene.get("accounts", {}).get(app, ""),
        host_network=app in scene.get("hosts", ()),
        node="same" if scene.get("near") else "other",
    )


@pytest.mark.parametrize(("index", "source", "target", "port", "answer"), list(asks()))
def test_what_calico_decides(index: int, source: str, target: str, port: int | str, answer: str) -> None:
    number, _, protocol = str(port).partition("/")
    asked = PortRange(int(number), int(number))
    verdict = policies_of(index).verdict(end(index, source), end(index, target), protocol or "TCP", asked)
    assert verdict.answer.value == answer, SCENES[index]["evidence"]


def test_there_are_as_many_verdicts_as_promised() -> None:
    assert len(list(asks())) + len(SELECTORS["matches"]) >= 150
