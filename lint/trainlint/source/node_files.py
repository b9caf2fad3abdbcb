"""Files that describe nodes and have no ``kind``: they are told by their names and their keys."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["RANCHER_CONFIG", "TALOS_CONFIG", "head_of", "may_be_kindless"]

RANCHER_CONFIG: Final = "RancherConfig"
"""The configuration file of k3s and RKE2 (``/etc/rancher/k3s/config.yaml``)."""
TALOS_CONFIG: Final = "TalosConfig"
"""The machine configuration of Talos Linux, or a patch of one."""

_MARKS: Final = (b"node-label", b"node-taint", b"nodeLabels:", b"nodeTaints:")
_RANCHER_KEYS: Final = frozenset({"node-label", "node-label+", "node-taint", "node-taint+"})
_RANCHER_NAMES: Final = ("config.yaml", "config.yml")
_RANCHER_WORDS: Final = ("k3s", "rke2", "config.yaml.d/")


def may_be_kindless(content: bytes | str) -> bool:
    """Whether a file or document may be one of these, told from the text alone."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    return b"node" in content and any(mark in content for mark in _MARKS)


def head_of(file: str, data: Any) -> dict[str, str] | None:
    """The kind that stands for the shape of the data; ``None`` where it is none of them."""
    if not isinstance(data, dict) or "kind" in data or "apiVersion" in data:
        return None
    if not _RANCHER_KEYS.isdisjoint(data) and (
        file.endswith(_RANCHER_NAMES) or any(word in file.lower() for word in _RANCHER_WORDS)
    ):
        return {"apiVersion": "v1", "kind": RANCHER_CONFIG}
    machine = data.get("machine")
    if isinstance(machine, dict) and ("nodeLabels" in machine or "nodeTaints" in machine):
        return {"apiVersion": "v1alpha1", "kind": TALOS_CONFIG}
    return None
