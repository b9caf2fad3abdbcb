"""What people write for trainlint itself, checked against its model, with every mistake at its line."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from trainlint.finding import Path, UsageError
from trainlint.source.spans import locate

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from trainlint.source.document import Field

__all__ = ["validate"]

Model = TypeVar("Model", bound="BaseModel")


def validate(model: type[Model], item: Field, *, what: str) -> Model:
    """The value at ``item`` as an instance of ``model``.

    Raises:
        UsageError: one line for each mistake: file, line, column, the path, what is wrong, the nearest right name.
    """
    from pydantic import ValidationError  # noqa: PLC0415 (slow to import, needed only where a file is there)

    try:
        return model.model_validate(item.value)
    except ValidationError as error:
        raise UsageError("\n".join(_explain(model, item, error, what))) from None


def _explain(model: type[BaseModel], item: Field, error: ValidationError, what: str) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        path: Path = tuple(step for step in detail["loc"] if not isinstance(step, str) or step.isprintable())
        _, span = locate(item.document, (*item.path, *path))
        where = ".".join(str(step) for step in path) or "the whole"
        yield f"{item.document.file}:{span.line}:{span.column}: {what}: {where}: {_cause(model, path, detail)}"


def _cause(model: type[BaseModel], path: Path, detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        known = sorted(_names(model))
        near = difflib.get_close_matches(str(path[-1]), known, n=1)
        return "no such key" + (f"; did you mean {near[0]}?" if near else f"; keys are: {', '.join(known)}")
    if detail["type"] == "missing":
        return "this key is required"
    given = detail.get("input")
    message = detail["msg"][:1].lower() + detail["msg"][1:]
    if detail["type"] == "string_type" and isinstance(given, (int, float)):
        message += f' (quote it: "{given}")'
    return f"{message}, got {given!r}" if isinstance(given, (str, int, float, bool)) else message


def _names(model: type[BaseModel]) -> set[str]:
    """Every key that the schema of the model knows, at whatever depth."""
    schema = model.model_json_schema()
    objects = [schema, *schema.get("$defs", {}).values()]
    return {key for each in objects for key in each.get("properties", {})}
