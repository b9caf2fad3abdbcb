"""Substitutions as Flux reads them; the semantics are those of fluxcd/pkg (envsubst, and its tests)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, sync
from tests.source.repositories import write

from trainlint.deploy.deployment import Variables
from trainlint.deploy.envsubst import (
    MAX_DEPTH,
    MAX_TRIMMED,
    MAX_VALUE,
    DeepError,
    EnvsubstError,
    Use,
    parsed_text,
    value_of,
)
from trainlint.deploy.substitution import replaced
from trainlint.engine import check
from trainlint.result import Placed, Result

KNOWN = Variables({"NAME": "one-two-one", "EMPTY": "", "UPPER": "ABC", "PATH": "a/b/c", "WIDE": "äöü"})


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a $NAME b", "a $NAME b"),
        ("a ${NAME} b", "a one-two-one b"),
        ("$${NAME} $$ $$$${X}", "${NAME} $ $${X}"),
        ("${GONE}", ""),
        ("${GONE:-x}${GONE:=y}${GONE=z}", "xyz"),
        ("${GONE:+x}", "x"),  # Flux makes of all these operators a default
        ("${NAME:+x}", "one-two-one"),
        ("${GONE:-a${NAME}b}", "aone-two-oneb"),
        ("${NAME^^} ${NAME^} ${#NAME}", "ONE-TWO-ONE One-two-one 11"),
        ("${NAME:4} ${NAME:4:3} ${NAME:-7}", "two-one two one-two-one"),
        ("${NAME/one/1} ${NAME//one/1} ${NAME/%one/1}", "1-two-one 1-two-1 one-two-1"),
        ("${UPPER,,} ${UPPER,} ${EMPTY,}${EMPTY^}", "abc aBC "),
        ("${NAME^^^}", None),
        ("${#GONE} ${#EMPTY} ${#WIDE}", "0 0 6"),  # bytes
        ("${EMPTY:-x}${EMPTY:=y}${EMPTY=z}${EMPTY:?w}${EMPTY}", "xyzw"),
        ("${NAME:-x}${NAME=y}", "one-two-oneone-two-one"),
        ("${NAME:0}|${NAME:11}|${NAME:10}|${NAME:99}", "one-two-one||e|"),
        ("${NAME:4:99}|${NAME:4:7}|${NAME:4:6}|${NAME:4:0}|${NAME:0:1}", "two-one|two-one|two-on||o"),
        ("${NAME:x}|${NAME:4:x}|${NAME:1:2:3}|${NAME: 4}|${NAME:1_0}", "|".join(["one-two-one"] * 5)),  # Atoi refuses
        ("${NAME:+4}", "one-two-one"),
        ("${NAME:${GONE:-4}:3}", "two"),
        ("${NAME/#one/1} ${NAME/#two/1} ${NAME/%two/1}", "1-two-one one-two-one one-two-one"),
        ("${NAME/%one/} ${NAME//-/}|${NAME/x/y}", "one-two-one onetwoone|one-two-one"),
        (r"${PATH/\//-} ${PATH//\//-} ${PATH/b/\/\/}", "a-b/c a-b-c a////c"),
        (r"${GONE:-a\/b} ${NAME#a\/b}", r"a\/b one-two-one"),  # only replacements have escapes
        ("${NAME/${EMPTY}o/0}", None),
        ("${NAME/one/${UPPER}}", "ABC-two-one"),
        (
            "${NAME#one} ${NAME#*} ${NAME##*}|${NAME%one} ${NAME%*} ${NAME%%*}|",
            "-two-one ne-two-one |one-two- one-two-on |",
        ),
        ("${NAME#x} ${NAME%x} ${NAME#o??-} ${NAME%-[no]*}", "one-two-one one-two-one two-one one-two"),
        ("${GONE:-${EMPTY:-${UPPER}}}-$", "ABC-$"),
        ("$", "$"),
        ("$$", "$"),
        ("${NAME#*-} ${NAME##*-} ${NAME%-*} ${NAME%%-*}", "two-one one one-two one"),
    ],
)
def test_what_a_substitution_makes(text: str, made: str | None) -> None:
    if made is None:
        with pytest.raises(EnvsubstError):
            parsed_text(text)
    else:
        assert replaced(text, KNOWN) == made


def test_what_another_source_may_hold_stays() -> None:
    assert replaced("${GONE:-x} ${NAME}", Variables(KNOWN.values, ("Secret s",))) == "${GONE:-x} one-two-one"


def test_substitutions_lie_in_each_other_up_to_a_depth() -> None:
    def deep(depth: int) -> str:
        return "${X:-" * depth + "end" + "}" * depth

    assert replaced(deep(MAX_DEPTH), KNOWN) == "end"
    assert replaced(deep(1) * 2 * MAX_DEPTH, KNOWN) == "end" * 2 * MAX_DEPTH  # beside each other they are not deep
    with pytest.raises(DeepError):
        parsed_text(deep(MAX_DEPTH + 1))


@pytest.mark.parametrize(
    ("text", "value", "fits"),
    [
        ("${X#*}", "x" * MAX_TRIMMED, True),
        ("${X#*}", "x" * (MAX_TRIMMED + 1), False),
        ("${X//a/bb}", "a" * (MAX_VALUE // 2), True),
        ("${X//a/bb}", "a" * (MAX_VALUE // 2 + 1), False),
        ("${X//a/}", "a" * MAX_VALUE, True),
        ("${GONE:-${X}}", "x" * MAX_VALUE, True),
        ("${GONE:-${X}y}", "x" * MAX_VALUE, False),
    ],
)
def test_values_that_would_be_too_long_or_too_much_work_are_not_made(text: str, value: str, fits: bool) -> None:
    (use,) = parsed_text(text)
    assert isinstance(use, Use)
    assert (value_of(use, {"X": value, "GONE": ""}.get) is not None) is fits


def test_a_variable_that_is_not_known_leaves_the_substitution_open() -> None:
    for text in ("${X}", "${GONE:-${X}}", "${X/a/b}"):
        (use,) = parsed_text(text)
        assert isinstance(use, Use)
        assert value_of(use, {"GONE": ""}.get) is None


@pytest.mark.parametrize(
    "text",
    [
        "${NAME/a",
        "${NAME/a}",
        "${NAME/a/b",
        "${NAME#a",
        "${#}",
        "${#NAME",
        "${#NAME:-x}",
        "${NAME^x}",
        "${x-y}",
        "${list[@]}",
        "${!x}",
        "${x",
        "${}",
        "${{ x }}",
        "${x?}",
        "${a.b}",
        "${x:}",
    ],
)
def test_what_flux_refuses(text: str) -> None:
    with pytest.raises(EnvsubstError):
        parsed_text(f"echo {text} done")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x ${A ${B} y", "${A ${B}"),  # up to the brace
        (f"x ${{{'a' * 60} y", f"${{{'a' * 38}"),  # forty characters where none closes it
        (f"x\n${{{'a' * 20}\n}}", f"${{{'a' * 20}"),  # of its own line
    ],
)
def test_what_is_refused_is_shown(text: str, shown: str) -> None:
    with pytest.raises(EnvsubstError) as refusal:
        parsed_text(text)
    assert str(refusal.value) == shown


def lint(root: Path, script: str, build: str, extra: str = "") -> Result:
    job = f"""apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml{extra}}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example/train:1
          env: [{{name: OWN, value: "1"}}]
          command: [bash, -c]
          args:
            - |
              {script}
"""
    deployer = flux("jobs", "jobs", f"  postBuild: {build}\n")
    write(root, {"clusters/c/s.yaml": sync("clusters/c"), "clusters/c/j.yaml": deployer, "jobs/job.yaml": job})
    return check([root])


def named(result: Result, rule: str) -> list[Placed]:
    return [each for each in result.findings if each.finding.rule == rule]


SUBSTITUTE = "{substitute: {REGION: eu}}"
SECRET = "{substituteFrom: [{kind: Secret, name: s}]}"


@pytest.mark.parametrize(
    ("script", "build", "becomes"),
    [
        ("train ${JOB_COMPLETION_INDEX}", SUBSTITUTE, {"JOB_COMPLETION_INDEX": "nothing"}),
        ("train ${JOB_COMPLETION_INDEX:-0}", SUBSTITUTE, {"JOB_COMPLETION_INDEX": "0"}),
        ("train ${OWN}", SUBSTITUTE, {"OWN": "nothing"}),
        ("X=$(date); train ${X}", SUBSTITUTE, {"X": "nothing"}),
        ("for i in 1 2; do echo ${i}; done", SUBSTITUTE, {"i": "nothing"}),
        ("train ${JOB_COMPLETION_INDEX}", SECRET, {"JOB_COMPLETION_INDEX": "nothing"}),
        ("train ${OWN}", SECRET, {}),  # the Secret may hold it
        ("train ${REGION}", SUBSTITUTE, {}),
        ("train ${ELSE}", SUBSTITUTE, {}),
        ("train $${OWN} $OWN", SUBSTITUTE, {}),
        ("train ${OWN}", "{substitute: {}}", {}),  # without any variable Flux replaces nothing
        ("train ${OWN}", "{substitute: {}, substituteStrategy: Always}", {"OWN": "nothing"}),
    ],
)
def test_a_variable_of_the_pods_that_flux_replaces(
    tmp_path: Path, script: str, build: str, becomes: dict[str, str]
) -> None:
    found = named(lint(tmp_path, script, build), "emptied-variable")
    assert [dict(each.finding.evidence) for each in found] == ([becomes] if becomes else [])
    assert all(each.finding.certainty == ("likely" if build is SECRET else "proven") for each in found)


@pytest.mark.parametrize("where", ["labels", "annotations"])
def test_an_object_that_keeps_its_variables(tmp_path: Path, where: str) -> None:
    keeps = f", {where}: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}"
    assert named(lint(tmp_path, "train ${OWN}", SUBSTITUTE, keeps), "emptied-variable") == []


def test_a_text_that_flux_refuses_keeps_the_path_from_being_applied(tmp_path: Path) -> None:
    result = lint(tmp_path, "train ${OWN-1}", SUBSTITUTE)
    (only,) = named(result, "path-does-not-build")
    assert "${OWN-1}" in only.finding.message
    assert only.finding.at.file == "jobs/job.yaml"
    assert result.groups == ()
