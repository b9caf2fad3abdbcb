"""How a kubelet registers its node: kubeadm's ``nodeRegistration`` and the flags of the kubelet (S 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.inventory.ground import PoolGround
from trainlint.kube.node import read_taints
from trainlint.kube.values import is_placeholder, read_text
from trainlint.model.because import Because
from trainlint.model.pool import Taint
from trainlint.source.document import Field

__all__ = [
    "CONTROL_PLANE",
    "CONTROL_PLANE_LABELS",
    "CONTROL_PLANE_TAINT",
    "Registration",
    "parse_labels",
    "parse_taints",
    "read_registration",
]

CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"
CONTROL_PLANE_TAINT: Final = Taint(CONTROL_PLANE)
CONTROL_PLANE_LABELS: Final[Mapping[str, str]] = {
    CONTROL_PLANE: "",
    "node.kubernetes.io/exclude-from-external-load-balancers": "",
}
_REFUSED: Final = ("node-restriction.kubernetes.io/", "node-role.kubernetes.io/")
"""Prefixes of labels that a kubelet may not give itself: NodeRestriction refuses them (S 1.11)."""


@fact
class Registration:
    """Labels and taints that a node registers with; ``taints`` is ``None`` where the file does not say any."""

    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    undetermined: Mapping[str, Because] = field(default_factory=dict)
    taints: tuple[Taint, ...] | None = None

    def taints_of(self, *, control_plane: bool) -> tuple[Taint, ...]:
        """An empty list is none; where nothing is written a control plane is tainted (S 5.62)."""
        if self.taints is None:
            return (CONTROL_PLANE_TAINT,) if control_plane else ()
        return self.taints


def read_registration(registration: Field) -> Registration:
    """``nodeRegistration`` of an InitConfiguration, a JoinConfiguration, or a part of one that patches it."""
    flags = _flags(registration["kubeletExtraArgs"])
    taints: tuple[Taint, ...] | None = None
    if isinstance(registration["taints"].value, list):
        taints = read_taints(registration["taints"])
    if "register-with-taints" in flags:
        text, at = flags["register-with-taints"]
        taints = (*(taints or ()), *parse_taints(text, at))
    labels, left_open = parse_labels(flags["node-labels"][0]) if "node-labels" in flags else ({}, {})
    name = read_text(registration["name"])
    return Registration("" if is_placeholder(name) else name, labels, left_open, taints)


def parse_labels(text: str) -> tuple[dict[str, str], dict[str, Because]]:
    """``key=value,...`` as the kubelet's ``--node-labels`` takes it: labels, and those that are not known."""
    labels: dict[str, str] = {}
    left_open: dict[str, Because] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        key, _, value = part.partition("=")
        if key.startswith(_REFUSED):
            continue
        if is_placeholder(part):
            left_open[key] = Because(PoolGround.LABEL_PLACEHOLDER, (key,))
        else:
            labels[key] = value
    return labels, left_open


def parse_taints(text: str, at: Location | None = None) -> tuple[Taint, ...]:
    """``key=value:Effect,...`` as the kubelet's ``--register-with-taints`` takes it."""
    found = []
    for part in filter(None, (each.strip() for each in text.split(","))):
        head, _, effect = part.rpartition(":")
        key, _, value = head.partition("=")
        if key and effect:
            found.append(Taint(key, value, effect, at=at))
    return tuple(found)


def _flags(arguments: Field) -> dict[str, tuple[str, Location]]:
    """v1beta4 has a list of names and values, v1beta3 a mapping."""
    if arguments.mapping is not None:
        return {name: (read_text(value), value.at) for name, value in arguments.items()}
    return {read_text(each["name"]): (read_text(each["value"]), each.at) for each in arguments.elements()}
