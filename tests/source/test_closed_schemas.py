"""Schemas of values are kept only where they are JSON that refers to nothing outside of itself."""

from __future__ import annotations

import pytest

from trainlint.source.helm.schema import MAX_BYTES, is_closed


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "true",
        '{"$ref": "#/definitions/a"}',
        '{"$ref": "#"}',
        '{"$dynamicRef": "#a"}',
        '{"$id": "https://example.com/a"}',
        '{"id": "a"}',
        '{"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}}',  # names of values
        '{"$schema": "http://json-schema.org/draft-07/schema#"}',
        '{"$schema": "http://json-schema.org/draft-03/schema"}',
        '{"$schema": "https://json-schema.org/draft/2020-12/schema"}',
    ],
)
def test_a_schema_that_needs_nothing_else(text: str) -> None:
    assert is_closed(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"$ref": "file:///etc/passwd"}',
        '{"$ref": "other.json#/a"}',
        '{"$dynamicRef": "https://example.com"}',
        '{"$recursiveRef": "a"}',
        '{"\\u0024ref": "file:///etc/passwd"}',  # the same key
        '{"a": {"b": [{"$ref": "x"}]}}',
        '{"$schema": "https://example.com/schema"}',
        '{"$schema": "http://json-schema.org/draft-08/schema#"}',
        '{"$schema": "http://json-schema.org/draft-02/schema#"}',
        '{"$id": "https://example.com/a", "properties": {"a": {"$ref": "#/b"}}}',
        '{"id": "a", "$ref": "#"}',
        '{"a": 1, "a": 2}',  # parsers differ in which one counts
        '{"b": {"a": 1, "a": 1}}',
        "[" * 100_000,
    ],
)
def test_a_schema_that_may_refer_to_something_else(text: str) -> None:
    assert not is_closed(text.encode())


def test_bytes_that_are_no_text_and_too_many_of_them() -> None:
    assert not is_closed(b'{"a": "\xff"}')
    empty = b'{"a": ""}'
    fill = MAX_BYTES - len(empty)
    assert is_closed(b'{"a": "' + b"b" * fill + b'"}')
    assert not is_closed(b'{"a": "' + b"b" * (fill + 1) + b'"}')
