"""What a JSON Schema refuses of what people write, as places and causes in the words of YAML."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator, ValidationError

from trainlint.finding import Path

__all__ = ["mistakes"]

_TYPES: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "a mapping",
    "string": "a string",
}


def mistakes(schema: Mapping[str, Any], value: Any) -> dict[Path, str]:
    """Every place in a value that a JSON Schema refuses, with the cause; in the order of the value."""
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    found: dict[Path, str] = {}
    for path, cause in _told(validator.iter_errors(value)):
        found.setdefault(path, cause)
    return dict(sorted(found.items(), key=lambda each: _rank(value, each[0])))


def _told(errors: Iterable[ValidationError]) -> Iterator[tuple[Path, str]]:
    for error in errors:
        path, wanted = tuple(error.absolute_path), _wanted(error)
        match error.validator:
            case "anyOf":
                yield from _of_branches(error)
            case "additionalProperties" if isinstance(error.instance, dict):
                yield from _unknown_keys(error)
            case "required" if isinstance(error.instance, dict):
                missing = [key for key in wanted if key not in error.instance]
                yield from (((*path, key), "this key is required") for key in missing)
            case _:
                yield path, _cause(error)


def _of_branches(error: ValidationError) -> Iterator[tuple[Path, str]]:
    """What is wrong of a value that may be one of several: as the one that has its type, where one has."""
    branches: dict[Any, list[ValidationError]] = {}
    for each in error.context or ():
        branches.setdefault(each.schema_path[0], []).append(each)
    typed = [found for found in branches.values() if not any(_is_other_type(each, error) for each in found)]
    wanted = [found[0] for found in branches.values() if not (_is_other_type(found[0], error) and _is_null(found[0]))]
    if typed:
        yield from _told(typed[0])
    elif len(wanted) == 1:
        yield from _told(wanted)
    else:
        types = [_TYPES[_wanted(each)] for each in wanted if each.validator == "type"]
        yield tuple(error.absolute_path), f"must be {_either(types)}{_given(error.instance)}"


def _is_other_type(error: ValidationError, whole: ValidationError) -> bool:
    """Whether an error of a branch is that the value itself has another type."""
    return error.validator == "type" and len(error.absolute_path) == len(whole.absolute_path)


def _is_null(error: ValidationError) -> bool:
    return bool(error.validator_value == "null")


def _wanted(error: ValidationError) -> Any:
    """What the keyword of the schema wants."""
    return error.validator_value


def _unknown_keys(error: ValidationError) -> Iterator[tuple[Path, str]]:
    """Keys that the mapping cannot have, each with the nearest that it can."""
    schema: Any = error.schema
    known, patterns = sorted(schema.get("properties", ())), tuple(schema.get("patternProperties", ()))
    validator = Draft202012Validator({})
    keys: Any = error.instance
    for key in keys:
        path = (*error.absolute_path, key)
        if patterns and not any(validator.evolve(schema={"pattern": each}).is_valid(key) for each in patterns):
            yield path, f"this key must match {_either(patterns)}"
        elif not patterns and key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            yield path, "no such key" + (f"; did you mean {near[0]}?" if near else f"; keys are: {', '.join(known)}")


def _cause(error: ValidationError) -> str:
    wanted, given = _wanted(error), error.instance
    match error.validator:
        case "type" if wanted == "string" and isinstance(given, bool):
            return f"must be a string, and YAML reads this as {str(given).lower()}: put it in quotes"
        case "type" if wanted == "string" and isinstance(given, (int, float)):
            return f"must be a string, and YAML reads this as the number {given}: put it in quotes"
        case "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            return f"must be {_either([_TYPES[each] for each in types])}{_given(given)}"
        case "enum" | "const":
            values = [wanted] if error.validator == "const" else wanted
            texts = [each for each in values if isinstance(each, str)]
            near = difflib.get_close_matches(given, texts, n=1) if isinstance(given, str) else []
            hint = f"; did you mean {near[0]}?" if near else ""
            return f"must be {_either([repr(each) for each in texts])}{_given(given)}{hint}"
        case "pattern":
            return f"must match {wanted}{_given(given)}"
        case "minLength" | "minItems" if wanted == 1:
            return "must not be empty"
        case "minimum":
            return f"must be at least {wanted}{_given(given)}"
        case "maximum":
            return f"must be at most {wanted}{_given(given)}"
        case "format":
            example = ", as 2027-01-31" if wanted == "date" else ""
            return f"must be a {wanted}{example}{_given(given)}"
        case _:
            return error.message


def _given(value: Any) -> str:
    return f", got {value!r}" if isinstance(value, (str, int, float, bool)) else ""


def _either(texts: Iterable[str]) -> str:
    *others, last = dict.fromkeys(texts)
    return f"{', '.join(others)} or {last}" if others else last


def _rank(value: Any, path: Path) -> list[int]:
    """Where a path stands in a value; a key that is not there comes last."""
    places = []
    for step in path:
        if isinstance(value, dict):
            places.append(list(value).index(step) if step in value else len(value))
            value = value.get(step)
        else:
            places.append(step if isinstance(step, int) else 0)
            value = value[step] if isinstance(value, list) and isinstance(step, int) else None
    return places
