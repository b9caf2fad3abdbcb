"""Arguments for programs: their schema is ``trainlint_schemas/explain.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trainlint import __version__
from trainlint.finding import Location
from trainlint.questions.argument import Argument, Statement
from trainlint.report.json import finding_data, place_data
from trainlint.result import Placed, PlacedRelated

__all__ = ["argument_json"]

Places = Mapping[Location, PlacedRelated]


def argument_json(findings: Sequence[Placed], arguments: Sequence[Argument], places: Places) -> str:
    """The finding, if one was asked for, and all arguments; keys in a fixed order; ASCII."""
    data = {
        "schema": 1,
        "trainlint": __version__,
        "findings": [finding_data(each) for each in findings],
        "groups": [_argument(each, places) for each in arguments],
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _argument(argument: Argument, places: Places) -> dict[str, Any]:
    return {
        "name": argument.group,
        "kind": argument.kind,
        "snapshots": list(argument.snapshots),
        "exists": str(argument.exists),
        "for_all": str(argument.for_all),
        "steps": [
            {"title": step.title, "statements": [_statement(each, places) for each in step.statements]}
            for step in argument.steps
        ],
    }


def _statement(statement: Statement, places: Places) -> dict[str, Any]:
    return {
        "text": statement.text,
        "places": [place_data(places[at]) for at in dict.fromkeys(statement.places)],
        "below": [_statement(each, places) for each in statement.below],
    }
