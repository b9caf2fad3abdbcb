"""The form of names and labels (apimachinery:pkg/util/validation). Each function says what is wrong, or nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from trainlint.admission.flaws import FormFlaw
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because

__all__ = ["annotation_key", "csi_driver", "data_key", "env_name", "header_name", "label_key", "label_value"]
__all__ += ["loose_subdomain", "meant_to_be_replaced", "port_name", "rfc1035_label", "rfc1123_label"]
__all__ += ["rfc1123_subdomain", "sysctl_name"]

_LABEL_1123: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_1035: Final = lazy_pattern(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED: Final = lazy_pattern(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_PORT: Final = lazy_pattern(r"[a-z0-9](?:-?[a-z0-9])*")
_DATA_KEY: Final = lazy_pattern(r"[-._a-zA-Z0-9]+")
_HEADER: Final = lazy_pattern(r"[-A-Za-z0-9]+")
_SYSCTL: Final = lazy_pattern(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")
_LOOSE: Final = lazy_pattern(r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*")
_CAPITALS: Final = lazy_pattern(r"(?:^|[-.])[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*(?=$|[-.])")
_LABEL_LIMIT: Final = 63
_SUBDOMAIN_LIMIT: Final = 253
_PORT_LIMIT: Final = 15


@lru_cache(maxsize=4096)
def meant_to_be_replaced(name: str) -> bool:
    """Whether a name holds a placeholder: one of the usual forms, or a word in capitals (``train-JOB_NAME``)."""
    return is_placeholder(name) or _CAPITALS.search(name) is not None


@lru_cache(maxsize=8192)
def rfc1123_label(name: str) -> Because | None:
    """What is wrong with a DNS label (host names, containers, volumes); ``None`` where it is one."""
    if len(name) > _LABEL_LIMIT:
        return Because(FormFlaw.LENGTH, (len(name), _LABEL_LIMIT))
    if _LABEL_1123.fullmatch(name) is None:
        return Because(FormFlaw.LABEL_1123)
    return None


@lru_cache(maxsize=8192)
def rfc1035_label(name: str) -> Because | None:
    """What is wrong with a DNS label that begins with a letter; ``None`` where it is one.

    Services have such names, and jobs that make Services of their own name.
    """
    if len(name) > _LABEL_LIMIT:
        return Because(FormFlaw.LENGTH, (len(name), _LABEL_LIMIT))
    if _LABEL_1035.fullmatch(name) is None:
        return Because(FormFlaw.LABEL_1035)
    return None


@lru_cache(maxsize=8192)
def rfc1123_subdomain(name: str) -> Because | None:
    """What is wrong with the name of most objects; ``None`` where it is one."""
    if len(name) > _SUBDOMAIN_LIMIT:
        return Because(FormFlaw.LENGTH, (len(name), _SUBDOMAIN_LIMIT))
    if _SUBDOMAIN.fullmatch(name) is None:
        return Because(FormFlaw.SUBDOMAIN)
    return None


@lru_cache(maxsize=8192)
def label_key(key: str) -> Because | None:
    """What is wrong with the key of a label, a node selector or a taint, or the name of a resource; ``None`` where it
    is one.
    """
    prefix, slash, name = key.rpartition("/")
    if slash and (wrong := rfc1123_subdomain(prefix) if prefix else Because(FormFlaw.NO_PREFIX)):
        return Because(FormFlaw.PREFIX, (wrong,))
    if not name:
        return Because(FormFlaw.NO_NAME)
    if len(name) > _LABEL_LIMIT:
        return Because(FormFlaw.NAME_LENGTH, (len(name), _LABEL_LIMIT))
    if _QUALIFIED.fullmatch(name) is None:
        return Because(FormFlaw.QUALIFIED)
    return None


def annotation_key(key: str) -> Because | None:
    """What is wrong with the key of an annotation, which is that of a label in any case; ``None`` where it is one."""
    return label_key(key.lower())


@lru_cache(maxsize=8192)
def label_value(value: str) -> Because | None:
    """What is wrong with the value of a label; ``None`` where it is one."""
    if len(value) > _LABEL_LIMIT:
        return Because(FormFlaw.LENGTH, (len(value), _LABEL_LIMIT))
    if value and _QUALIFIED.fullmatch(value) is None:
        return Because(FormFlaw.QUALIFIED)
    return None


@lru_cache(maxsize=4096)
def port_name(name: str) -> Because | None:
    """What is wrong with the name of a container port (an IANA service name); ``None`` where it is one."""
    if len(name) > _PORT_LIMIT:
        return Because(FormFlaw.LENGTH, (len(name), _PORT_LIMIT))
    if _PORT.fullmatch(name) is None or not any(each.isalpha() for each in name):
        return Because(FormFlaw.PORT)
    return None


@lru_cache(maxsize=4096)
def env_name(name: str) -> Because | None:
    """What is wrong with the name of an environment variable; ``None`` where some release takes it (1.32 and newer take
    more).
    """
    if "=" in name or not name.isascii() or not name.isprintable():
        return Because(FormFlaw.VARIABLE)
    return None


@lru_cache(maxsize=4096)
def data_key(key: str) -> Because | None:
    """What is wrong with a key of a ConfigMap or Secret; ``None`` where it is one."""
    if len(key) > _SUBDOMAIN_LIMIT:
        return Because(FormFlaw.LENGTH, (len(key), _SUBDOMAIN_LIMIT))
    if _DATA_KEY.fullmatch(key) is None or key == "." or key.startswith(".."):
        return Because(FormFlaw.DATA_KEY)
    return None


def header_name(name: str) -> Because | None:
    """What is wrong with the name of an HTTP header; ``None`` where it is one."""
    return None if _HEADER.fullmatch(name) else Because(FormFlaw.HEADER)


def sysctl_name(name: str) -> Because | None:
    """What is wrong with the name of a kernel setting; ``None`` where it is one."""
    if len(name) > _SUBDOMAIN_LIMIT:
        return Because(FormFlaw.LENGTH, (len(name), _SUBDOMAIN_LIMIT))
    return None if _SYSCTL.fullmatch(name) else Because(FormFlaw.SYSCTL)


def loose_subdomain(name: str) -> Because | None:
    """What is wrong with a domain to search, in which underscores and a dot at the end are taken; ``None`` where it is
    one (before 1.33 only without underscores).
    """
    bare = name.removesuffix(".")
    if len(bare) > _SUBDOMAIN_LIMIT:
        return Because(FormFlaw.LENGTH, (len(bare), _SUBDOMAIN_LIMIT))
    return None if name == "." or _LOOSE.fullmatch(bare) else Because(FormFlaw.SUBDOMAIN)


def csi_driver(name: str) -> Because | None:
    """What is wrong with the name of a CSI driver; ``None`` where it is one."""
    if len(name) > _LABEL_LIMIT:
        return Because(FormFlaw.LENGTH, (len(name), _LABEL_LIMIT))
    return rfc1123_subdomain(name.lower())
