"""Custom objects of which controllers make Secrets: the names of these, and their keys where the object says all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.kube.values import read_text
from trainlint.snapshot.objects import ApiObject
from trainlint.source.document import Field

__all__ = ["EVERYWHERE", "keys_of_made", "made_names"]

_EACH: Final = "*"
_MAKERS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "AzureKeyVaultSecret": (("spec", "output", "secret", "name"),),
    "BitwardenSecret": (("spec", "secretName"),),
    "Certificate": (("spec", "secretName"),),
    "DopplerSecret": (("spec", "managedSecret", "name"),),
    "ExternalSecret": (("spec", "target", "name"),),
    "HCPVaultSecretsApp": (("spec", "destination", "name"),),
    "InfisicalSecret": (
        ("spec", "managedSecretReference", "secretName"),
        ("spec", "managedKubeSecretReferences", _EACH, "secretName"),
    ),
    "ObjectBucketClaim": (),
    "OnePasswordItem": (),
    "SealedSecret": (("spec", "template", "metadata", "name"),),
    "SecretProviderClass": (("spec", "secretObjects", _EACH, "secretName"),),
    "SopsSecret": (("spec", "secretTemplates", _EACH, "name"),),
    "VaultDynamicSecret": (("spec", "destination", "name"),),
    "VaultPKISecret": (("spec", "destination", "name"),),
    "VaultSecret": (),
    "VaultStaticSecret": (("spec", "destination", "name"),),
}
"""Kinds that make Secrets in their namespace, and where they name these; else the Secret has their own name."""
EVERYWHERE: Final = frozenset({"Bundle", "ClusterExternalSecret", "ClusterSPIFFEID"})
"""Kinds that make Secrets or ConfigMaps in several namespaces."""


def made_names(each: ApiObject) -> tuple[str, ...]:
    """The names of the Secrets that a controller makes of an object; none for other kinds."""
    if each.meta.kind not in _MAKERS:
        return ()
    places = (field for path in _MAKERS[each.meta.kind] for field in _at(each.field, path))
    return tuple(filter(None, map(read_text, places))) or (each.meta.name,)


def _at(field: Field, path: tuple[str, ...]) -> Iterator[Field]:
    if not path:
        yield field
    elif path[0] == _EACH:
        for each in field.elements():
            yield from _at(each, path[1:])
    else:
        yield from _at(field[path[0]], path[1:])


def keys_of_made(each: ApiObject, name: str) -> frozenset[str] | None:
    """The keys that the Secret of a name made of an object has; ``None`` where the object does not say all of them."""
    spec = each.field["spec"]
    match each.meta.kind:
        case "SealedSecret":
            keys = {key for key, _ in (*spec["encryptedData"].items(), *spec.down("template", "data").items())}
            return frozenset(keys) or None
        case "ExternalSecret":
            return _of_external(spec)
        case "SecretProviderClass":
            found = [one for one in spec["secretObjects"].elements() if read_text(one["secretName"]) == name]
            return frozenset(read_text(key["key"]) for one in found for key in one["data"].elements()) or None
    return None


def _of_external(spec: Field) -> frozenset[str] | None:
    """The keys of what External Secrets makes: those of the template, if it has some, else those of ``data``."""
    target = spec["target"]
    template = target["template"]
    if read_text(target["creationPolicy"]) in ("Merge", "None") or template["templateFrom"].present:
        return None
    written = frozenset(key for key, _ in template["data"].items())
    if written and read_text(template["mergePolicy"]) != "Merge":
        return written
    if spec["dataFrom"].present or spec["data"].value in (None, []):
        return None
    return written | frozenset(read_text(one["secretKey"]) for one in spec["data"].elements()) or None
