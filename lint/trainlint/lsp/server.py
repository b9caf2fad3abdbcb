"""The server: which roots are linted, and when; what editors ask for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from trainlint import __version__
from trainlint.lsp.actions import actions, identity
from trainlint.lsp.hover import hover
from trainlint.lsp.positions import Texts, path_of, same
from trainlint.lsp.session import Session

__all__ = ["Server", "serve"]

WATCHED: Final = ("**/*.{yaml,yml,json}", "**/kustomization", "**/Kustomization")


class Server(LanguageServer):
    """A language server with one session for each folder of the workspace.

    A file outside of all folders is linted by itself: its world is its repository, and only it is reported on. Buffers
    count once they are saved: what is not on the disk is not what would be merged.
    """

    def __init__(self) -> None:
        super().__init__("trainlint", __version__)
        self.sessions: dict[Path, Session] = {}
        self._published: set[str] = set()
        self._turn = asyncio.Semaphore(1)

    def follow(self, root: Path) -> Session:
        """The session of a root, begun if there is none."""
        if root not in self.sessions:
            self.sessions[root] = Session(root, self.publish, self.tell, self._turn)
            self.sessions[root].request()
        return self.sessions[root]

    async def leave(self, root: Path) -> None:
        """End the session of a root, and take its diagnostics away."""
        session = self.sessions.pop(root, None)
        if session is not None:
            await session.stop()
            self.publish()

    def publish(self) -> None:
        """Send the diagnostics of all sessions, and none for files that have none any more."""
        found: dict[str, list[types.Diagnostic]] = {}
        for session in self.sessions.values():
            for uri, each in session.diagnostics.items():
                known = found.setdefault(uri, [])
                known += [one for one in each if one not in known]
        for uri in sorted({*found, *self._published}):
            parameters = types.PublishDiagnosticsParams(uri, found.get(uri, []))
            self.text_document_publish_diagnostics(parameters)
        self._published = set(found)

    def unsaved(self) -> bool:
        """Whether an open buffer is another than its file."""
        return any(
            path is not None and path.is_file() and not same(path, document.source)
            for uri, document in self.workspace.text_documents.items()
            for path in (path_of(uri),)
        )

    def tell(self, text: str, details: str) -> None:
        """Show a message, and log the details."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, details))

    def covering(self, path: Path) -> list[Session]:
        """The sessions that a file belongs to."""
        return [session for session in self.sessions.values() if session.covers(path)]


def initialized(server: Server, parameters: types.InitializedParams) -> None:
    """Lint every folder."""
    workspace = server.workspace
    for uri in workspace.folders or ([workspace.root_uri] if workspace.root_uri else []):
        if (root := path_of(uri)) is not None:
            server.follow(root)
    _watch(server)


def opened(server: Server, parameters: types.DidOpenTextDocumentParams) -> None:
    """Lint a file that is outside of all folders; the others are linted already."""
    path = path_of(parameters.text_document.uri)
    if path is not None and not server.covering(path):
        server.follow(path)


def saved(server: Server, parameters: types.DidSaveTextDocumentParams) -> None:
    """Lint what the file belongs to."""
    if (path := path_of(parameters.text_document.uri)) is not None:
        for session in server.covering(path) or [server.follow(path)]:
            session.request()


async def closed(server: Server, parameters: types.DidCloseTextDocumentParams) -> None:
    """Forget a file that was linted by itself."""
    path = path_of(parameters.text_document.uri)
    if path is not None and path in server.sessions and not path.is_dir():
        await server.leave(path)


def changed(server: Server, parameters: types.DidChangeWatchedFilesParams) -> None:
    """Lint the folders in which something changed outside of the editor."""
    paths = [path for each in parameters.changes if (path := path_of(each.uri)) is not None]
    for session in {session for path in paths for session in server.covering(path)}:
        session.request()


async def refolded(server: Server, parameters: types.DidChangeWorkspaceFoldersParams) -> None:
    """Lint the folders that are new, and forget those that are gone."""
    for each in parameters.event.removed:
        if (root := path_of(each.uri)) is not None:
            await server.leave(root)
    for each in parameters.event.added:
        if (root := path_of(each.uri)) is not None:
            server.follow(root)


def hovered(server: Server, parameters: types.HoverParams) -> types.Hover | None:
    """The verdict on the group of the workload under the cursor; ``None`` where there is none."""
    path = path_of(parameters.text_document.uri)
    for session in server.covering(path) if path is not None else ():
        if path is not None and session.seen is not None:
            texts = Texts(Path(session.seen.root), session.root)
            if (found := hover(session.seen, texts, path, parameters.position)) is not None:
                return found
    return None


async def repaired(server: Server, parameters: types.CodeActionParams) -> list[types.CodeAction]:
    """What fixes the diagnostics under the cursor; nothing while a buffer is not saved, as it was not tried on that."""
    path, context = path_of(parameters.text_document.uri), parameters.context
    wanted = frozenset(filter(None, map(identity, context.diagnostics)))
    only = context.only is not None and types.CodeActionKind.QuickFix not in context.only
    found: list[types.CodeAction] = []
    if path is None or not wanted or only or server.unsaved():
        return found
    for session in server.covering(path):
        repairs = await session.repairs(wanted)
        if session.seen is not None:
            texts = Texts(Path(session.seen.root), session.root)
            found += actions(session.seen, repairs, texts, context.diagnostics)
    return found


HANDLERS: Final[dict[str, Callable[..., object]]] = {
    types.INITIALIZED: initialized,
    types.TEXT_DOCUMENT_DID_OPEN: opened,
    types.TEXT_DOCUMENT_DID_SAVE: saved,
    types.TEXT_DOCUMENT_DID_CLOSE: closed,
    types.TEXT_DOCUMENT_CODE_ACTION: repaired,
    types.TEXT_DOCUMENT_HOVER: hovered,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: changed,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: refolded,
}


def _watch(server: Server) -> None:
    """Ask to be told of files that change outside of the editor (a checkout), where the editor can do that."""
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching is not None and watching.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(each) for each in WATCHED])
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("watched-files", method, options)
        server.client_register_capability(types.RegistrationParams([registration]))


def serve() -> None:
    """Serve one editor over standard input and output until it ends."""
    server = Server()
    for name, handler in HANDLERS.items():
        server.feature(name)(handler)
    # The channel is the server's own, which closes it; what other code prints must not get into it.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as channel, contextlib.redirect_stdout(sys.stderr):
        server.start_io(stdout=channel)
