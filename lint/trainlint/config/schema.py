"""The JSON Schema of trainlint.yaml, made from its model: ``python -m trainlint.config.schema`` prints it."""

from __future__ import annotations

import json
import sys
from typing import Any

__all__ = ["config_schema"]


def config_schema() -> dict[str, Any]:
    """The schema as plain data; ``trainlint_schemas/config.json`` holds it for editors."""
    from trainlint.config.model import Config  # noqa: PLC0415 (pydantic is slow to import)

    made = Config.model_json_schema()
    about = "What trainlint reads from trainlint.yaml or .trainlint.yaml. All of it is optional."
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:trainlint:schema:config:1",
        "title": "trainlint configuration",
        "description": about,
    }
    return {**head, **{key: value for key, value in made.items() if key not in head}}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(config_schema(), indent=2) + "\n")
