"""Paths that lead into a text of a document: a patch that is written in place."""

from __future__ import annotations

import pytest

from trainlint.finding import Span
from trainlint.source.documents import every_document
from trainlint.source.spans import locate

LITERAL = """\
patches:
  - patch: |-

      kind: Job
      spec:
        completions: 4
"""


def test_the_span_is_that_of_the_line_in_the_text_and_the_place_is_the_text() -> None:
    (document,) = every_document("kustomization.yaml", LITERAL.encode())
    path, span = locate(document, ("patches", 0, "patch", "spec", "completions"))
    assert path == ("patches", 0, "patch")
    assert span == Span(6, 9, 6, 23)
    assert LITERAL.splitlines()[5][8:22] == "completions: 4"


def test_what_is_not_in_the_text_is_at_its_parent_in_the_text() -> None:
    (document,) = every_document("kustomization.yaml", LITERAL.encode())
    assert locate(document, ("patches", 0, "patch", "spec", "parallelism"))[1] == Span(5, 7, 5, 11)


@pytest.mark.parametrize(
    "text",
    ["patch: >-\n  kind: Job\n\n  spec: {}\n", 'patch: "kind: Job\\nspec: {}\\n"\n', "patch: 5\n", "patch: |\n"],
)
def test_texts_that_do_not_stand_line_by_line_are_a_place_as_a_whole(text: str) -> None:
    (document,) = every_document("kustomization.yaml", text.encode())
    path, span = locate(document, ("patch", "spec"))
    assert (path, span.line) == (("patch",), 1)


def test_lines_count_from_the_top_of_the_file() -> None:
    text = f"# above\n---\nkind: First\n---\n{LITERAL}"
    document = every_document("kustomization.yaml", text.encode())[1]
    assert locate(document, ("patches", 0, "patch", "spec", "completions"))[1].line == 10
