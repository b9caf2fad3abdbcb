"""Proofs for programs: their schema is ``trainlint_schemas/prove.json``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from trainlint import __version__
from trainlint.questions.table import GroupTable, Row

__all__ = ["proof_json"]


def proof_json(groups: Sequence[GroupTable]) -> str:
    """All groups; keys in a fixed order; ASCII."""
    data = {"schema": 1, "trainlint": __version__, "groups": [_group(each) for each in groups]}
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _group(group: GroupTable) -> dict[str, Any]:
    return {
        "name": group.group,
        "kind": group.kind,
        "snapshot": group.snapshot,
        "exists": str(group.exists),
        "for_all": str(group.for_all),
        "witness": [_row(each) for each in group.witness],
        "counterexample": [_row(each) for each in group.counterexample],
        "why": group.why_bad,
        "zones": [{"name": each.name, "answer": str(each.answer), "lacks": list(each.lacks)} for each in group.zones],
        "rules": list(group.blamed),
        "needs": list(group.needs),
        "missing": list(group.missing),
        "notes": list(group.notes),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "pods": row.pods,
        "role": row.role,
        "count": row.count,
        "pool": row.pool or None,
        "zone": row.zone,
        "nodes": row.nodes or None,
        "gpus": row.gpus,
        "reaches": list(row.reaches),
        "cut": list(row.cut),
        "unsure": list(row.unsure),
    }
