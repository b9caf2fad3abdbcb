"""Substitutions as Flux reads them; the semantics are those of fluxcd/pkg (envsubst, and its tests)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.deploy.deployers import flux, sync
from tests.source.repositories import write

from trainlint.deploy.deployment import Variables
from trainlint.deploy.envsubst import EnvsubstError, parsed_text
from trainlint.deploy.substitution import replaced
from trainlint.engine import check
from trainlint.result import Placed, Result

KNOWN = Variables({"NAME": "one-two-one", "EMPTY": ""})


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
        ("${NAME#*-} ${NAME##*-} ${NAME%-*} ${NAME%%-*}", "two-one one one-two one"),
    ],
)
def test_what_a_substitution_makes(text: str, made: str) -> None:
    assert replaced(text, KNOWN) == made


def test_what_another_source_may_hold_stays() -> None:
    assert replaced("${GONE:-x} ${NAME}", Variables(KNOWN.values, ("Secret s",))) == "${GONE:-x} one-two-one"


@pytest.mark.parametrize(
    "text", ["${x-y}", "${list[@]}", "${!x}", "${x", "${}", "${{ x }}", "${x?}", "${a.b}", "${x:}"]
)
def test_what_flux_refuses(text: str) -> None:
    with pytest.raises(EnvsubstError):
        parsed_text(f"echo {text} done")


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
