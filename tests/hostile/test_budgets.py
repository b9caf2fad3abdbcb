"""What few characters stand for is bounded: references, substitutions, comments, quantities."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random

import pytest
from tests.launch.containers import container

from trainlint.deploy.deployment import MAX_FILLED, Variables
from trainlint.deploy.envsubst import EnvsubstError, parsed_text
from trainlint.deploy.substitution import substituted
from trainlint.deploy.templating import rendered
from trainlint.launch.environment import MAX_ALL, environment
from trainlint.model.known import Undetermined
from trainlint.model.pod import EnvVar
from trainlint.model.policy import Condition, PortRule
from trainlint.model.quantity import QuantityError, parse_quantity
from trainlint.policy.matching import ReadyEntry
from trainlint.policy.verdict import Matched
from trainlint.source.comments import suppressions
from trainlint.source.text import split
from trainlint.suppression import read_suppressions
from trainlint.wording.because import because_text

LONG = "x" * (1 << 20)
READY = ReadyEntry(None, 0, None, None, None, ())  # type: ignore[arg-type]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def size(value: object) -> int:
    """Characters of all texts in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(size, value.values()))
    return sum(map(size, value)) if isinstance(value, list) else 0


@pytest.mark.parametrize("form", ["$(A{})", "${{A{}}}", "$A{}"])
def test_references_that_double_at_every_step_are_undetermined(form: str) -> None:
    if form.startswith("$("):
        entries = [EnvVar(f"A{n + 1}", form.format(n) * 2) for n in range(60)]
        found = environment(replace(container("{}"), env=(EnvVar("A0", "xxxx"), *entries)))
    else:
        script = " ".join(f"A{n + 1}={form.format(n)}{form.format(n)}" for n in range(60))
        found = environment(container(f"{{command: [sh, -c, 'export A0=xxxx {script}']}}"))
    assert isinstance(found["A5"].value, str)
    assert found["A5"].value.count("xxxx") == 32
    assert isinstance(found["A60"].value, Undetermined)
    assert sum(len(each.value) for each in found.values() if isinstance(each.value, str)) <= MAX_ALL


def test_many_long_references_of_one_container_are_undetermined() -> None:
    entries = (EnvVar(f"B{n}", "a$(A)") for n in range(500))
    found = environment(replace(container("{}"), env=(EnvVar("A", "x" * 20_000), *entries)))
    last = found["B499"].value
    assert isinstance(last, Undetermined)
    assert "KiB" in because_text(last.why)


@pytest.mark.parametrize(
    "text",
    [
        "a${v}" * 10_000,
        "${u:=" + "${v}" * 10_000 + "}",
        "${u:=${u:=${u:=" + "${v}" * 3000 + "}}}",
        "${v//x/" + "y" * 100_000 + "}",
        "${v##*a}",
        "${v%%a*}",
    ],
)
def test_substitutions_of_long_values_are_left_as_they_are(text: str) -> None:
    variables = Variables({"v": LONG, "u": ""})
    with within(5):
        found = substituted({"a": [text]}, variables)
    assert found == {"a": [text]}


def test_substitutions_of_all_objects_together_have_a_limit() -> None:
    variables = Variables({"v": LONG})
    objects = [substituted({"a": "b${v}"}, variables) for _ in range(500)]
    assert size(objects) <= 2 * MAX_FILLED
    assert objects[0] == {"a": "b" + LONG}
    assert objects[-1] == {"a": "b${v}"}


def test_substitutions_that_lie_deep_are_refused() -> None:
    with pytest.raises(EnvsubstError):
        parsed_text("${a:=" * 50_000 + "}" * 50_000)


def test_comments_are_looked_at_once() -> None:
    lines = ["kind: Job", *("# trainlint: ignore[x] y" for _ in range(20_000)), "a: b"]
    lines += [f"k{n}: v # trainlint: ignore[x] y" for n in range(20_000)]
    text = "\n".join(lines) + "\n"
    with within(5):
        found = suppressions(text, list(split(text)))
        read = list(read_suppressions("a.yaml", found, lines, [(0, 1)]))
    assert len(read) == 40_000
    assert read[0].applies_to == 20_002
    assert read[-1].applies_to == 40_002


@pytest.mark.parametrize("text", ["1" * 200_000 + "x!", "1." + "1" * 200_000 + "!", "." + "1" * 200_000 + "!"])
def test_what_is_no_quantity_is_told_at_once(text: str) -> None:
    with within(1), pytest.raises(QuantityError):
        parse_quantity(text)


@pytest.mark.parametrize("go", [False, True])
@pytest.mark.parametrize(
    "text", ["{{" * 100_000, "{{ " + " " * 100_000, "{{" + "-" * 100_000 + " }", "{{ a }} " * 50_000]
)
def test_tags_of_application_sets_are_looked_at_once(text: str, *, go: bool) -> None:
    with within(5):
        assert rendered(text, {"a": "b"}, go=go) == (text if go else text.replace("{{ a }}", "b"))


@pytest.mark.parametrize("written", ["{{a}}", "{{ a }}", "{{- a -}}", "{{-a-}}", "{{-  a\n-}}"])
def test_tags_of_application_sets_in_every_form(written: str) -> None:
    assert rendered(f"x{written}y", {"a": "b"}, go=False) == "xby"


def test_many_ports_of_a_policy_are_found_as_few_are() -> None:
    """The index of many spans says what looking through them one by one says."""
    random = Random(25)
    kinds = [
        PortRule("TCP"),
        PortRule("TCP"),
        PortRule("TCP", only_if=(Condition.HTTP,)),
        PortRule("TCP", only_if=(Condition.DNS,)),
    ]
    for _ in range(50):
        spans = []
        for _ in range(random.randrange(17, 60)):
            first = random.randrange(1, 300)
            spans.append((random.choice(("TCP", "UDP")), first, first + random.randrange(0, 9), random.choice(kinds)))
        matched = Matched(READY, certain=True, spans=tuple(spans))
        for port in range(320):
            found = [span[3].only_if for span in spans if span[0] == "TCP" and span[1] <= port <= span[2]]
            assert matched.condition("TCP", port) == (() if () in found else found[-1] if found else None)


def test_tens_of_thousands_of_ports_are_quick() -> None:
    spans = tuple(("TCP", port, port, PortRule("TCP")) for port in range(1, 60_000, 2))
    matched = Matched(READY, certain=True, spans=spans)
    with within(5):
        assert [matched.condition("TCP", port) for port in range(1, 60_000)].count(None) == 29_999
