"""What a reporter may be told."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Severity

__all__ = ["Options"]


@fact
class Options:
    """How to write: ``width`` in columns; ``quiet`` leaves out all but the findings; formats ignore what they lack.

    ``verbose`` folds nothing: it shows every unknown and every assumption. ``screen`` says that a terminal reads it.
    ``fail_on`` is the least severity that fails the run.
    """

    color: bool = False
    screen: bool = False
    width: int = 80
    quiet: bool = False
    show_suppressed: bool = False
    verbose: bool = False
    fail_on: Severity = Severity.ERROR
