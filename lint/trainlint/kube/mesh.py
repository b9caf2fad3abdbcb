"""Istio's PeerAuthentication: which connections the proxies of pods accept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.kube.meta import read_labels, read_meta
from trainlint.kube.values import read_text
from trainlint.source.document import Field

__all__ = ["MESH_KINDS", "PeerAuthentication", "read_peer_authentication"]

MESH_KINDS: Final = frozenset({"PeerAuthentication"})
_GROUP: Final = "security.istio.io"


@fact
class PeerAuthentication:
    """One object: ``labels`` of the pods it is for (none: all of its namespace), its mode and that of single ports."""

    name: str
    namespace: str
    labels: Mapping[str, str]
    mode: str
    ports: Mapping[str, str]
    at: Location


def read_peer_authentication(item: Field) -> PeerAuthentication | None:
    """The object at the cursor; ``None`` where it is of another kind. A mode that is unset is empty."""
    meta, spec = read_meta(item), item["spec"]
    if meta.kind not in MESH_KINDS or meta.api_group != _GROUP:
        return None
    return PeerAuthentication(
        meta.name,
        meta.namespace or "default",
        read_labels(spec.down("selector", "matchLabels")),
        _mode(spec["mtls"]),
        {port: _mode(value) for port, value in spec["portLevelMtls"].items()},
        spec.down("mtls", "mode").at if spec.down("mtls", "mode").present else spec.at,
    )


def _mode(field: Field) -> str:
    text = read_text(field["mode"]).upper()
    return "" if text == "UNSET" else text
