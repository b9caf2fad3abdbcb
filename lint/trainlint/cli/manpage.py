"""The manual page in the language of man(7), from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

import click

from trainlint import __version__
from trainlint.cli import exit as codes
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.root import Root
from trainlint.rule import told_by

__all__ = ["manual"]

EXIT_CODES: Final = (
    (codes.CLEAN, "Clean, also where there is nothing to analyse (a line says so)."),
    (codes.FINDINGS, "Findings at or above --fail-on (error, unless it says otherwise)."),
    (codes.USAGE, "Wrong usage or configuration."),
    (codes.UNKNOWN, "Something stayed unknown, with --strict."),
    (codes.NOTHING, "There was nothing to analyse, with --strict."),
    (codes.INTERNAL, "An internal error: a fault of trainlint. It never reads as clean."),
    (codes.INTERRUPTED, "Interrupted."),
)
ENVIRONMENT: Final = (
    ("NO_COLOR", "No colours, unless --color always asks for them."),
    ("TRAINLINT_CACHE_DIR", "The directory of the cache."),
    ("XDG_CACHE_HOME", "Where the cache is made if TRAINLINT_CACHE_DIR is not set."),
)
FILES: Final = (
    ("trainlint.yaml", "The settings, at the root of the repository; trainlint init writes a commented one."),
    (".gitignore", "What Git ignores is not read; outside of Git, what these files name."),
)
EXAMPLES: Final = (
    ("Prove that all training groups of the repository can run:", "trainlint check"),
    ("Only what a branch breaks:", "trainlint check --base origin/main"),
    ("Where the pods of one group can run:", "trainlint prove ml/train"),
    ("Why a rule speaks, with examples:", "trainlint rule {rule}"),
    ("Write down the nodes of a cluster:", "kubectl get nodes -o yaml | trainlint inventory - > inventory.yaml"),
)
_BOLD: Final = lazy_pattern(r"(?<![\w-])(--?[a-z][a-z-]*)")


def manual(root: click.Command) -> str:
    """The whole page: one section for each command."""
    rule = told_by()[Root.ZONES]
    lines = [
        f'.TH TRAINLINT 1 "" "trainlint {__version__}" "User Commands"',
        ".SH NAME",
        f"trainlint \\- {_escaped(_sentences(root)[0].rstrip('.').lower())}",
        ".SH SYNOPSIS",
        ".B trainlint",
        "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]...",
        ".SH DESCRIPTION",
        *_paragraphs(inspect.cleandoc(root.help or "")),
        *_options(root),
        ".SH COMMANDS",
        *_commands(root),
        ".SH EXIT STATUS",
        *(line for code, text in EXIT_CODES for line in _entry(f"\\fB{code}\\fR", text)),
        ".SH ENVIRONMENT",
        *(line for name, text in ENVIRONMENT for line in _entry(f"\\fB{name}\\fR", text)),
        ".SH FILES",
        *(line for name, text in FILES for line in _entry(f"\\fI{_escaped(name)}\\fR", text)),
        ".SH EXAMPLES",
        *(line for text, example in EXAMPLES for line in _entry(_escaped(text), example.format(rule=rule))),
    ]
    return "\n".join(lines) + "\n"


def _commands(root: click.Command) -> Iterator[str]:
    if not isinstance(root, click.Group):
        return
    context = click.Context(root, info_name="trainlint")
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        if command is None or command.hidden:
            continue
        usage = " ".join(command.collect_usage_pieces(click.Context(command, info_name=name, parent=context)))
        yield f'.SS "trainlint {name} {_escaped(usage)}"'
        yield from _paragraphs(inspect.cleandoc(command.help or ""))
        yield from _options(command)


def _options(command: click.Command) -> Iterator[str]:
    """The options with their help; those of which there is nothing to say are named in one line."""
    context = click.Context(command, help_option_names=["-h", "--help"] if isinstance(command, click.Group) else [])
    bare = []
    for param in command.get_params(context):
        names, text = param.get_help_record(context) or ("", "")
        if text:
            yield from _entry(_marked(names), text)
        elif names.startswith("-"):
            bare.append(_marked(names))
    if bare:
        yield from (".PP", f"It also takes {', '.join(bare)}.")


def _entry(head: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield head
    yield _escaped(text) or "\\&"


def _marked(names: str) -> str:
    """The names of an option in bold, what follows them as it is."""
    return _BOLD.sub(r"\\fB\1\\fR", _plain(names)).replace("-", "\\-")


def _sentences(command: click.Command) -> list[str]:
    return [part for part in " ".join(inspect.cleandoc(command.help or "").split()).split(". ") if part]


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of a help text; one that begins with click's ``\\b`` keeps its lines."""
    for number, paragraph in enumerate(text.partition("\f")[0].split("\n\n")):
        lines = paragraph.strip("\n").splitlines()
        if lines and lines[0].strip() == "\b":
            yield from _verbatim(lines[1:])
        elif lines:
            yield from (".PP",) if number else ()
            yield _escaped(" ".join(line.strip() for line in lines))


def _verbatim(lines: list[str]) -> Iterator[str]:
    yield from (".PP", ".RS 4", ".nf", *map(_escaped, lines), ".fi", ".RE")


def _plain(text: str) -> str:
    return text.replace("\\", "\\e")


def _escaped(text: str) -> str:
    """Text that no formatter takes for a request, with hyphens that can be copied as they are."""
    safe = _plain(text).replace("-", "\\-")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe
