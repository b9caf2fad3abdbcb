"""What refuses pods that limits or quotas keep from being made, in words."""

from __future__ import annotations

from trainlint.queues.quota import QuotaCause

__all__ = ["refuser"]


def refuser(cause: QuotaCause) -> str:
    """The object that refuses them."""
    return "a LimitRange" if cause.quota is None else str(cause.quota)
