"""What a pod's annotations attach it to: Multus in both forms, and GKE's interfaces (N 3.2, 3.3)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from trainlint.fabric.ground import AttachmentGround
from trainlint.fact import fact
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined

__all__ = ["GKE_ANNOTATION", "MULTUS_ANNOTATION", "Attachment", "gke_interfaces", "multus_attachments"]

MULTUS_ANNOTATION: Final = "k8s.v1.cni.cncf.io/networks"
GKE_ANNOTATION: Final = "networking.gke.io/interfaces"
_NAME: Final = lazy_pattern(r"^(?:([^/@\s]+)/)?([^/@\s]+)(?:@([^/@\s]+))?$")


@fact
class Attachment:
    """One network of a pod: the network's namespace (empty for cluster-wide ones) and name, the interface's name."""

    namespace: str
    network: str
    interface: str


def multus_attachments(annotations: Mapping[str, str], namespace: str) -> Known[tuple[Attachment, ...]]:
    """The networks of Multus' annotation, in order; interfaces without a name are net1, net2, ... by their position."""
    text = annotations.get(MULTUS_ANNOTATION, "")
    if is_placeholder(text):
        return Undetermined(Because(AttachmentGround.ANNOTATION_PLACEHOLDER, (MULTUS_ANNOTATION, repr(text.strip()))))
    found = _of_json(text, namespace) if set(text) & set('[{"') else _of_list(text, namespace)
    if found is None:
        return Undetermined(Because(AttachmentGround.UNREADABLE, (MULTUS_ANNOTATION,)))
    return found


def _of_list(text: str, namespace: str) -> tuple[Attachment, ...] | None:
    found: list[Attachment] = []
    for item in (item.strip() for item in text.split(",")):
        if not item:
            continue
        match = _NAME.match(item)
        if match is None:
            return None
        found.append(Attachment(match[1] or namespace, match[2], match[3] or f"net{len(found) + 1}"))
    return tuple(found)


def _of_json(text: str, namespace: str) -> tuple[Attachment, ...] | None:
    listed = _list(text)
    if listed is None:
        return None
    found: list[Attachment] = []
    for item in listed:
        name = item.get("name")
        if not isinstance(name, str):
            return None
        own, interface = item.get("namespace"), item.get("interface") or item.get("interfaceRequest")
        found.append(
            Attachment(
                own if isinstance(own, str) and own else namespace,
                name,
                interface if isinstance(interface, str) and interface else f"net{len(found) + 1}",
            )
        )
    return tuple(found)


def gke_interfaces(annotations: Mapping[str, str]) -> Known[tuple[Attachment, ...]]:
    """The interfaces of GKE's annotation: where it is there, the pod has exactly these."""
    text = annotations.get(GKE_ANNOTATION, "")
    if not text.strip():
        return ()
    if is_placeholder(text):
        return Undetermined(Because(AttachmentGround.PLACEHOLDER, (GKE_ANNOTATION,)))
    listed = _list(text)
    if listed is None or not all(isinstance(item.get("interfaceName"), str) for item in listed):
        return Undetermined(Because(AttachmentGround.UNREADABLE, (GKE_ANNOTATION,)))
    return tuple(Attachment("", str(item.get("network", "")), item["interfaceName"]) for item in listed)


def _list(text: str) -> list[dict[str, Any]] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return None
    return value
