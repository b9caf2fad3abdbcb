"""Syntax of label keys and values: Kubernetes' own, and what Cilium makes of keys with a source."""

from __future__ import annotations

from functools import lru_cache

from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.selector import LabelSelector
from trainlint.policy.options import Version
from trainlint.policy.selector import split_source

__all__ = ["cilium_key_problem", "convertible", "key_problem", "value_problem"]

_NAME = lazy_pattern(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN = lazy_pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SOURCE = lazy_pattern(r"[A-Za-z0-9]+")


@lru_cache(maxsize=8192)
def key_problem(key: str) -> str:
    """Why Kubernetes takes the text for no label key; empty where it does."""
    prefix, slash, name = key.rpartition("/")
    if slash:
        if "/" in prefix:
            return "a label key has at most one slash"
        if not prefix:
            return "the part before the slash is empty"
        if len(prefix) > 253 or not _SUBDOMAIN.fullmatch(prefix):
            return "the part before the slash is no DNS name in lower case"
    if not name:
        return "the name is empty"
    if len(name) > 63:
        return "the name has more than 63 characters"
    if not _NAME.fullmatch(name):
        return "a name holds letters, digits, '-', '_' and '.', and begins and ends with a letter or digit"
    return ""


@lru_cache(maxsize=8192)
def value_problem(value: str) -> str:
    """Why Kubernetes takes the text for no label value; empty where it does."""
    if len(value) > 63:
        return "a label value has at most 63 characters"
    if value and not _NAME.fullmatch(value):
        return "a label value holds letters, digits, '-', '_' and '.', and begins and ends with a letter or digit"
    return ""


@lru_cache(maxsize=8192)
def cilium_key_problem(key: str, version: Version, source: str = "any") -> str:
    """Why Cilium refuses a key, with or without a source before it.

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
        return "a key has one ':' at most, between the source and the rest"
    if not _SOURCE.fullmatch(given):
        return "the source before the ':' holds letters and digits only, and is not empty"
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
