"""The plugins of Volcano by name (W 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trainlint.operators.manifest import Manifest
from trainlint.operators.volcano_plugin import VolcanoPlugin, VolcanoTask
from trainlint.operators.volcano_ranks import MpiPlugin, PytorchPlugin, RayPlugin, TensorflowPlugin
from trainlint.operators.volcano_services import IndexPlugin, ServicePlugin, SshPlugin

__all__ = ["PLUGINS", "made_by_plugins"]

PLUGINS: Final[Mapping[str, VolcanoPlugin]] = {
    "env": IndexPlugin(),
    "hcclrank": VolcanoPlugin(),
    "mpi": MpiPlugin(),
    "pytorch": PytorchPlugin(),
    "ray": RayPlugin(),
    "ssh": SshPlugin(),
    "svc": ServicePlugin(),
    "tensorflow": TensorflowPlugin(),
}
"""By name, in the order in which they are run here; Volcano has none."""


def made_by_plugins(item: Manifest, tasks: Sequence[VolcanoTask], plugins: Mapping[str, Any]) -> Iterator[Manifest]:
    """The objects that the plugins of a Job make for it."""
    for name, arguments in sorted(plugins.items()):
        yield from PLUGINS[name].made(item, tasks, arguments)
