"""What an expression comes to."""

from __future__ import annotations

from typing import Any

from trainlint.fact import fact

__all__ = ["Evaluation"]


@fact
class Evaluation:
    """The value of an expression; or, with ``error``, why Kubernetes fails to evaluate it; or, with ``unknown``, why it
    cannot be said here what Kubernetes makes of it.

    ``invalid`` says that the error is one of the expression itself, which the API server refuses where it is written.
    ``function`` says that it is unknown for a function that no Kubernetes has up to the version that is known here.
    """

    value: Any = None
    error: str = ""
    unknown: str = ""
    invalid: bool = False
    function: bool = False

    @property
    def decided(self) -> bool:
        """Whether there is a value."""
        return not (self.error or self.unknown)
