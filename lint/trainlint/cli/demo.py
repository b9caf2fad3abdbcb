"""``trainlint demo``."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trainlint.cli.debug import debug_option
from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.output import columns, output_option, publish, targets, use_color
from trainlint.report import Options, reporter
from trainlint.report.terminal import Paint, wrap

if TYPE_CHECKING:
    from trainlint.result import Result

__all__ = ["command"]

FAILING: Final = "broken"
FIXED: Final = "fixed"
MANIFEST: Final = "training.yaml"

STORY: Final = (
    "A training job on a cluster of two zones: a conductor, three trainers with eight GPUs each, and a Service by "
    "which the trainers find the conductor. The GPU nodes stand in the zone east and are tainted; network policies "
    "keep the zones apart. Every pod of the failing state starts, nothing restarts, and 24 GPUs wait without an error:"
)
CHANGES: Final = (
    "The label `lane: east` puts the conductor where the policies allow the trainers to reach it.",
    "The toleration lets the conductor onto the GPU nodes, the only nodes of the zone in which the trainers can run.",
    "The node affinity takes the other zone away from the scheduler, which could still choose it for the conductor.",
)


@click.command("demo")
@output_option(("text",))
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@debug_option
def command(*, outputs: tuple[str, ...], color: str) -> None:
    """Lint a small bundled lab.

    Shows what trainlint finds in its failing state, how the fixed state differs, and the verdict on that one. The
    exit code is 0, although the failing state has findings.
    """
    chosen = targets(outputs, ("text",))
    screen = Options(color=use_color(color), width=columns())
    written = publish(chosen, lambda target: "".join(_story(screen if target.file is None else Options())))
    click.get_current_context().exit(CLEAN if written else USAGE)


def _story(options: Options) -> Iterator[str]:
    text = reporter("text")
    paint = Paint(options.color)
    with as_file(files("trainlint.demo")) as lab, tempfile.TemporaryDirectory(prefix="trainlint-demo-") as folder:
        failing, fixed = (_copy(lab, Path(folder), state) for state in (FAILING, FIXED))
        # The folder is a world of its own, even if temporary files happen to be kept inside a Git repository.
        os.environ["GIT_CEILING_DIRECTORIES"] = str(Path(folder).resolve())
        yield _section("the failing state", paint) + _prose(STORY, options.width) + "\n"
        yield text(_check(failing), options)
        yield "\n" + _section("what fixes it", paint)
        yield "".join(_prose(change, options.width, "- ") for change in CHANGES) + "\n"
        yield "".join(_difference(failing / FAILING / MANIFEST, fixed / FIXED / MANIFEST, paint))
        yield "\n" + _section("the fixed state", paint)
        yield text(_check(fixed), options)


def _check(world: Path) -> Result:
    from trainlint.engine import check  # noqa: PLC0415 (heavy)

    return check((world,), config=None, select=frozenset(), ignore=frozenset(), stdin=None, progress=None)


def _copy(lab: Path, folder: Path, state: str) -> Path:
    world = folder / f"{state}-state"
    for part in ("cluster", state):
        shutil.copytree(lab / part, world / part)
    return world


def _section(title: str, paint: Paint) -> str:
    return paint("bold", f"== {title} ==") + "\n\n"


def _prose(text: str, width: int, mark: str = "") -> str:
    lines = wrap(text, width - len(mark))
    return "".join(f"{mark if count == 0 else ' ' * len(mark)}{line}\n" for count, line in enumerate(lines))


def _difference(before: Path, after: Path, paint: Paint) -> Iterator[str]:
    old, new = (file.read_text(encoding="utf-8").splitlines() for file in (before, after))
    names = (f"{FAILING}/{MANIFEST}", f"{FIXED}/{MANIFEST}")
    for line in difflib.unified_diff(old, new, *names, lineterm=""):
        style = {"+": "good", "-": "bad", "@": "frame"}.get(line[:1])
        yield (paint(style, line) if style else line) + "\n"
