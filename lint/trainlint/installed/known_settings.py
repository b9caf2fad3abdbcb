"""What is known of a cluster's settings once its manifests were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trainlint.fact import fact
from trainlint.finding import Unknown
from trainlint.model.because import Because
from trainlint.model.settings import Settings
from trainlint.source.document import Field

__all__ = ["KnownSettings"]


@fact
class KnownSettings:
    """``settings`` with what was read, ``read`` says where, by the names of settings."""

    settings: Settings
    read: Mapping[str, Field] = field(default_factory=dict)
    unknowns: tuple[Unknown, ...] = ()
    assumes: tuple[Because, ...] = ()
