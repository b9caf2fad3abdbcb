"""What is said of the way of one object through its queue."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.questions.argument.step import Statement
from trainlint.wording.texts.argument import Phrase

__all__ = ["QueueWay"]


@fact
class QueueWay:
    """The way of one object through its queue; ``verdict`` is ADMITTED, NEVER_ADMITTED or ADMITTED_IF."""

    verdict: Phrase
    said: Statement
