"""Repairs as code actions: tried on the model before they are offered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol.types import CodeAction, CodeActionDisabled, CodeActionKind, Diagnostic, TextEdit, WorkspaceEdit

from trainlint.engine.observation import Observation
from trainlint.finding import Safety
from trainlint.lsp.positions import Texts
from trainlint.result import Repair

__all__ = ["actions", "identity"]


def identity(diagnostic: Diagnostic) -> str:
    """The finding behind a diagnostic; empty for those of others."""
    data = diagnostic.data
    found = data.get("id") if isinstance(data, dict) else getattr(data, "id", None)
    return found if isinstance(found, str) else ""


def actions(
    seen: Observation, repairs: Sequence[Repair], texts: Texts, diagnostics: Sequence[Diagnostic]
) -> Iterator[CodeAction]:
    """An action for each repair of these diagnostics whose files are still as they were when it was tried.

    What admits more traffic is only named: a key press should not open a network.
    """
    for repair in repairs:
        about = [each for each in diagnostics if identity(each) in repair.fixes]
        if not about or any(_read(Path(seen.root) / each.file) != each.before for each in repair.changes):
            continue
        opens = repair.safety is Safety.OPENING
        yield CodeAction(
            title=_title(repair),
            kind=CodeActionKind.QuickFix,
            diagnostics=about,
            is_preferred=repair.safety is Safety.SAFE or None,
            disabled=CodeActionDisabled(_reason(repair)) if opens else None,
            edit=None if opens else WorkspaceEdit(_edits(repair, texts)),
        )


def _title(repair: Repair) -> str:
    text = "; ".join(repair.steps)
    if repair.edits > 1:
        files = len(repair.changes)
        text += f" ({repair.edits} edits in {files} file{'' if files == 1 else 's'})"
    return text


def _reason(repair: Repair) -> str:
    what = f": {'; '.join(repair.opens)}" if repair.opens else ""
    return f"it admits more traffic{what}; `trainlint check --diff` shows it"


def _edits(repair: Repair, texts: Texts) -> dict[str, Sequence[TextEdit]]:
    return {
        texts.uri(change.file): [TextEdit(texts.range(change.file, each.span), each.text) for each in change.edits]
        for change in repair.changes
    }


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
