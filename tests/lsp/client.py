"""An editor: pygls' own client, speaking to a server that runs as editors run it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

__all__ = ["Editor", "converse", "uri"]

PATIENCE = 60.0
SETTLE = 1.5
"""Seconds in which nothing more is expected; longer than the server waits before it looks."""


def uri(path: Path) -> str:
    return path.as_uri()


class Editor:
    """What an editor has heard: the last diagnostics of each file, and every message."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.diagnostics: dict[str, Sequence[types.Diagnostic]] = {}
        self.published = 0
        self.messages: list[str] = []
        self.logged: list[str] = []
        self._news = asyncio.Event()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(parameters: types.PublishDiagnosticsParams) -> None:
            self.diagnostics[parameters.uri] = parameters.diagnostics
            self.published += 1
            self._news.set()

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def show(parameters: types.ShowMessageParams) -> None:
            self.messages.append(parameters.message)
            self._news.set()

        @client.feature(types.WINDOW_LOG_MESSAGE)
        def log(parameters: types.LogMessageParams) -> None:
            self.logged.append(parameters.message)
            self._news.set()

    async def until(self, met: Callable[[], object]) -> None:
        """Wait for something that the server says."""
        async with asyncio.timeout(PATIENCE):
            while not met():
                self._news.clear()
                await self._news.wait()

    async def quiet(self) -> None:
        """Wait until nothing more can come of what was said."""
        await asyncio.sleep(SETTLE)

    def rules(self, path: Path) -> list[str]:
        return sorted(str(each.code) for each in self.diagnostics.get(uri(path), ()))

    def open(self, path: Path) -> None:
        item = types.TextDocumentItem(uri(path), "yaml", 1, path.read_text(encoding="utf-8"))
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def save(self, path: Path) -> None:
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri(path))))

    def close(self, path: Path) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri(path))))

    async def actions(self, path: Path, rule: str) -> list[types.CodeAction]:
        """What is offered for the diagnostics of a rule in a file."""
        about = [each for each in self.diagnostics[uri(path)] if each.code == rule]
        context = types.CodeActionContext(about)
        name = types.TextDocumentIdentifier(uri(path))
        found = await self.client.text_document_code_action_async(types.CodeActionParams(name, about[0].range, context))
        return [each for each in found or () if isinstance(each, types.CodeAction)]

    def apply(self, action: types.CodeAction) -> None:
        """Make the edits of an action in the files, as an editor that saves them does."""
        assert action.edit is not None
        assert action.edit.changes is not None
        for name, edits in action.edit.changes.items():
            path = Path(name.removeprefix("file://"))
            lines = path.read_text(encoding="utf-8").split("\n")
            for edit in sorted(
                edits, key=lambda each: (each.range.start.line, each.range.start.character), reverse=True
            ):
                start, end = edit.range.start, edit.range.end
                head, tail = lines[start.line][: start.character], lines[end.line][end.character :]
                lines[start.line : end.line + 1] = f"{head}{edit.new_text}{tail}".split("\n")
            path.write_text("\n".join(lines), encoding="utf-8")

    async def hover(self, path: Path, line: int, character: int) -> str:
        """What is shown at a place (from 0); empty if nothing."""
        place = types.HoverParams(types.TextDocumentIdentifier(uri(path)), types.Position(line, character))
        found = await self.client.text_document_hover_async(place)
        return "" if found is None else str(getattr(found.contents, "value", ""))


def converse(
    talk: Callable[[Editor], Awaitable[None]],
    *folders: Path,
    environment: dict[str, str] | None = None,
    arguments: Sequence[str] = ("-m", "trainlint", "lsp"),
) -> int | None:
    """Open an editor with these folders, talk, close it; the exit code of the server."""
    return asyncio.run(_converse(talk, folders, environment, arguments))


async def _converse(
    talk: Callable[[Editor], Awaitable[None]],
    folders: Sequence[Path],
    environment: dict[str, str] | None,
    arguments: Sequence[str],
) -> int | None:
    client = LanguageClient("test", "1")
    editor = Editor(client)
    options: dict[str, Any] = {} if environment is None else {"env": environment}
    await client.start_io(sys.executable, *arguments, **options)
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True)
        ),
        workspace=types.WorkspaceClientCapabilities(workspace_folders=True),
    )
    named = [types.WorkspaceFolder(uri(folder), folder.name) for folder in folders]
    parameters = types.InitializeParams(capabilities=capabilities, workspace_folders=named or None)
    async with asyncio.timeout(PATIENCE):
        await client.initialize_async(parameters)
    client.initialized(types.InitializedParams())
    try:
        await talk(editor)
    finally:
        async with asyncio.timeout(PATIENCE):
            await client.shutdown_async(None)
            client.exit(None)
            server = client._server
            code = await server.wait() if server is not None else None
        await client.stop()
    return code
