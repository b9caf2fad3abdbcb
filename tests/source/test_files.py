"""Which files are found: in Git work trees, outside them, through links, by name, and from standard input."""

import os
import subprocess
from pathlib import Path

import pytest

from trainlint.finding import UsageError
from trainlint.source.files import NotFound, discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read_file
from trainlint.source.revision import read_revision
from trainlint.source.world import STDIN

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")


def git(directory, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", *IDENTITY, "-c", "protocol.file.allow=always", *arguments]
    subprocess.run(command, cwd=directory, check=True, capture_output=True, env=environment)


def write(directory, *names, content="kind: Pod\n"):
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def names(world):
    return [file.name for file in world.files]


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    return root


@pytest.fixture(params=["git", "walk"])
def directory(request, tmp_path):
    """A directory in either world."""
    root = tmp_path / "here"
    root.mkdir()
    if request.param == "git":
        git(root, "init", "-q")
    return root


def test_manifests_are_found_and_other_files_are_not(directory):
    write(
        directory, "a.yaml", "b/c.yml", "b/d.json", "b/Kustomization", "b/kustomization.yaml", "e.yaml.j2", "f.json.tpl"
    )
    write(directory, "g.txt", "h.yaml.bak", "README.md", "yaml", "i.py", "values.yamlx", "b/kustomization")
    world = discover([directory])
    assert names(world) == [
        "a.yaml",
        "b/Kustomization",
        "b/c.yml",
        "b/d.json",
        "b/kustomization.yaml",
        "e.yaml.j2",
        "f.json.tpl",
    ]
    assert (world.root, world.scope, world.unknowns) == (directory, None, ())
    assert world.files[0].read() == b"kind: Pod\n"
    assert world.files[0].size() == 10


def test_ignore_files_are_honoured_at_every_level(directory):
    write(
        directory, "a.yaml", "out/b.yaml", "x/c.gen.yaml", "x/keep.gen.yaml", "x/y/d.yaml", "x/y/e.yaml", "z/out/f.yaml"
    )
    write(directory, ".gitignore", content="/out/\n*.gen.yaml\n")
    write(directory, "x/.gitignore", content="!keep.gen.yaml\ny/*\n!y/e.yaml\n")
    assert names(discover([directory])) == ["a.yaml", "x/keep.gen.yaml", "x/y/e.yaml", "z/out/f.yaml"]


def test_odd_names_are_found(directory):
    odd = ["a b.yaml", "é😀.yaml", "new\nline.yaml", "-dash.yaml", "'quote\".yaml", "d i r/x.yaml"]
    write(directory, *odd)
    assert sorted(names(discover([directory]))) == sorted(odd)


def test_a_name_that_is_no_text_can_still_be_printed(directory):
    (Path(os.fsdecode(os.fsencode(directory) + b"/\xff.yaml"))).write_text("kind: Pod\n")
    (file,) = discover([directory]).files
    assert file.name.encode() == "\ufffd.yaml".encode()
    assert file.read() == b"kind: Pod\n"


def test_the_configuration_is_listed_apart(directory):
    write(directory, "trainlint.yaml", "sub/.trainlint.yaml", "a.yaml")
    world = discover([directory])
    assert names(world) == ["a.yaml"]
    assert [file.name for file in world.configs] == ["sub/.trainlint.yaml", "trainlint.yaml"]


def test_a_named_directory_is_the_world_and_names_start_at_the_git_root(repository):
    write(repository, "a.yaml", "sub/b.yaml", "sub/deep/c.yaml")
    world = discover([repository / "sub"])
    assert world.root == repository
    assert names(world) == ["sub/b.yaml", "sub/deep/c.yaml"]


def test_a_single_file_has_its_repository_as_world_and_narrows_the_report(repository):
    write(repository, "a.yaml", "sub/b.yaml", "ignored/c.yaml")
    write(repository, ".gitignore", content="ignored/\n")
    world = discover([repository / "sub" / "b.yaml"])
    assert names(world) == ["a.yaml", "sub/b.yaml"]
    assert world.scope == {"sub/b.yaml"}
    world = discover([repository / "ignored" / "c.yaml", repository / "sub"])
    assert names(world) == ["a.yaml", "ignored/c.yaml", "sub/b.yaml"], "a named file is read although Git ignores it"
    assert world.scope == {"ignored/c.yaml", "sub/b.yaml"}


def test_outside_git_the_world_of_a_file_is_its_directory(tmp_path):
    write(tmp_path, "x/a.yaml", "x/y/b.yaml", "c.yaml")
    world = discover([tmp_path / "x" / "a.yaml"])
    assert (world.root, names(world), world.scope) == (tmp_path / "x", ["a.yaml", "y/b.yaml"], {"a.yaml"})


def test_several_directories_are_one_world(tmp_path):
    write(tmp_path, "x/a.yaml", "y/b.yaml", "z/c.yaml")
    world = discover([tmp_path / "x", tmp_path / "y", tmp_path / "x"])
    assert (world.root, names(world)) == (tmp_path, ["x/a.yaml", "y/b.yaml"])


def test_a_named_file_needs_no_usual_name(tmp_path):
    write(tmp_path, "manifest.txt")
    assert names(discover([tmp_path / "manifest.txt"])) == ["manifest.txt"]


def test_without_paths_the_current_directory_is_read(directory, monkeypatch):
    write(directory, "a.yaml")
    monkeypatch.chdir(directory)
    assert names(discover([])) == ["a.yaml"]


def test_a_path_that_does_not_exist_is_wrong_usage(tmp_path):
    with pytest.raises(NotFound, match=r"nothing here\.yaml: no such file") as caught:
        discover([tmp_path / "nothing here.yaml"])
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize("paths", [[], ["."], ["jobs/a.yaml"], ["-"]])
def test_a_current_directory_that_was_removed_is_wrong_usage(tmp_path, monkeypatch, paths):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="the current directory is not there any more"):
        discover([Path(path) for path in paths])
    assert discover([tmp_path]).files == ()


def test_standard_input_is_a_file_of_its_own(directory, monkeypatch):
    monkeypatch.chdir(directory)
    world = discover([Path("-")], stdin=b"kind: Pod\n")
    assert names(world) == [STDIN]
    assert (world.scope, world.files[0].read(), world.files[0].size()) == (None, b"kind: Pod\n", 10)
    write(directory, "a.yaml", "b.yaml")
    world = discover([Path("a.yaml"), Path("-")], stdin=b"")
    assert set(names(world)) == {STDIN, "a.yaml", "b.yaml"}
    assert world.scope == {STDIN, "a.yaml"}


# Git


def test_tracked_and_untracked_files_count_but_not_deleted_ones(repository):
    write(repository, "tracked.yaml", "deleted.yaml", "untracked.yaml")
    git(repository, "add", "tracked.yaml", "deleted.yaml")
    (repository / "deleted.yaml").unlink()
    assert names(discover([repository])) == ["tracked.yaml", "untracked.yaml"]


def test_a_tracked_file_counts_although_a_pattern_ignores_it(repository):
    write(repository, "a.yaml", content="kind: Pod\n")
    git(repository, "add", "a.yaml")
    write(repository, ".gitignore", content="*.yaml\n")
    write(repository, "b.yaml")
    assert names(discover([repository])) == ["a.yaml"]


def test_a_directory_that_git_ignores_is_read_when_it_is_named(repository):
    write(repository, "rendered/a.yaml")
    write(repository, ".gitignore", content="rendered/\n")
    assert names(discover([repository])) == []
    assert names(discover([repository / "rendered"])) == ["rendered/a.yaml"]


def test_a_linked_work_tree_is_a_root_of_its_own(repository, tmp_path):
    write(repository, "a.yaml")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    world = discover([tmp_path / "other"])
    assert (world.root, names(world)) == (tmp_path / "other", ["a.yaml"])


def test_submodules_are_read_and_missing_ones_are_unknown(repository, tmp_path):
    module = tmp_path / "module"
    module.mkdir()
    git(module, "init", "-q")
    write(module, "m.yaml")
    git(module, "add", ".")
    git(module, "commit", "-qm", "x")
    write(repository, "a.yaml")
    git(repository, "submodule", "add", "-q", str(module), "x/sub dir")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    assert names(discover([repository])) == ["a.yaml", "x/sub dir/m.yaml"]
    assert names(discover([repository / "x"])) == ["x/sub dir/m.yaml"]
    git(tmp_path, "clone", "-q", str(repository), "clone")
    world = discover([tmp_path / "clone"])
    assert names(world) == ["a.yaml"]
    (unknown,) = world.unknowns
    assert "x/sub dir" in unknown.subject
    assert "submodule" in unknown.remedy


def test_a_repository_inside_another_is_read(repository):
    write(repository, "a.yaml", "inner/b.yaml")
    git(repository / "inner", "init", "-q")
    assert names(discover([repository])) == ["a.yaml", "inner/b.yaml"]


def test_variables_of_a_hook_do_not_lead_astray(repository, tmp_path, monkeypatch):
    write(repository, "a.yaml", ".git-knows/b.yaml")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert names(discover([repository])) == [".git-knows/b.yaml", "a.yaml"]


def test_without_a_git_command_the_directory_is_walked_as_git_would_list_it(repository, monkeypatch):
    write(repository, "a.yaml", "ignored.yaml", ".hidden/b.yaml")
    write(repository, ".gitignore", content="ignored.yaml\n")
    listed = names(discover([repository]))
    monkeypatch.setenv("PATH", "")
    world = discover([repository])
    assert (world.root, names(world)) == (repository, [".hidden/b.yaml", "a.yaml"])
    assert names(world) == listed


@pytest.mark.parametrize(
    "name",
    [
        "job.yaml-template",
        "job.yaml.template",
        "job.yaml.in",
        "job.yml.dist",
        "job.yaml.j2",
        "job.yaml_tmpl",
        "job.yaml.example",
    ],
)
def test_a_template_of_a_manifest_is_listed(directory, name):
    write(directory, name)
    assert names(discover([directory])) == [name]


@pytest.mark.parametrize("name", ["job.yaml.bak", "job.yaml~", "train.py.in", "yaml-template", "job.yamltemplate"])
def test_what_only_looks_like_one_is_not(directory, name):
    write(directory, name)
    assert names(discover([directory])) == []


def test_the_store_of_git_is_never_entered(directory):
    write(directory, ".git/x.yaml", "a.yaml")
    assert names(discover([directory])) == ["a.yaml"]


# Links


def test_a_linked_file_is_read_once_under_its_real_name(directory):
    write(directory, "real/a.yaml")
    (directory / "link.yaml").symlink_to("real/a.yaml")
    (directory / "again.yaml").symlink_to("link.yaml")
    world = discover([directory])
    assert names(world) == ["real/a.yaml"]
    assert world.real("link.yaml") == "real/a.yaml"
    assert world.real("none.yaml") == "none.yaml"


def test_links_that_lead_out_or_nowhere_are_unknown(directory, tmp_path):
    write(tmp_path, "outside.yaml")
    write(directory, "a.yaml")
    (directory / "out.yaml").symlink_to(tmp_path / "outside.yaml")
    (directory / "gone.yaml").symlink_to("nothing")
    (directory / "loop.yaml").symlink_to("loop.yaml")
    world = discover([directory])
    assert names(world) == ["a.yaml"]
    assert sorted(unknown.subject for unknown in world.unknowns) == [
        "the objects in gone.yaml",
        "the objects in loop.yaml",
        "the objects in out.yaml",
    ]


def test_linked_directories_make_no_loop_and_no_second_copy(directory):
    write(directory, "a/b.yaml")
    (directory / "a" / "loop").symlink_to("..")
    (directory / "c").symlink_to("a")
    assert names(discover([directory])) == ["a/b.yaml"]


def test_a_link_to_a_directory_may_be_named(tmp_path):
    write(tmp_path, "real/a.yaml")
    (tmp_path / "link").symlink_to("real")
    world = discover([tmp_path / "link"])
    assert (world.root, names(world)) == (tmp_path / "real", ["a.yaml"])


def test_a_pipe_that_is_called_yaml_does_not_stop_the_run(directory):
    os.mkfifo(directory / "pipe.yaml")
    write(directory, "a.yaml")
    assert names(discover([directory])) == ["a.yaml"]


# Charts


def test_a_pipe_that_is_named_is_wrong_usage(tmp_path):
    os.mkfifo(tmp_path / "a.yaml")
    with pytest.raises(UsageError, match=r"a\.yaml is neither a file nor a directory; .* pipe it into -"):
        discover([tmp_path / "a.yaml"])


def test_templates_of_a_chart_know_their_chart(directory):
    write(directory, "charts/x/Chart.yaml", content="name: x\n")
    write(directory, "charts/x/templates/a.yaml", "charts/x/templates/deep/b.yaml", "charts/x/crds/c.yaml")
    write(directory, "charts/x/charts/y/Chart.yaml", content="name: y\n")
    write(directory, "charts/x/charts/y/templates/d.yaml", "templates/e.yaml")
    charts = {file.name: file.chart for file in discover([directory]).files}
    assert charts == {
        "charts/x/Chart.yaml": "",
        "charts/x/charts/y/Chart.yaml": "",
        "charts/x/charts/y/templates/d.yaml": "charts/x/charts/y",
        "charts/x/crds/c.yaml": "",
        "charts/x/templates/a.yaml": "charts/x",
        "charts/x/templates/deep/b.yaml": "charts/x",
        "templates/e.yaml": "",
    }
    (template,) = discover([directory / "charts" / "x" / "templates" / "deep"]).files
    assert read_file(template, KindFilter({"Pod"})).templates[0].engine == "helm"


def test_thousands_of_files_are_found_in_no_time(directory):
    for number in range(40):
        write(directory, *(f"d{number}/f{index}.yaml" for index in range(50)))
    assert len(discover([directory]).files) == 2000


def test_code_of_other_projects_is_left_out_and_counted(directory):
    write(directory, "job.yaml", "node_modules/x/a.yaml", "vendor/modules.txt", "vendor/y/b.yaml", "vendor/y/c.yaml")
    write(directory, "charts/vendor/d.yaml")
    world = discover([directory])
    assert names(world) == ["charts/vendor/d.yaml", "job.yaml"]
    assert world.vendored == {"node_modules": 1, "vendor": 2}


def test_whoever_names_a_directory_inside_of_other_projects_code_reads_it(directory):
    write(directory, "vendor/modules.txt", "vendor/y/b.yaml", "vendor/y/node_modules/c.yaml", "vendor/z/d.yaml")
    world = discover([directory / "vendor" / "y"])
    assert [name.rpartition("/")[2] for name in names(world)] == ["b.yaml"]
    assert list(world.vendored.values()) == [1]


def test_the_base_revision_reads_what_was_named_inside_of_other_projects_code(repository):
    write(repository, "vendor/modules.txt", "vendor/y/b.yaml", "a.yaml")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "first")
    write(repository, "vendor/y/b.yaml", content="kind: Pod\nmetadata: {name: other}\n")
    world = discover([repository / "vendor"])
    assert names(world) == ["vendor/y/b.yaml"]
    assert names(read_revision(world, "HEAD").world) == ["vendor/y/b.yaml"]
