"""What a runner of GitHub does with action.yml: its steps, as written, with the variables that a runner sets.

GitHub's documentation: "Metadata syntax" (composite actions), "Variables reference" and "Workflow commands". Bash is
called as the runner calls it; expressions are replaced only where they stand in ``env`` and ``if``, and an expression
that this file does not know fails the test.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

__all__ = ["ROOT", "Job", "Step"]

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


@dataclass
class Step:
    """What became of a step: its exit code, what it printed, and the files that it wrote for the runner."""

    name: str
    code: int
    log: str
    summary: str
    outputs: dict[str, str]

    def commands(self, name: str) -> list[str]:
        """The workflow commands of that name which the runner would obey."""
        found, stopped = [], ""
        for line in map(str.lstrip, self.log.splitlines()):  # the runner does not mind white space before them
            if stopped:
                stopped = "" if line == f"::{stopped}::" else stopped
            elif line.startswith("::stop-commands::"):
                stopped = line.removeprefix("::stop-commands::")
            elif line.startswith((f"::{name} ", f"::{name}::")):
                found.append(line)
        return found


@dataclass
class Job:
    """A job whose only step is the action. ``workspace`` is where it was checked out; ``ready`` are steps of the action
    whose work is done already.
    """

    workspace: Path
    temp: Path
    inputs: dict[str, str] = field(default_factory=dict)
    event: dict[str, Any] = field(default_factory=dict)
    event_name: str = "push"
    environment: dict[str, str] = field(default_factory=dict)
    ready: frozenset[str] = frozenset()
    steps: list[Step] = field(default_factory=list)
    repository: str = "team/training"
    action_repository: str = "example/trainlint"

    def run(self, *names: str) -> Job:
        """Run the steps (those that are named; all, if none is) until one fails that no condition follows."""
        inputs = {name: each.get("default", "") for name, each in ACTION["inputs"].items()} | self.inputs
        assert set(inputs) == set(ACTION["inputs"])
        outputs: dict[str, str] = {}
        failed = False
        for number, step in enumerate(ACTION["runs"]["steps"]):
            if (names and step["name"] not in names) or step["name"] in self.ready:
                continue
            known = self._known(inputs, outputs)
            if not (_condition(step["if"], known) if "if" in step else not failed):
                continue
            assert step["shell"] == "bash"
            done = self._step(number, step, {key: _filled(text, known) for key, text in step.get("env", {}).items()})
            self.steps.append(done)
            failed |= done.code != 0
            outputs |= {
                f"steps.{step['id']}.outputs.{name}": value for name, value in done.outputs.items() if step["id"]
            }
        return self

    def _known(self, inputs: dict[str, str], outputs: dict[str, str]) -> dict[str, str]:
        """The values of the expressions that action.yml may use."""
        return {
            "github.token": "token-of-the-job",
            "github.repository": self.repository,
            "github.action_repository": self.action_repository,
            **{f"inputs.{name}": value for name, value in inputs.items()},
            **{f"steps.check.outputs.{name}": "" for name in ("findings", "sarif-file", "summary-file")},
            **outputs,
        }

    def _step(self, number: int, step: dict[str, Any], env: dict[str, str]) -> Step:
        files = self.temp / f"files-{number}"
        files.mkdir(parents=True, exist_ok=True)
        script, event = files / "script.sh", files / "event.json"
        script.write_text(step["run"], encoding="utf-8")
        event.write_text(json.dumps(self.event), encoding="utf-8")
        output, summary = files / "output", files / "summary"
        output.write_text("")
        summary.write_text("")
        variables = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))},
            "HOME": str(self.temp),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_EVENT_NAME": self.event_name,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_JOB": "lint",
            "GITHUB_OUTPUT": str(output),
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_SERVER_URL": "http://127.0.0.1:9",
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKFLOW": "manifests",
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temp),
            "RUNNER_TOOL_CACHE": str(self.temp / "tools"),
            **self.environment,
            **env,
        }
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=self.workspace, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        sys.stdout.write(done.stdout.decode())  # shown where a test fails
        pairs = [line.partition("=") for line in output.read_text().splitlines()]
        return Step(
            step["name"],
            done.returncode,
            done.stdout.decode(),
            summary.read_text(encoding="utf-8"),
            {name: value for name, _, value in pairs},
        )

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the action."""
        found = {f"steps.check.outputs.{name}": value for step in self.steps for name, value in step.outputs.items()}
        known = self._known({}, found)
        return {name: _filled(each["value"], known) for name, each in ACTION["outputs"].items()}

    @property
    def code(self) -> int:
        """The exit code of the step that failed; 0 if none did."""
        return next((step.code for step in self.steps if step.code), 0)

    def __getitem__(self, name: str) -> Step:
        (found,) = (step for step in self.steps if step.name == name)
        return found


def _filled(text: str, known: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        values = [known[each.strip()] for each in match[1].split("||")]
        return next(filter(None, values), "")

    return EXPRESSION.sub(value, str(text))


def _condition(text: str, known: dict[str, str]) -> bool:
    match = EXPRESSION.fullmatch(text)
    assert match
    return all(_holds(each.strip(), known) for each in match[1].split("&&"))


def _holds(text: str, known: dict[str, str]) -> bool:
    if text == "!cancelled()":
        return True
    left, operator, right = text.split(" ")
    assert re.fullmatch(r"'[^']*'", right)
    return (known[left] == right[1:-1]) is {"==": True, "!=": False}[operator]
