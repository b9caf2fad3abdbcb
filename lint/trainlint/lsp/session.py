"""One root that is linted: a folder of the workspace, or a file outside of all folders."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from pathlib import Path

from lsprotocol.types import Diagnostic

from trainlint.engine.observation import Observation, look
from trainlint.finding import UsageError
from trainlint.lsp.diagnostics import diagnostics
from trainlint.lsp.positions import Texts
from trainlint.lsp.runner import Runner
from trainlint.result import Repair

__all__ = ["Session"]


class Session:
    """Remembers what was seen last. ``tell`` shows a message (text, and what to log), ``changed`` publishes."""

    def __init__(
        self,
        root: Path,
        changed: Callable[[], None],
        tell: Callable[[str, str], None],
        turn: asyncio.Semaphore,
    ) -> None:
        self.root = root
        self.seen: Observation | None = None
        self.diagnostics: dict[str, list[Diagnostic]] = {}
        self._changed, self._tell = changed, tell
        self._told = ""
        self._repairs: dict[frozenset[str], tuple[Repair, ...]] = {}
        self._searching = asyncio.Lock()
        self._runner: Runner[tuple[Observation, dict[str, list[Diagnostic]]]] = Runner(
            self._look, self._done, self._failed, turn
        )

    def request(self) -> None:
        """Look again."""
        self._runner.request()

    async def stop(self) -> None:
        """Look no more."""
        await self._runner.stop()

    async def repairs(self, wanted: frozenset[str]) -> tuple[Repair, ...]:
        """What fixes findings that were seen last; searched for once, in a thread."""
        async with self._searching:
            seen = self.seen
            if seen is None:
                return ()
            if wanted not in self._repairs:
                try:
                    found = await asyncio.to_thread(seen.repairs, wanted)
                except Exception as error:
                    self._failed(error)
                    found = ()
                if seen is not self.seen:
                    return found
                self._repairs[wanted] = found
            return self._repairs[wanted]

    def covers(self, path: Path) -> bool:
        """Whether a file is a part of what is linted here."""
        return path == self.root or path.is_relative_to(self.root)

    def _look(self, progress: Callable[[str, int, int], None]) -> tuple[Observation, dict[str, list[Diagnostic]]]:
        seen = look([self.root], progress)
        return seen, diagnostics(seen, Texts(Path(seen.root), self.root))

    def _done(self, found: tuple[Observation, dict[str, list[Diagnostic]]]) -> None:
        self.seen, self.diagnostics = found
        self._repairs.clear()
        broken = "; ".join(f"the rule {each.rule} broke: {each.message}" for each in self.seen.failures)
        self._say(f"{broken}: its findings are missing" if broken else "", broken)
        self._changed()

    def _failed(self, error: Exception) -> None:
        if isinstance(error, UsageError):
            self._say(f"{error} (what is shown is from before)", str(error))
            return
        text = " ".join(f"{type(error).__name__}: {error}".split())
        details = "".join(traceback.format_exception(error))
        self._say(f"internal error: {text}. What is shown is from before; saving a file tries again", details)

    def _say(self, text: str, details: str) -> None:
        """Show a message, the same one only once."""
        if text and text != self._told:
            self._tell(f"trainlint: {self.root.name}: {text}", details)
        self._told = text
