"""What people write for trainlint itself, checked against its model, with every mistake at its line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from trainlint.finding import Path, UsageError
from trainlint.source.document import MISSING
from trainlint.source.spans import locate

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from trainlint.source.document import Field

__all__ = ["validate"]

_EXPECTED = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "model_type": "must be a mapping",
    "string_type": "must be a string",
}
"""pydantic's types of mistakes, in the words of YAML."""

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
    said: set[Path] = set()
    for detail in error.errors(include_url=False):
        path = _path(item, detail)
        if path in said:  # another branch of a union
            continue
        said.add(path)
        _, span = locate(item.document, (*item.path, *path))
        where = ".".join(str(step) for step in path) or "the whole"
        yield f"{item.document.file}:{span.line}:{span.column}: {what}: {where}: {_cause(model, path, detail)}"


def _path(item: Field, detail: ErrorDetails) -> Path:
    """Where a mistake is: what pydantic says, without the branches of unions that it names too."""
    here, path = item, list[str | int]()
    for step in detail["loc"]:
        here = here[step]
        if here.value is MISSING and detail["type"] != "missing":
            break
        path.append(step)
    return tuple(path)


def _cause(model: type[BaseModel], path: Path, detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        known = sorted(_keys(model, path[:-1]))
        near = difflib.get_close_matches(str(path[-1]), known, n=1)
        return "no such key" + (f"; did you mean {near[0]}?" if near else f"; keys are: {', '.join(known)}")
    if detail["type"] == "literal_error" and isinstance(detail.get("input"), str):
        near = difflib.get_close_matches(detail["input"], re.findall(r"'([^']*)'", detail["ctx"]["expected"]), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"must be {detail['ctx']['expected']}, got {detail['input']!r}{hint}"
    if detail["type"] == "missing":
        return "this key is required"
    given = detail.get("input")
    message = _EXPECTED.get(detail["type"]) or detail["msg"][:1].lower() + detail["msg"][1:]
    if detail["type"] == "string_type" and isinstance(given, bool):
        return f"{message}, and YAML reads this as {str(given).lower()}: put it in quotes"
    if detail["type"] == "string_type" and isinstance(given, (int, float)):
        return f"{message}, and YAML reads this as the number {given}: put it in quotes"
    return f"{message}, got {given!r}" if isinstance(given, (str, int, float, bool)) else message


def _keys(model: type[BaseModel], path: Path) -> set[str]:
    """The keys of the mapping at ``path``; every key that the schema knows where nothing says which mapping that is."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    here: Any = schema
    for step in (*path, None):
        options = [here, *here.get("anyOf", ())]
        names = [option["$ref"].rpartition("/")[2] for option in options if "$ref" in option]
        here = definitions[names[0]] if names else here
        if step is None:
            break
        if isinstance(step, int):
            here = here.get("items", {})
        else:
            other = here.get("additionalProperties")
            here = here.get("properties", {}).get(step, other if isinstance(other, dict) else {})
    found = here.get("properties", {})
    return set(found or {key for each in (schema, *definitions.values()) for key in each.get("properties", {})})
