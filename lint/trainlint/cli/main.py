"""The ``trainlint`` command: its commands, and what is said when something goes wrong."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import signal
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

from trainlint import __version__
from trainlint.child_processes import end_all
from trainlint.cli.exit import INTERNAL, INTERRUPTED, USAGE
from trainlint.cli.names import unknown_name
from trainlint.cli.output import complain, flush
from trainlint.finding import UsageError
from trainlint.report.terminal import escape

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["cli", "main"]

# Each in the module of its name, as ``command``: loaded when it is asked for, so that --version stays quick.
COMMANDS: Final = (
    "check",
    "completion",
    "config",
    "demo",
    "explain",
    "graph",
    "init",
    "inventory",
    "lsp",
    "man",
    "needs",
    "prove",
    "rule",
    "why",
)


class Commands(click.Group):
    """Loads commands by name; turns every exception into a message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainlint.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their first sentences, none of them cut: a long one goes on in the next line."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(limit=1000)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(unknown_name("command", args[0], COMMANDS), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort):
            raise
        except click.ClickException as error:
            text = io.StringIO()
            error.show(text)
            complain(text.getvalue().removesuffix("\n"))
            ctx.exit(error.exit_code)
        except UsageError as error:
            for line in str(error).split("\n"):
                complain(f"trainlint: {escape(line)}")
            ctx.exit(USAGE)
        except KeyboardInterrupt:
            click.echo("trainlint: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            flush()
            ctx.exit(0)
        except Exception as error:
            _complain(error, debug=bool(ctx.meta.get("debug")))
            ctx.exit(INTERNAL)


def _complain(error: Exception, *, debug: bool) -> None:
    if debug:
        import traceback  # noqa: PLC0415 (only where something went wrong)

        complain(traceback.format_exc())
    text = " ".join(f"{type(error).__name__}: {error}".split())
    complain(
        f"trainlint: internal error: {escape(text)}\n"
        "This is a fault of trainlint, not of your manifests, and nothing was proved. Please report it where you\n"
        "got trainlint from, with the output of the same command with --debug."
    )


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trainlint", message="%(prog)s %(version)s")
def cli() -> None:
    """Prove, before merge and without a cluster, that every distributed-training group in a repository can run."""


def main() -> None:
    """Entry point of the console script; ends the process with one of the exit codes."""
    # Facts are trees, which reference counting frees; what the collector would walk again and again is in use.
    gc.disable()  # a tenth of the time of a run went into looking for cycles, and there were none to speak of
    _stand_in()
    signal.signal(signal.SIGTERM, _terminate)
    code = 0
    try:
        cli.main(prog_name="trainlint")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else INTERNAL
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001, RUF100 (whatever it is: never a bare traceback)
        _complain(error, debug=False)
        code = INTERNAL
    _leave(code)


def _terminate(number: int, _frame: FrameType | None) -> None:
    """End what was started; on the way out temporary directories are removed."""
    end_all()
    raise SystemExit(128 + number)


def _stand_in() -> None:
    """Open closed standard streams on the null device, so that no other file gets their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 (as long as we run)


def _leave(code: int) -> None:
    """End the process. The system takes its memory back at once; Python would go from object to object, which takes a
    tenth of the time of a run. A profiler, a debugger or threads of other programs see the usual end.
    """
    flush()
    watched = sys.gettrace() or sys.getprofile() or sys.flags.interactive or threading.active_count() > 1
    if not watched:
        atexit._run_exitfuncs()
        flush()
        if sys.stderr is not None:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
