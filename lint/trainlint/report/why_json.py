"""An explanation of a connection for programs: its schema is ``trainlint_schemas/why.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trainlint import __version__
from trainlint.finding import Location
from trainlint.model.policy import PolicyEntry
from trainlint.model.workload import PortRange
from trainlint.policy.explanation import NearMiss, Side
from trainlint.questions.answer import Asked, ConnectionAnswer, RepairEdit
from trainlint.report.json import place_data
from trainlint.result import PlacedRelated
from trainlint.wording.misses import miss_text
from trainlint.wording.verdicts import decision_text

__all__ = ["why_json"]

Placed = Mapping[Location, PlacedRelated]


def why_json(answers: Sequence[ConnectionAnswer], asked: Asked, places: Placed) -> str:
    """All answers; keys in a fixed order; ASCII."""
    data = {
        "schema": 1,
        "trainlint": __version__,
        "protocol": asked.protocol,
        "ports": None if asked.ports is None else _ports(asked.ports),
        "answers": [_answer(answer, places) for answer in answers],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _answer(answer: ConnectionAnswer, places: Placed) -> dict[str, Any]:
    return {
        "snapshots": list(answer.snapshots),
        **({"placement": answer.where} if answer.where else {}),
        "source": answer.source,
        "target": answer.target,
        "verdict": str(answer.verdict.answer),
        "open": [_ports(each) for each in answer.verdict.allowed],
        "egress": _side(answer.egress, places),
        "ingress": _side(answer.ingress, places),
        "repairs": [
            {"changes": [_change(each, places) for each in repair.changes], "verdict": str(repair.answer)}
            for repair in answer.repairs
        ],
        "not_in_force": [_change(each, places) for each in answer.inert],
        "assumptions": list(answer.assumptions),
    }


def _side(side: Side, places: Placed) -> dict[str, Any]:
    decision = side.decision
    return {
        "at": side.subject,
        "verdict": str(decision.answer),
        "policed": side.policed,
        "reason": decision_text(decision),
        "deciding": [_entry(each, places) for each in decision.deciding],
        "isolating": [_entry(each, places) for each in decision.isolating],
        "overruled": [_entry(each, places) for each in side.overruled],
        "near_misses": [_miss(each, places) for each in side.near],
        "more_near_misses": side.more,
    }


def _entry(entry: PolicyEntry, places: Placed) -> dict[str, Any]:
    return {
        "policy": {"kind": entry.origin.kind, "namespace": entry.origin.namespace, "name": entry.origin.name},
        "action": str(entry.action),
        "location": place_data(places[entry.at]),
    }


def _miss(miss: NearMiss, places: Placed) -> dict[str, Any]:
    return {
        **_entry(miss.entry, places),
        "missing": [
            {
                "part": str(each.part),
                "text": miss_text(each.reason),
                "certain": each.certain,
                "location": place_data(places[each.at or miss.entry.at]),
            }
            for each in miss.shortfalls
        ],
    }


def _change(change: RepairEdit, places: Placed) -> dict[str, Any]:
    return {"text": change.text, "location": None if change.at is None else place_data(places[change.at])}


def _ports(ports: PortRange) -> dict[str, int]:
    return {"first": ports.first, "last": ports.last}
