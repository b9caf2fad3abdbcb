"""``trainlint completion``: the shells themselves complete, with what the command prints for them."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

BIN = Path(sysconfig.get_path("scripts"))


def shell(*command: str) -> str:
    """What a shell prints that finds the installed command first."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "TERM": "dumb"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


BASH = """
source <(trainlint completion bash)
COMP_WORDS=({words})
COMP_CWORD={last}
_trainlint_completion trainlint
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
autoload -Uz compinit && compinit -u
source <(trainlint completion zsh)
whence -w _trainlint_completion
_comps_of=$_comps[trainlint]
print $_comps_of
"""


def in_bash(*words: str) -> set[str]:
    quoted = " ".join(f"'{word}'" for word in ("trainlint", *words))
    return set(shell("bash", "-c", BASH.format(words=quoted, last=len(words))).split())


@pytest.mark.needs("bash")
def test_bash_completes_commands_options_and_rules() -> None:
    assert in_bash("che") == {"check"}
    assert {"check", "rule", "prove"} <= in_bash("")
    assert in_bash("rule", "split-") == {"split-across-zones", "split-cut-by-policy"}
    assert "--strict" in in_bash("check", "--str")
    assert in_bash("completion", "") == {"bash", "zsh", "fish"}


@pytest.mark.needs("fish")
def test_fish_completes_commands_and_rules() -> None:
    script = "trainlint completion fish | source; complete --do-complete "
    assert "check" in shell("fish", "--no-config", "-c", f"{script}'trainlint che'")
    found = shell("fish", "--no-config", "-c", f"{script}'trainlint rule split-'").splitlines()
    assert [line.partition("\t")[0] for line in found] == ["split-across-zones", "split-cut-by-policy"]
    assert "The group may be spread" in found[0]  # what the rule finds stands beside its name


@pytest.mark.needs("zsh")
def test_zsh_takes_the_function_for_the_command() -> None:
    assert shell("zsh", "-f", "-c", ZSH).split("\n")[:2] == [
        "_trainlint_completion: function",
        "_trainlint_completion",
    ]


@pytest.mark.needs("zsh")
def test_zsh_is_given_names_with_what_they_are() -> None:
    asked = "env COMP_WORDS='trainlint rule split-' COMP_CWORD=2 _TRAINLINT_COMPLETE=zsh_complete trainlint"
    lines = shell("zsh", "-f", "-c", asked).splitlines()
    assert lines[:2] == ["plain", "split-across-zones"]
    assert "slow and billed" in lines[2]
