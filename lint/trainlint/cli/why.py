"""``trainlint why``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trainlint.cli.exit import CLEAN, USAGE
from trainlint.cli.output import ReportOutput, columns, publish, targets, use_color
from trainlint.cli.progress import Progress
from trainlint.cli.question import question_options
from trainlint.config.choices import NodesFile
from trainlint.finding import UsageError
from trainlint.report.options import Options

if TYPE_CHECKING:
    from trainlint.model.workload import PortRange

__all__ = ["command"]

FORMATS: Final = ("text", "json")
PROTOCOLS: Final = ("TCP", "UDP", "SCTP", "ICMP", "ICMPv6")
LAST_PORT: Final = 65535


@click.command("why")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.argument("paths", nargs=-1, metavar="[PATHS]", type=click.Path(exists=True, path_type=Path))
@click.option("--port", metavar="N", help="A port, or a range as 32768-60999 (every port of it); default: every port.")
@click.option("--protocol", type=click.Choice(PROTOCOLS, case_sensitive=False), default="TCP", show_default=True)
@click.option("--from-zone", metavar="ZONE", help="The zone that FROM runs in, where policies can see it.")
@click.option("--to-zone", metavar="ZONE", help="The zone that TO runs in.")
@question_options(FORMATS)
def command(
    *,
    source: str,
    target: str,
    paths: tuple[Path, ...],
    port: str | None,
    protocol: str,
    from_zone: str | None,
    to_zone: str | None,
    config: Path | None,
    nodes: tuple[NodesFile, ...],
    outputs: tuple[str, ...],
    color: str,
    no_cache: bool,
) -> None:
    """Explain why a connection is allowed or denied.

    FROM and TO are a workload (namespace/name or namespace/name/role), the labels of a pod
    (namespace:key=value,key=value), an address outside the cluster, kube-dns, or an entity: world, host, remote-node,
    kube-apiserver, health, ingress, init or unmanaged.

    Shows the policy entries that decide at either end and those that nearly matched, and for a denied connection the
    smallest change of labels or ports that opens it. The port is the one that the pod listens on, not a Service's.

    The exit code is 0 whatever the answer, 2 for a name that is unknown or ambiguous.
    """
    chosen = targets(outputs, FORMATS)
    ports = _ports(port, protocol)
    from trainlint.engine.why import ask  # noqa: PLC0415 (heavy; not needed to complain about options)
    from trainlint.questions.answer import Asked  # noqa: PLC0415
    from trainlint.report.why import render  # noqa: PLC0415
    from trainlint.report.why_json import why_json  # noqa: PLC0415

    asked = Asked(source, target, protocol, ports, from_zone, to_zone)
    with Progress() as progress:
        answers, places = ask(
            paths or (Path(),), asked, config=config, nodes=nodes, progress=progress, cache=not no_cache
        )
    screen = Options(color=use_color(color), width=columns())

    def text(target: ReportOutput) -> str:
        if target.format == "json":
            return why_json(answers, asked, places)
        return render(answers, asked, places, screen if target.file is None else Options())

    click.get_current_context().exit(CLEAN if publish(chosen, text) else USAGE)


def _ports(text: str | None, protocol: str) -> PortRange | None:
    """The port or range of an option; a type of message for ICMP."""
    if text is None:
        return None
    from trainlint.model.workload import PortRange  # noqa: PLC0415 (not needed to show the help)

    first, dash, last = text.partition("-")
    least, most = (0, 255) if protocol.upper().startswith("ICMP") else (1, LAST_PORT)
    if first.isdecimal() and (not dash or last.isdecimal()):
        found = PortRange(int(first), int(last) if dash else int(first))
        if least <= found.first <= found.last <= most:
            return found
    what = "a message type" if most < LAST_PORT else "a port"
    raise UsageError(f"--port: {text!r} is neither {what} nor a range: write N or N-M between {least} and {most}")
