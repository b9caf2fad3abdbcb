"""ConfigMaps and Secrets: their keys and their size (kubernetes:pkg/apis/core/validation)."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as DecodeError
from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw
from trainlint.admission.fields import refused
from trainlint.admission.name_syntax import data_key, meant_to_be_replaced
from trainlint.admission.plain_values import below, mapping, text
from trainlint.admission.problem import Problem

__all__ = ["of_config_map", "of_secret"]

_MOST_BYTES: Final = 1024 * 1024
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
"""Keys without which a Secret of a type is refused."""
_BASIC: Final = ("username", "password")
_OF_ACCOUNT: Final = "kubernetes.io/service-account-token"
_ACCOUNT: Final = "kubernetes.io/service-account.name"


def of_config_map(item: Any) -> Iterator[Problem]:
    """What is refused of a ConfigMap."""
    both = {key: mapping(item.get(key)) for key in ("data", "binaryData")}
    for key, values in both.items():
        yield from _keys(values, key)
    for key in both["data"]:
        if key in both["binaryData"]:
            yield refused(("data", key), FieldFlaw.EXCLUDES, f"binaryData.{key}")
    size = sum(len(text(value).encode()) for value in both["data"].values())
    size += sum(map(_decoded, both["binaryData"].values()))
    if size > _MOST_BYTES:
        yield refused(("data" if both["data"] else "binaryData",), FieldFlaw.TOTAL_SIZE, size, _MOST_BYTES)


def of_secret(item: Any) -> Iterator[Problem]:
    """What is refused of a Secret; one whose data another tool fills in has none."""
    data, plain = mapping(item.get("data")), mapping(item.get("stringData"))
    yield from _keys(data, "data")
    yield from _keys(plain, "stringData")
    sizes = {key: _decoded(value) for key, value in data.items()}
    sizes |= {key: len(text(value).encode()) for key, value in plain.items()}
    if sum(sizes.values()) > _MOST_BYTES:
        yield refused(("data" if data else "stringData",), FieldFlaw.TOTAL_SIZE, sum(sizes.values()), _MOST_BYTES)
    if item.get("type") == _OF_ACCOUNT and not below(item, "metadata", "annotations", _ACCOUNT):
        yield refused(("metadata",), FieldFlaw.MISSING, _ACCOUNT, key="annotations", where=_OF_ACCOUNT)
    kind, holder = text(item.get("type")), ("data",) if "data" in item else ("stringData",) if plain else ()
    if not sizes or any(map(meant_to_be_replaced, sizes)):
        return
    for key in _NEEDED.get(kind, ()):
        if key not in sizes:
            yield refused(holder, FieldFlaw.MISSING, key, key=key, where=kind)
    if kind == "kubernetes.io/basic-auth" and not any(key in sizes for key in _BASIC):
        yield refused(holder, FieldFlaw.MISSING, _BASIC[0], key=_BASIC[0], where=kind)


def _keys(values: Mapping[str, Any], holder: str) -> Iterator[Problem]:
    for key in values:
        if isinstance(key, str) and not meant_to_be_replaced(key) and (wrong := data_key(key)):
            yield refused((holder, key), FieldFlaw.KEY_OF_DATA, wrong, where=key)


def _decoded(value: Any) -> int:
    """The size of a value that is written in base64; 0 where it is none, which the schema tells."""
    written = text(value)
    try:
        return len(b64decode(written, validate=True)) if len(written) > _MOST_BYTES // 16 else len(written) * 3 // 4
    except (DecodeError, ValueError):
        return 0
