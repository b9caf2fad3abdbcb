"""``trainlint lsp``, with pygls' own client over standard input and output."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from lsprotocol import types
from tests.lsp.client import Editor, converse, uri

LAB = Path(__file__).parent.parent / "lab"
FAULTY = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {a: "\U0001f680 é"}, name: one, name: two}\n'
SOUND = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"
CRASHING = """
import trainlint.lsp.session as session
real, count = session.look, []
def look(paths, progress):
    count.append(1)
    if len(count) == 1:
        raise RuntimeError("the first look fails")
    return real(paths, progress)
session.look = look
from trainlint.lsp.server import serve
serve()
"""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Git repository around, and a cache of its own."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    root = tmp_path / "lab"
    for part in ("before", "after", "cluster"):
        shutil.copytree(LAB / part, root / part)
    return root


def folder(path: Path, **files: str) -> Path:
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return path


def test_the_whole_repository_is_linted_at_once_and_related_places_are_told(lab: Path) -> None:
    training, nodes = lab / "before" / "training.yaml", lab / "cluster" / "nodes.yaml"

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(training))
        assert editor.rules(training) == ["flow-denied", "no-viable-zone"]
        assert set(editor.rules(lab / "after" / "training.yaml")) == {"spread-used-as-colocation"}
        found = next(each for each in editor.diagnostics[uri(training)] if each.code == "no-viable-zone")
        assert (found.source, found.severity) == ("trainlint", types.DiagnosticSeverity.Error)
        assert "can never run" in found.message
        assert "zone-a is the closest" in found.message
        related = found.related_information or []
        taints = [each for each in related if each.location.uri == uri(nodes)]
        lines = nodes.read_text(encoding="utf-8").splitlines()
        assert len(taints) == 2
        for each in taints:
            place = each.location.range
            assert lines[place.start.line][place.start.character : place.end.character].startswith("{key: dedicated")

    assert converse(talk, lab) == 0


def test_saving_the_remedy_takes_the_diagnostics_away(lab: Path) -> None:
    training = lab / "before" / "training.yaml"

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(training))
        shutil.copy(lab / "after" / "training.yaml", training)
        editor.save(training)
        await editor.until(lambda: "no-viable-zone" not in editor.rules(training))
        assert "flow-denied" not in editor.rules(training)

    converse(talk, lab)


def test_a_buffer_that_is_not_saved_changes_nothing(tmp_path: Path) -> None:
    root = folder(tmp_path / "one", faulty=FAULTY)

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(root / "faulty.yaml"))
        editor.open(root / "faulty.yaml")
        name = types.VersionedTextDocumentIdentifier(2, uri(root / "faulty.yaml"))
        change = types.DidChangeTextDocumentParams(name, [types.TextDocumentContentChangeWholeDocument(SOUND)])
        editor.client.text_document_did_change(change)
        before = editor.published
        await editor.quiet()
        assert editor.published == before
        assert editor.rules(root / "faulty.yaml") == ["duplicate-key"]

    converse(talk, root)


def test_positions_count_utf_16_units(tmp_path: Path) -> None:
    root = folder(tmp_path / "one", faulty=FAULTY)

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(root / "faulty.yaml"))
        (found,) = editor.diagnostics[uri(root / "faulty.yaml")]
        line = FAULTY.splitlines()[2]
        units = line.encode("utf-16-le")
        start, end = found.range.start.character, found.range.end.character
        assert units[2 * start : 2 * end].decode("utf-16-le").startswith("name: two")
        assert (found.range.start.line, start) == (2, line.index("name: two") + 1)

    converse(talk, root)


def test_hovering_over_a_workload_shows_both_answers(lab: Path) -> None:
    before, after = lab / "before" / "training.yaml", lab / "after" / "training.yaml"
    line = next(number for number, text in enumerate(after.read_text().splitlines()) if "kind: Job" in text)

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(before))
        shown = await editor.hover(after, line, 2)
        assert "runs in some zone: **proved** (zone-a)" in shown
        assert "whatever the scheduler chooses: **proved**" in shown
        assert "workers: 4 in zone-a" in shown
        assert "runs in some zone: **refuted**" in await editor.hover(before, 20, 0)
        assert await editor.hover(lab / "cluster" / "nodes.yaml", 3, 0) == ""
        assert await editor.hover(lab / "nothing.yaml", 0, 0) == ""

    converse(talk, lab)


def test_a_repair_is_offered_where_the_finding_is_and_ends_it(lab: Path) -> None:
    training = lab / "before" / "training.yaml"

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(training))
        found = [each for each in await editor.actions(training, "no-viable-zone") if each.edit is not None]
        assert found
        assert {each.kind for each in found} == {types.CodeActionKind.QuickFix}
        assert "no-viable-zone" in {each.code for each in found[0].diagnostics or ()}
        editor.apply(found[0])
        editor.save(training)
        await editor.until(lambda: "no-viable-zone" not in editor.rules(training))

    converse(talk, lab)


def test_nothing_is_offered_while_a_buffer_is_not_saved(lab: Path) -> None:
    training = lab / "before" / "training.yaml"

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(training))
        editor.open(training)
        assert await editor.actions(training, "no-viable-zone")
        name = types.VersionedTextDocumentIdentifier(2, uri(training))
        change = types.TextDocumentContentChangeWholeDocument("# another\n" + training.read_text(encoding="utf-8"))
        editor.client.text_document_did_change(types.DidChangeTextDocumentParams(name, [change]))
        assert await editor.actions(training, "no-viable-zone") == []

    converse(talk, lab)


def test_what_admits_more_traffic_is_named_and_never_done(tmp_path: Path) -> None:
    root = tmp_path / "egress"
    case = LAB.parent / "cases" / "policy" / "dns-egress-blocked--egress-to-peers-only"
    shutil.copytree(case, root, ignore=shutil.ignore_patterns("case.yaml"))

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(root / "train.yaml"))
        found = await editor.actions(root / "train.yaml", "dns-egress-blocked")
        assert found
        assert [each.edit for each in found] == [None] * len(found)
        assert all(each.disabled is not None and "more traffic" in each.disabled.reason for each in found)

    converse(talk, root)


def test_every_folder_of_the_workspace_is_linted_and_one_that_is_removed_is_forgotten(tmp_path: Path) -> None:
    one, two, three = (folder(tmp_path / name, faulty=FAULTY) for name in ("one", "two", "three"))

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.rules(one / "faulty.yaml") and editor.rules(two / "faulty.yaml"))
        assert editor.rules(three / "faulty.yaml") == []
        event = types.WorkspaceFoldersChangeEvent(
            added=[types.WorkspaceFolder(uri(three), "three")], removed=[types.WorkspaceFolder(uri(one), "one")]
        )
        editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        await editor.until(lambda: editor.rules(three / "faulty.yaml") and not editor.rules(one / "faulty.yaml"))
        assert editor.rules(two / "faulty.yaml") == ["duplicate-key"]

    converse(talk, one, two)


def test_a_file_outside_the_workspace_is_linted_by_itself_until_it_is_closed(tmp_path: Path) -> None:
    inside = folder(tmp_path / "inside", sound=SOUND)
    outside = folder(tmp_path / "outside", faulty=FAULTY, other=FAULTY)

    async def talk(editor: Editor) -> None:
        editor.open(outside / "faulty.yaml")
        await editor.until(lambda: editor.rules(outside / "faulty.yaml"))
        await editor.quiet()
        assert editor.rules(outside / "other.yaml") == []
        editor.close(outside / "faulty.yaml")
        await editor.until(lambda: not editor.rules(outside / "faulty.yaml"))

    converse(talk, inside)


def test_what_is_in_no_file_is_ignored(tmp_path: Path) -> None:
    root = folder(tmp_path / "one", faulty=FAULTY)

    async def talk(editor: Editor) -> None:
        item = types.TextDocumentItem("untitled:Untitled-1", "yaml", 1, FAULTY)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        name = types.TextDocumentIdentifier("untitled:Untitled-1")
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(name))
        found = await editor.client.text_document_hover_async(types.HoverParams(name, types.Position(0, 0)))
        assert found is None
        await editor.until(lambda: editor.rules(root / "faulty.yaml"))
        assert editor.messages == []

    converse(talk, root)


def test_a_crash_is_a_message_and_the_next_save_works(tmp_path: Path) -> None:
    root = folder(tmp_path / "one", faulty=FAULTY)

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.messages)
        assert "internal error: RuntimeError: the first look fails" in editor.messages[0]
        await editor.until(lambda: editor.logged)
        assert "Traceback" in editor.logged[0]
        editor.save(root / "faulty.yaml")
        await editor.until(lambda: editor.rules(root / "faulty.yaml"))

    assert converse(talk, root, arguments=("-c", CRASHING)) == 0


def test_settings_that_are_wrong_are_told_once_and_linting_goes_on_when_they_are_fixed(tmp_path: Path) -> None:
    root = folder(tmp_path / "one", faulty=FAULTY, trainlint="clusters: 3\n")

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.messages)
        assert "trainlint.yaml" in editor.messages[0]
        editor.save(root / "faulty.yaml")
        await editor.quiet()
        assert len(editor.messages) == 1
        (root / "trainlint.yaml").unlink()
        editor.save(root / "faulty.yaml")
        await editor.until(lambda: editor.rules(root / "faulty.yaml"))

    converse(talk, root)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_a_folder_that_is_a_symbolic_link_keeps_the_name_that_the_editor_knows(tmp_path: Path) -> None:
    real = folder(tmp_path / "real", faulty=FAULTY)
    link = tmp_path / "link"
    link.symlink_to(real)

    async def talk(editor: Editor) -> None:
        await editor.until(lambda: editor.diagnostics)
        assert list(editor.diagnostics) == [uri(link / "faulty.yaml")]

    converse(talk, link)
