"""What people write for trainlint itself, checked against its JSON Schema, with every mistake at its line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from trainlint.finding import Path, UsageError
from trainlint.source.document import MISSING
from trainlint.source.spans import locate

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    from trainlint.source.document import Field

__all__ = ["validate"]

Model = TypeVar("Model", bound="BaseModel")


def validate(
    model: type[Model], schema: Callable[[], Mapping[str, Any]], item: Field, *, what: str, lenient: bool = False
) -> Model:
    """The value at ``item`` as an instance of ``model``, whose JSON Schema ``schema`` gives.

    What the model takes without a change of types the schema allows, so most files need no validator, which is slow to
    import. ``lenient``: the model may change types, as text that is a number to that.

    Raises:
        UsageError: one line for each mistake: file, line, column, the path, what is wrong, the nearest right name.
    """
    from pydantic import ValidationError  # noqa: PLC0415 (slow to import, needed only where a file is there)

    try:
        return model.model_validate(item.value) if lenient else _unchanged(model, item.value)
    except ValidationError:
        from trainlint.config.mistakes import mistakes  # noqa: PLC0415 (jsonschema is slow to import)

    found = mistakes(schema(), item.value)
    if not found:
        try:
            return model.model_validate(item.value)
        except ValidationError as error:
            found = _of_model(item, error)
    raise UsageError("\n".join(_line(item, path, cause, what) for path, cause in found.items()))


def _unchanged(model: type[Model], value: Any) -> Model:
    return model.model_validate_json(json.dumps(value), strict=True)


def _of_model(item: Field, error: ValidationError) -> dict[Path, str]:
    """What the model alone refuses: conditions that no schema says."""
    found: dict[Path, str] = {}
    for detail in error.errors(include_url=False):
        here, path = item, list[str | int]()
        for step in detail["loc"]:
            here = here[step]
            if here.value is MISSING:  # pydantic names the branches of unions too
                break
            path.append(step)
        message = detail["msg"].removeprefix("Value error, ")
        found.setdefault(tuple(path), message[:1].lower() + message[1:])
    return found


def _line(item: Field, path: Path, cause: str, what: str) -> str:
    _, span = locate(item.document, (*item.path, *path))
    where = ".".join(str(step) for step in path) or "the whole"
    return f"{item.document.file}:{span.line}:{span.column}: {what}: {where}: {cause}"
