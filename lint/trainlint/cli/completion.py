"""``trainlint completion``."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from trainlint.cli.debug import debug_option
from trainlint.cli.output import emit

__all__ = ["command"]

SHELLS: Final = ("bash", "zsh", "fish")
PROGRAM: Final = "trainlint"
VARIABLE: Final = "_TRAINLINT_COMPLETE"
"""What the printed script sets to ask the command itself for the words that fit."""


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@debug_option
def command(*, shell: str) -> None:
    """Print what makes a SHELL complete commands.

    With it the shell completes options, files and the names of rules, too.

    \b
    bash: source <(trainlint completion bash)      in ~/.bashrc
    zsh:  source <(trainlint completion zsh)       in ~/.zshrc, after compinit
    fish: trainlint completion fish > ~/.config/fish/completions/trainlint.fish
    """
    made = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    if made is not None:
        emit(made(root, {}, PROGRAM, VARIABLE).source() + "\n")
