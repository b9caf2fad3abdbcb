"""``trainlint lsp``."""

from __future__ import annotations

import gc

import click

from trainlint.cli.debug import debug_option
from trainlint.finding import UsageError

__all__ = ["command"]

MISSING = """\
trainlint lsp needs pygls, which is not installed
install it with: pip install 'trainlint[lsp]'  (pipx inject trainlint pygls, uv tool install 'trainlint[lsp]')"""


@click.command("lsp")
@click.option(
    "--stdio", is_flag=True, help="Speak over standard input and output: the default, which some editors name."
)
@debug_option
def command(*, stdio: bool) -> None:
    """Serve an editor: findings on save, verdicts on hover.

    An editor starts it and speaks the Language Server Protocol to it. Every folder of the workspace is linted as a
    whole when it is opened and when a file is saved; related places are links. Hovering over a workload shows both
    answers about its group, with a placement that works or one that does not; repairs that were tried are code actions.
    What is not saved is not linted.

    Needs the extra: pip install 'trainlint[lsp]'.
    """
    try:
        from trainlint.lsp.server import serve  # noqa: PLC0415 (an extra)
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise UsageError(MISSING) from error
    gc.enable()  # it was switched off for programs that end soon
    serve()
