"""What the programs that render may take of one run together, so that no repository stalls it."""

from __future__ import annotations

from threading import Lock
from typing import Final

__all__ = ["BUILDS", "MOST_SECONDS", "STARTS", "RenderingAllowance"]

STARTS: Final = 250
"""Kustomizations, or releases of charts, that are rendered in one run; the largest public repositories have 230."""
BUILDS: Final = 6_000
"""Kustomizations that are built for them, each as often as others name it: a thousandth of a second each."""

MOST_SECONDS: Final = 10.0
"""Seconds of the processor for one of them at most, and for each MiB that it reads twelve more."""
SPARE_SECONDS: Final = 12.0
EACH_SECONDS: Final = 0.2
MIB_SECONDS: Final = 12.0
SIZE_SECONDS: Final = 60.0
"""Seconds of the processor for all together: the first, the second for each that is begun, the third for each MiB that
they read, up to the fourth.
"""


class RenderingAllowance:
    """What may be begun yet; two threads may ask for it at once. Sizes are in bytes, of what is read."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.renew()

    def renew(self) -> None:
        """Allow as much again: for what is tried after all was read."""
        with self._lock:
            self._starts = self._builds = 0
            self._seconds = SPARE_SECONDS
            self._for_sizes = SIZE_SECONDS

    def refusal(self, builds: int = 1, size: int = 0) -> str:
        """Take one start with so many builds: empty, or why it may not be begun."""
        with self._lock:
            if self._starts >= STARTS:
                return f"it was not tried: {STARTS:,} were rendered before it, and no more are in one run"
            if self._builds + builds > BUILDS:
                return f"it was not tried: with it, more than {BUILDS:,} kustomizations would be built in one run"
            more = min(_for_size(size), self._for_sizes)
            self._starts += 1
            self._builds += builds
            self._for_sizes -= more
            self._seconds += EACH_SECONDS + more
        return ""

    def begin(self, size: int = 0) -> float:
        """The seconds of the processor that a program may take which is started now; none where they are used up."""
        with self._lock:
            return max(0.0, min(MOST_SECONDS + _for_size(size), self._seconds))

    def end(self, seconds: float) -> None:
        """Take away what a program took."""
        with self._lock:
            self._seconds -= seconds


def _for_size(size: int) -> float:
    return MIB_SECONDS * size / (1 << 20)
