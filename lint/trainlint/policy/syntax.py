"""Syntax of label keys and values: Kubernetes' own, and what Cilium makes of keys with a source."""

from __future__ import annotations

from functools import lru_cache

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.selector import LabelSelector
from trainlint.policy.options import Version
from trainlint.policy.rejection_ground import RejectionGround
from trainlint.policy.selector import split_source

__all__ = ["cilium_key_problem", "convertible", "key_problem", "value_problem"]

_NAME = lazy_pattern(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SOURCE = lazy_pattern(r"[A-Za-z0-9]+")


@lru_cache(maxsize=8192)
def key_problem(key: str) -> Because | None:
    """Why Kubernetes takes the text for no label key; ``None`` where it does."""
    prefix, slash, name = key.rpartition("/")
    if slash:
        if "/" in prefix:
            return Because(RejectionGround.KEY_SLASHES)
        if not prefix:
            return Because(RejectionGround.EMPTY_KEY_PREFIX)
        if len(prefix) > 253 or not _SUBDOMAIN.fullmatch(prefix):
            return Because(RejectionGround.KEY_PREFIX)
    if not name:
        return Because(RejectionGround.EMPTY_LABEL_NAME)
    if len(name) > 63:
        return Because(RejectionGround.LABEL_NAME_LENGTH)
    if not _NAME.fullmatch(name):
        return Because(RejectionGround.LABEL_NAME)
    return None


@lru_cache(maxsize=8192)
def value_problem(value: str) -> Because | None:
    """Why Kubernetes takes the text for no label value; ``None`` where it does."""
    if len(value) > 63:
        return Because(RejectionGround.LABEL_VALUE_LENGTH)
    if value and not _NAME.fullmatch(value):
        return Because(RejectionGround.LABEL_VALUE)
    return None


@lru_cache(maxsize=8192)
def cilium_key_problem(key: str, version: Version, source: str = "any") -> Because | None:
    """Why Cilium refuses a key, with or without a source before it; ``None`` where it takes it.

    Up to 1.19 the key was checked in the form ``source.key``, which takes leading '-' and '_' and is longer by the
    source; 1.20 checks source and key apart (C:pkg/labels/validation.go).
    """
    if version < (1, 20, 0):
        given, rest = split_source(key)
        return key_problem(f"{given or source}.{rest.partition('=')[0]}")
    given, colon, rest = key.partition(":")
    if not colon:
        return key_problem(key)
    if ":" in rest:
        return Because(RejectionGround.KEY_COLONS)
    if not _SOURCE.fullmatch(given):
        return Because(RejectionGround.KEY_SOURCE)
    return key_problem(rest)


def convertible(selector: LabelSelector, version: Version) -> bool:
    """Whether the engine can convert a selector whose keys have sources (up to 1.19; P 10.10)."""
    for item in selector.requirements:
        if cilium_key_problem(item.key, version) or any(value_problem(value) for value in item.values):
            return False
        wants_values = item.operator in ("In", "NotIn")
        if item.operator not in ("In", "NotIn", "Exists", "DoesNotExist") or wants_values != bool(item.values):
            return False
    return True
