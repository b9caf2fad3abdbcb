"""The files of a revision, read from Git's objects: what changed, what did not, and what cannot be read."""

import os
import stat
from pathlib import Path

import pytest
from tests.source.repositories import commit, fingerprint, git, repository, write

from trainlint.finding import UsageError
from trainlint.source.files import discover
from trainlint.source.links import follow
from trainlint.source.revision import read_revision

POD = "kind: Pod\nmetadata: {name: one}\n"
OTHER = "kind: Pod\nmetadata: {name: two}\n"


def base_of(root, revision="HEAD", *paths):
    return read_revision(discover([root / path for path in paths] or [root]), revision)


def contents(revision):
    return {file.name: file.read().decode() for file in revision.world.files}


@pytest.fixture
def root(tmp_path):
    return repository(tmp_path / "repository", {"a.yaml": POD, "b/c.yaml": POD, "notes.txt": "no manifest\n"})


def test_without_a_difference_every_file_is_the_same(root):
    revision = base_of(root)
    assert contents(revision) == {"a.yaml": POD, "b/c.yaml": POD}
    assert revision.same == {"a.yaml", "b/c.yaml"}
    assert revision.commit == git(root, "rev-parse", "HEAD")
    assert revision.unknowns == ()


@pytest.mark.parametrize("stage", [False, True])
def test_a_modified_file_has_its_old_content(root, stage):
    write(root, {"a.yaml": OTHER})
    if stage:
        git(root, "add", "-A")
    revision = base_of(root)
    assert contents(revision) == {"a.yaml": POD, "b/c.yaml": POD}
    assert revision.same == {"b/c.yaml"}


def test_a_committed_difference_counts_like_one_of_the_work_tree(root):
    before = git(root, "rev-parse", "HEAD")
    commit(root, {"a.yaml": OTHER})
    write(root, {"b/c.yaml": OTHER})
    assert contents(base_of(root, before)) == {"a.yaml": POD, "b/c.yaml": POD}
    assert base_of(root, before).same == frozenset()
    assert contents(base_of(root, "HEAD")) == {"a.yaml": OTHER, "b/c.yaml": POD}


@pytest.mark.parametrize("name", ["HEAD", "main", "v1", "HEAD~0", "refs/heads/main", "@"])
def test_a_revision_may_be_named_in_every_way_that_git_knows(root, name):
    git(root, "tag", "-a", "-m", "one", "v1")
    assert base_of(root, name).commit == git(root, "rev-parse", "HEAD")


@pytest.mark.parametrize("stage", [False, True])
def test_a_deleted_file_is_there_in_the_base(root, stage):
    (root / "a.yaml").unlink()
    if stage:
        git(root, "add", "-A")
    assert contents(base_of(root)) == {"a.yaml": POD, "b/c.yaml": POD}


def test_a_new_file_is_not_there_in_the_base_tracked_or_not(root):
    write(root, {"new.yaml": POD, "staged.yaml": POD})
    git(root, "add", "staged.yaml")
    assert contents(base_of(root)) == {"a.yaml": POD, "b/c.yaml": POD}


def test_a_file_that_is_no_longer_tracked_is_read_as_it_was_committed(root):
    git(root, "rm", "-q", "--cached", "a.yaml")
    write(root, {"a.yaml": OTHER})
    assert contents(base_of(root))["a.yaml"] == POD


@pytest.mark.parametrize("stage", [False, True])
def test_a_renamed_file_has_its_old_name_in_the_base(root, stage):
    (root / "a.yaml").rename(root / "z.yaml")
    if stage:
        git(root, "add", "-A")
    assert contents(base_of(root)) == {"a.yaml": POD, "b/c.yaml": POD}
    assert base_of(root).same == {"b/c.yaml"}


def test_a_new_mode_is_no_new_content(root):
    (root / "a.yaml").chmod(0o755)
    assert base_of(root).same == {"a.yaml", "b/c.yaml"}


def test_a_touched_file_is_the_same(root):
    os.utime(root / "a.yaml", (1, 1))
    assert base_of(root).same == {"a.yaml", "b/c.yaml"}


def test_line_ends_are_no_difference(tmp_path):
    root = repository(tmp_path / "r", {"a.yaml": POD})
    write(root, {"a.yaml": POD.replace("\n", "\r\n")})
    assert base_of(root).same == {"a.yaml"}


def test_line_ends_that_git_converts_are_no_difference(tmp_path):
    root = repository(tmp_path / "r")
    git(root, "config", "core.autocrlf", "true")
    commit(root, {"a.yaml": POD.replace("\n", "\r\n")})
    (root / "a.yaml").unlink()
    git(root, "checkout", "--", "a.yaml")
    assert b"\r\n" in (root / "a.yaml").read_bytes()
    assert base_of(root).same == {"a.yaml"}


@pytest.mark.parametrize("name", ["with space.yaml", "größe/jöb.yaml", "tab\there.yaml", 'quo"te.yaml', "日本/本.yaml"])
def test_names_may_hold_anything(tmp_path, name):
    root = repository(tmp_path / "a place", {name: POD})
    write(root, {name: OTHER})
    assert contents(base_of(root)) == {name: POD}


def test_only_what_was_linted_is_read(root):
    write(root, {"a.yaml": OTHER, "b/c.yaml": OTHER})
    assert contents(base_of(root, "HEAD", "b")) == {"b/c.yaml": POD}
    commit(root, {"bb/d.yaml": POD})
    assert contents(base_of(root, "HEAD", "b")) == {"b/c.yaml": OTHER}


def test_the_base_of_a_file_is_that_of_its_repository(root):
    write(root, {"b/c.yaml": OTHER})
    assert contents(base_of(root, "HEAD", "a.yaml")) == {"a.yaml": POD, "b/c.yaml": POD}


def test_configurations_are_those_of_the_base_wherever_they_stand(root):
    commit(root, {"trainlint.yaml": "groups: {}\n", "b/.trainlint.yaml": "{}\n"})
    write(root, {"trainlint.yaml": "clusters: []\n"})
    revision = base_of(root, "HEAD", "b")
    assert {file.name: file.read() for file in revision.world.configs} == {
        "trainlint.yaml": b"groups: {}\n",
        "b/.trainlint.yaml": b"{}\n",
    }
    assert "trainlint.yaml" not in contents(revision)


def test_templates_of_charts_are_known_for_what_they_are(root):
    commit(root, {"chart/Chart.yaml": "name: c\n", "chart/templates/x/a.yaml": POD})
    (root / "chart/Chart.yaml").unlink()
    revision = base_of(root)
    assert {file.name: file.chart for file in revision.world.files}["chart/templates/x/a.yaml"] == "chart"
    assert "chart/templates/x/a.yaml" not in revision.same


def test_links_lead_to_the_files_of_the_same_revision(root):
    (root / "d").mkdir()
    (root / "d/link.yaml").symlink_to("../a.yaml")
    (root / "dir").symlink_to("b")
    (root / "through.yaml").symlink_to("dir/c.yaml")
    (root / "plain.txt").write_text(POD)
    (root / "odd.yaml").symlink_to("plain.txt")
    commit(root)
    write(root, {"a.yaml": OTHER})
    (root / "d/link.yaml").unlink()
    assert contents(base_of(root)) == {"a.yaml": POD, "b/c.yaml": POD, "plain.txt": POD}
    assert base_of(root, "HEAD", "d").world.real("dir/c.yaml") == "b/c.yaml"
    assert set(contents(base_of(root, "HEAD", "d"))) == {"a.yaml"}


@pytest.mark.parametrize("target", ["/etc/hosts", "../../outside.yaml", "nowhere.yaml", "loop.yaml"])
def test_links_that_leave_the_repository_are_unknown(root, target):
    (root / "loop.yaml").symlink_to(target)
    commit(root)
    (root / "loop.yaml").unlink()
    revision = base_of(root)
    assert set(contents(revision)) == {"a.yaml", "b/c.yaml"}
    assert [unknown.subject for unknown in revision.world.unknowns] == ["the objects in loop.yaml"]


@pytest.mark.parametrize(
    ("name", "leads_to"),
    [
        ("a/b", "a/b"),
        ("l/x", "a/x"),
        ("l/../x", "x"),
        ("m", "a/c"),
        (".", "."),
        ("up", None),
        ("absolute", None),
        ("circle", None),
    ],
)
def test_links_are_followed_as_the_system_does(name, leads_to):
    links = {"l": "a", "m": "l/./c", "up": "../x", "absolute": "/x", "circle": "circle2", "circle2": "circle"}
    assert follow(name, links) == leads_to


def test_a_repository_without_a_commit_has_an_empty_base(tmp_path):
    root = repository(tmp_path / "r")
    write(root, {"a.yaml": POD})
    revision = base_of(root)
    assert (revision.commit, contents(revision), revision.same) == ("", {}, frozenset())


@pytest.mark.parametrize("name", ["nowhere", "HEAD~7", "0" * 40, "HEAD:a.yaml", ""])
def test_a_revision_that_is_not_there_is_wrong_usage(root, name):
    with pytest.raises(UsageError, match="--base") as caught:
        base_of(root, name)
    assert "git fetch origin" in str(caught.value) or not name


def test_the_remedy_names_the_remote_of_a_branch(root):
    git(root, "remote", "add", "upstream", "/nowhere")
    with pytest.raises(UsageError, match=r"git fetch upstream main$"):
        base_of(root, "upstream/main")
    with pytest.raises(UsageError, match=r"git fetch origin feature/x$"):
        base_of(root, "feature/x")


@pytest.mark.parametrize("name", ["--all", "-h", "a\nb"])
def test_what_looks_like_an_option_is_no_revision(root, name):
    with pytest.raises(UsageError, match="no revision"):
        base_of(root, name)


def test_a_shallow_clone_says_so_and_how_to_get_the_revision(root, tmp_path):
    first = git(root, "rev-parse", "HEAD")
    commit(root, {"a.yaml": OTHER})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", "shallow")
    clone = tmp_path / "shallow"
    with pytest.raises(UsageError, match=f"shallow clone.*git fetch --depth=1 origin {first}"):
        base_of(clone, first)
    git(clone, "fetch", "-q", "--depth=1", "origin", first)
    assert contents(base_of(clone, first))["a.yaml"] == POD


def test_objects_that_a_partial_clone_lacks_are_not_fetched(root, tmp_path):
    first = commit(root, {"a.yaml": "kind: Pod\nmetadata: {name: only here}\n"})
    commit(root, {"a.yaml": OTHER})
    git(root, "config", "uploadpack.allowFilter", "true")
    git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{root}", "partial")
    with pytest.raises(UsageError, match="cannot be read"):
        base_of(tmp_path / "partial", first)


def test_outside_of_git_there_is_no_base(tmp_path):
    write(tmp_path, {"a.yaml": POD})
    with pytest.raises(UsageError, match="Git repository"):
        base_of(tmp_path)


def test_standard_input_has_no_base(root):
    with pytest.raises(UsageError, match="standard input"):
        read_revision(discover([root, Path("-")], stdin=b""), "HEAD")


def test_a_work_tree_beside_the_repository_is_compared_by_itself(root, tmp_path):
    git(root, "worktree", "add", "-q", str(tmp_path / "beside"))
    write(tmp_path / "beside", {"a.yaml": OTHER})
    assert base_of(tmp_path / "beside").same == {"b/c.yaml"}
    assert base_of(root).same == {"a.yaml", "b/c.yaml"}


def test_variables_that_git_sets_for_hooks_do_not_lead_elsewhere(root, tmp_path, monkeypatch):
    other = repository(tmp_path / "other", {"x.yaml": POD})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    write(root, {"a.yaml": OTHER})
    assert contents(base_of(root)) == {"a.yaml": POD, "b/c.yaml": POD}


def test_what_is_outside_of_a_sparse_checkout_is_in_neither_state(root):
    git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/b")
    assert not (root / "b").exists()
    assert contents(base_of(root)) == {"a.yaml": POD}


@pytest.fixture
def with_module(root, tmp_path):
    repository(tmp_path / "module", {"m.yaml": POD})
    git(root, "submodule", "--quiet", "add", str(tmp_path / "module"), "sub")
    commit(root)
    return root


def test_submodules_are_taken_as_they_are(with_module):
    write(with_module, {"a.yaml": OTHER, "sub/m.yaml": OTHER})
    revision = base_of(with_module)
    assert contents(revision) == {"a.yaml": POD, "b/c.yaml": POD, "sub/m.yaml": OTHER}
    assert revision.same == {"b/c.yaml", "sub/m.yaml"}
    assert revision.unknowns == ()


def test_another_commit_of_a_submodule_is_unknown(with_module):
    commit(with_module / "sub", {"m.yaml": OTHER})
    (unknown,) = base_of(with_module).unknowns
    assert unknown.subject == "what the change does in sub"
    assert contents(base_of(with_module / "sub", "HEAD~1")) == {"m.yaml": POD}


def test_a_submodule_that_is_not_checked_out_is_no_difference(with_module, tmp_path):
    git(tmp_path, "clone", "-q", str(with_module), "clone")
    assert base_of(tmp_path / "clone").unknowns == ()


def test_a_removed_submodule_is_unknown(with_module):
    git(with_module, "rm", "-q", "sub")
    assert [unknown.subject for unknown in base_of(with_module).unknowns] == ["what the change does in sub"]


def test_repositories_with_longer_ids_are_read(tmp_path):
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q", "--object-format=sha256")
    commit(root, {"a.yaml": POD, "b.yaml": POD})
    write(root, {"a.yaml": OTHER})
    assert (contents(base_of(root)), base_of(root).same) == ({"a.yaml": POD, "b.yaml": POD}, {"b.yaml"})


def test_nothing_changes_and_nothing_of_the_repository_runs(root, tmp_path):
    trap = tmp_path / "trap"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {trap}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    commit(root, {".gitattributes": "*.yaml diff=odd filter=odd\n"})
    for key in (
        "diff.odd.command",
        "diff.odd.textconv",
        "filter.odd.smudge",
        "filter.odd.clean",
        "core.fsmonitor",
        "diff.external",
    ):
        git(root, "config", key, str(script))
    for key, value in {"diff.noprefix": "true", "diff.relative": "true", "core.quotePath": "true"}.items():
        git(root, "config", key, value)
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        (root / ".git/hooks" / hook).write_text(script.read_text())
        (root / ".git/hooks" / hook).chmod(0o755)
    write(root, {"a.yaml": OTHER, "new.yaml": POD})
    os.utime(root / "b/c.yaml", (1, 1))  # so that Git would refresh its index
    trap.unlink(missing_ok=True)
    before = fingerprint(root)
    assert contents(base_of(root, "HEAD", "b"))["b/c.yaml"] == POD
    assert contents(base_of(root))["a.yaml"] == POD
    assert fingerprint(root) == before
    assert not trap.exists()


def test_a_broken_repository_is_wrong_usage(root):
    (root / ".git/HEAD").write_text("nonsense\n")
    with pytest.raises(UsageError, match="--base HEAD"):
        base_of(root)


def test_a_machine_without_git_is_told_so(root, monkeypatch):
    world = discover([root])
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="git: No such file"):
        read_revision(world, "HEAD")


def test_a_read_only_repository_is_read(root):
    write(root, {"a.yaml": OTHER})
    modes = {path: path.stat().st_mode for path in root.rglob("*") if path.is_dir()}
    for path in modes:
        path.chmod(0o555)
    try:
        assert contents(base_of(root))["a.yaml"] == POD
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
