"""The plugins of Volcano's Job and their arguments (W 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.kube.values import read_strings
from trainlint.source.document import Field

__all__ = ["VOLCANO_JOB", "Plugins", "read_plugins"]

VOLCANO_JOB: Final = "Job.batch.volcano.sh"
"""The kind of Volcano's Job among the identities of objects."""
_NEEDING_SERVICE: Final = ("pytorch", "tensorflow", "mpi", "ray")


@fact
class Plugins:
    """The plugins that the webhook leaves the job with, and their arguments."""

    arguments: Mapping[str, tuple[str, ...]]

    def __contains__(self, plugin: str) -> bool:
        return plugin in self.arguments

    def option(self, plugin: str, name: str, default: str) -> str:
        """The value of ``--name=value`` among a plugin's arguments; a bare ``--name`` is true."""
        found = default
        for argument in self.arguments.get(plugin, ()):
            key, equals, value = argument.lstrip("-").partition("=")
            if key == name and argument.startswith("-"):  # without dashes it is no flag (vc-0050)
                found = value if equals else "true"
        return found

    def port(self, plugin: str, default: int, name: str = "port") -> int:
        """The plugin's ``--port``, or another argument that is a port."""
        text = self.option(plugin, name, str(default))
        return int(text) if text.isdecimal() and 0 < int(text) < 65536 else default


def read_plugins(field: Field) -> Plugins:
    """The plugins under ``spec.plugins``, with those that the webhook adds for them."""
    written = {name: read_strings(arguments) for name, arguments in field.items()}
    if any(name in written for name in _NEEDING_SERVICE):
        written.setdefault("svc", ())
    if "mpi" in written:
        written.setdefault("ssh", ())
    return Plugins(written)
