"""Volumes of a pod."""

from __future__ import annotations

from trainlint.kube.values import known_text, read_strings, read_text
from trainlint.model.pod import Volume
from trainlint.source.document import Field

__all__ = ["read_claim_templates", "read_volumes"]


def read_volumes(volumes: Field) -> tuple[Volume, ...]:
    """The ``volumes`` of a pod spec."""
    return tuple(_volume(element) for element in volumes.elements() if element.mapping is not None)


def _volume(volume: Field) -> Volume:
    kind = next((key for key, value in volume.items() if key != "name" and value.present), "")
    source = volume[kind]
    name = read_text(volume["name"])
    match kind:
        case "persistentVolumeClaim":
            return Volume(name, kind, read_text(source["claimName"]), source["readOnly"].value is True, at=volume.at)
        case "ephemeral":
            return _claimed(name, source.down("volumeClaimTemplate", "spec"), volume)
        case "emptyDir":
            limit = known_text(source["sizeLimit"]) if source["sizeLimit"].present else ""
            return Volume(name, kind, medium=read_text(source["medium"]), size_limit=limit, at=volume.at)
        case _:
            return Volume(
                name, kind, read_only=source["readOnly"].value is True, disk=_disk(kind, source), at=volume.at
            )


def read_claim_templates(templates: Field) -> tuple[Volume, ...]:
    """The ``volumeClaimTemplates`` of a StatefulSet: each pod has a claim of its own, as of an ephemeral volume."""
    return tuple(
        _claimed(read_text(template.down("metadata", "name")), template["spec"], template)
        for template in templates.elements()
        if template.mapping is not None
    )


def _claimed(name: str, claim: Field, written: Field) -> Volume:
    return Volume(
        name,
        "ephemeral",
        storage_class=claim["storageClassName"].scalar,
        access_modes=read_strings(claim["accessModes"]),
        at=written.at,
    )


def _disk(kind: str, source: Field) -> tuple[str, ...]:
    match kind:
        case "gcePersistentDisk":
            return (read_text(source["pdName"]),)
        case "awsElasticBlockStore":
            return (read_text(source["volumeID"]),)
        case "azureDisk":
            return (read_text(source["diskName"]),)
        case "iscsi":
            return (read_text(source["iqn"]),)
        case "rbd":
            pool = read_text(source["pool"]) or "rbd"
            return (read_text(source["image"]), pool, *read_strings(source["monitors"]))
        case "csi" | "hostPath" | "nfs":
            return tuple(read_text(source[key]) for key in ("driver", "path", "server") if source[key].present)
        case _:
            return ()
