"""The documentation of rules at a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.finding import Severity
from trainlint.report import Options
from trainlint.report.rules import page, rules_table


@dataclass(frozen=True)
class Sample:
    name: str
    category: str
    severity: Severity
    page: str

    @property
    def summary(self) -> str:
        return self.page.partition("\n")[0]


TAINT = Sample(
    "untolerated-taint",
    "placement",
    Severity.ERROR,
    """Every node that would fit carries a taint that the pods do not tolerate.

The scheduler skips a node with such a taint. The pod stays Pending, and
the group waits:

- for the first
  reason
- for the second

```yaml bad
tolerations: []   # expect
```

```yaml good
tolerations:
  - operator: Exists
```
""",
)
SOFT = Sample("soft-colocation", "topology", Severity.NOTE, "Only a preference " + "keeps the group together " * 3)


def test_the_table_lists_rules_by_category_with_severity_and_one_line() -> None:
    assert rules_table([SOFT, TAINT], Options()) == (
        "placement\n"
        "\n"
        "  rule               severity  finds\n"
        "  untolerated-taint  error     Every node that would fit carries a taint that\n"
        "                               the pods do not tolerate.\n"
        "\n"
        "topology\n"
        "\n"
        "  rule             severity  finds\n"
        "  soft-colocation  note      Only a preference keeps the group together keeps\n"
        "                             the group together keeps the group together\n"
    )


def test_a_page_wraps_prose_and_leaves_examples_as_they_are() -> None:
    assert page(TAINT, Options(width=60)) == (
        "untolerated-taint (placement, error)\n"
        "\n"
        "Every node that would fit carries a taint that the pods do\n"
        "not tolerate.\n"
        "\n"
        "The scheduler skips a node with such a taint. The pod stays\n"
        "Pending, and the group waits:\n"
        "\n"
        "- for the first reason\n"
        "- for the second\n"
        "\n"
        "  bad:\n"
        "    tolerations: []   # expect\n"
        "\n"
        "  good:\n"
        "    tolerations:\n"
        "      - operator: Exists\n"
    )


def test_colour_marks_the_expected_lines() -> None:
    text = page(TAINT, Options(color=True))
    assert text.startswith("\x1b[1;31muntolerated-taint\x1b[0m (placement, error)\n")
    assert "\x1b[1;31mtolerations: []   # expect\x1b[0m" in text
