"""The cache of readings: quicker, and never another answer, whatever became of its files."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engine.worlds import TODAY, found, lint, write
from tests.mutations import damage_bytes
from tests.plausible import plausible
from tests.source.repositories import commit, repository

from trainlint.engine import check
from trainlint.report import Options, reporter
from trainlint.source import cache as module
from trainlint.source.cache import cache_directory, open_cache
from trainlint.source.files import discover
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import Reading, read
from trainlint.source.reading_json import from_json, to_json
from trainlint.source.world import SourceFile

CLI = [sys.executable, "-m", "trainlint", "check"]
SYNTAX = frozenset({"syntax-error"})
KINDS = KindFilter({"Job", "Pod", "Node"})
POD = "kind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: '8'}}}]}\n"
BROKEN = "kind: Job\nmetadata: {name: [}\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory."""
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "world", {"a.yaml": POD % "a", "b.yaml": BROKEN, "c.yaml": "kind: Other\n"})


def report(root: Path, *, cache: bool, base: str | None = None) -> str:
    return reporter("json")(lint(root, cache=cache, base=base), Options())


def kept(home: Path) -> list[Path]:
    return sorted(home.glob("*")) if home.is_dir() else []


def shown(reading: Reading) -> str:
    """Everything in a reading, with types: documents have no equality, and 1, 1.0 and True are equal."""
    documents = [(each.index, each.line, each.text, each.data, each.duplicates) for each in reading.documents]
    parts = (reading.broken, reading.templates, reading.suppression_lines)
    unknowns = [(each, each.at) for each in reading.unknowns]  # where an unknown stands is no part of its equality
    return repr((reading.file, documents, parts, unknowns))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the files that were parsed in earnest."""
    names: list[str] = []

    def counted(file: str, content: bytes, kinds: KindFilter, *, chart: str = "") -> Reading:
        names.append(file)
        return read(file, content, kinds, chart=chart)

    monkeypatch.setattr(module, "read", counted)
    return names


def test_the_second_run_parses_nothing_and_says_the_same(root: Path, reads: list[str]) -> None:
    first = report(root, cache=True)
    assert sorted(reads) == ["a.yaml", "b.yaml", "c.yaml"]
    reads.clear()
    assert report(root, cache=True) == first == report(root, cache=False)
    assert reads == []
    assert found(lint(root, cache=True, select=SYNTAX)) == [("syntax-error", "b.yaml:2")]


def test_only_what_changed_is_parsed_anew(root: Path, reads: list[str]) -> None:
    report(root, cache=True)
    reads.clear()
    result = lint(root, {"b.yaml": POD % "b"}, cache=True, select=SYNTAX)
    assert (reads, found(result)) == (["b.yaml"], [])


def test_a_change_within_one_tick_of_the_clock_and_of_one_length_is_seen(root: Path) -> None:
    assert "syntax-error" in report(root, cache=True)
    state = (root / "b.yaml").stat()
    write(root, {"b.yaml": BROKEN.replace("[}", "[]")[:-1] + "}"})
    write(root, {"b.yaml": BROKEN.replace("[}", "x}")})
    os.utime(root / "b.yaml", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert "syntax-error" not in report(root, cache=True)


def test_files_with_the_same_content_and_other_names_keep_their_own_places(tmp_path: Path) -> None:
    root = write(tmp_path / "w", {"a.yaml": BROKEN, "b.yaml": BROKEN, "kustomization.yaml": "resources: [a.yaml]\n"})
    expected = report(root, cache=False)
    assert report(root, cache=True) == report(root, cache=True) == expected
    assert {place for _, place in found(lint(root, cache=True, select=SYNTAX))} == {"a.yaml:2", "b.yaml:2"}


def test_a_file_that_becomes_a_template_of_a_chart_is_read_anew(tmp_path: Path) -> None:
    root = write(tmp_path / "w", {"app/templates/job.yaml": POD % "a"})
    report(root, cache=True)
    write(root, {"app/Chart.yaml": "name: app\n"})
    assert report(root, cache=True) == report(root, cache=False)


def test_the_base_revision_is_cached_too(tmp_path: Path, reads: list[str]) -> None:
    root = repository(tmp_path / "w", {"a.yaml": POD % "a", "b.yaml": BROKEN})
    write(root, {"b.yaml": POD % "b"})
    first = report(root, cache=True, base="HEAD")
    assert sorted(reads) == ["a.yaml", "b.yaml", "b.yaml"]
    reads.clear()
    assert report(root, cache=True, base="HEAD") == first == report(root, cache=False, base="HEAD")
    assert reads == []


def test_branches_do_not_push_each_other_out(tmp_path: Path, reads: list[str]) -> None:
    root = repository(tmp_path / "w", {"a.yaml": POD % "a"})
    report(root, cache=True)
    commit(root, {"a.yaml": POD % "other"})
    report(root, cache=True)
    reads.clear()
    write(root, {"a.yaml": POD % "a"})
    report(root, cache=True)
    assert reads == []


# The laws.


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), damaged=st.booleans())
def test_with_and_without_cache_the_report_is_the_same(seed: int, damaged: bool) -> None:
    rng = random.Random(seed)
    files: dict[str, str | bytes] = {**plausible(rng)}
    if damaged:
        name = rng.choice(sorted(files.keys() - {"trainlint.yaml"}))
        content = files[name]
        files[name] = damage_bytes(content.encode() if isinstance(content, str) else content, rng)
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), files)
        plain, cold, warm = (_outcome(root, cache=cache) for cache in (False, True, True))
    assert plain == cold == warm


def _outcome(root: Path, *, cache: bool) -> str:
    try:
        return report(root, cache=cache)
    except Exception as error:  # a damaged Inventory
        return repr(error)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=VALUES, style=st.sampled_from([None, ">", '"']))
def test_what_was_read_comes_back_as_it_was(value: object, style: str | None) -> None:
    text = yaml.safe_dump({"kind": "Pod", "value": value}, default_style=style, allow_unicode=True)
    _comes_back(read("a.yaml", text.encode("utf-8", "replace"), KINDS))


@given(text=st.text(), chart=st.sampled_from(["", "app"]))
def test_whatever_text_says_comes_back(text: str, chart: str) -> None:
    content = f"kind: Pod\na: 1\na: {text}\n---\n{text}\nkind: Job # trainlint: ignore[x] {text}\n"
    _comes_back(read("a.yaml", content.encode("utf-8", "replace"), KINDS, chart=chart))


def _comes_back(reading: Reading) -> None:
    line = to_json(reading)
    if line is not None:
        assert b"\n" not in line
        assert shown(from_json(reading.file, line)) == shown(reading)


@pytest.mark.parametrize(
    "content",
    [
        b"kind: Pod\nn: 0.1\nm: 1e300\nk: -0.0\ni: 123456789012345678901234567890\nb: yes\nz: ~\n",
        b"kind: Pod\na: &x {deep: [1, {2: 3}]}\nb: *x\nc: {<<: *x}\n",
        b"kind: Pod\na: 1\nspec: {containers: [{name: a, name: b}]}\n",
        '{"kind": "Pod", "x": "\\ud83d\\ude00", "y": "\\ud83d", "é": "\u2028\x85"}'.encode(),
        b"kind: Pod\nspec: {{ .Values.spec }}\n",
        b"# trainlint: ignore[x] because\nkind: Other\n",
        b"kind: Pod\n" + b"a: " + b"[" * 200 + b"]" * 200,
        b"kind: Pod\nx: \xff\n",
    ],
)
def test_odd_contents_come_back_as_they_were(content: bytes) -> None:
    for name in ("a.yaml", "a.json", "kustomization.yaml", "a.yaml.j2"):
        reading = read(name, content, KINDS)
        line = to_json(reading)
        assert line is not None
        assert shown(from_json(name, line)) == shown(reading)


def test_a_number_that_json_cannot_hold_is_not_cached_and_harms_no_other(tmp_path: Path, home: Path) -> None:
    root = write(tmp_path / "w", {"a.yaml": f"kind: Pod\nmetadata: {{name: a}}\nx: {'9' * 5000}\n"})
    assert report(root, cache=True) == report(root, cache=True) == report(root, cache=False)


def test_aliases_that_stand_for_far_more_than_is_written_stay_out_of_the_cache(tmp_path: Path, home: Path) -> None:
    bomb = "kind: Pod\na: &a [" + "x, " * 90 + "]\nb: [" + "*a, " * 90 + "]\n"
    report(write(tmp_path / "w", {"a.yaml": bomb, "b.yaml": POD % "b"}), cache=True)
    assert len(kept(home)[0].read_bytes().splitlines()) == 2  # the head, and the entry of b.yaml


# What can become of its files.


def damages(whole: bytes) -> dict[str, bytes]:
    middle = len(whole) // 2
    return {
        "empty": b"",
        "truncated": whole[:middle],
        "last byte gone": whole[:-1],
        "a byte flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "another name in it": whole.replace(b'"name":"a"', b'"name":"z"'),
        "binary": bytes(range(256)) * 20,
        "a head alone": whole.partition(b"\n")[0],
        "twice": whole * 2,
    }


@pytest.mark.parametrize("name", list(damages(b"some")))
def test_a_damaged_cache_is_ignored_and_replaced(root: Path, home: Path, name: str) -> None:
    expected = report(root, cache=True)
    (file,) = kept(home)
    whole = file.read_bytes()
    assert damages(whole)[name] != whole
    file.write_bytes(damages(whole)[name])
    assert report(root, cache=True) == expected
    assert file.read_bytes() == whole
    assert kept(home) == [file]


@pytest.mark.parametrize("line", [b"nonsense", b"{}", b"[1,2,3,4,5]", b'[[["x"]],[],[],[],[]]', b"[[],[],[],[],[[1]]]"])
def test_entries_of_another_user_are_read_anew(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    expected = report(root, cache=True)
    monkeypatch.setattr(module, "_entries", lambda file: [(key, line) for key, _ in ENTRIES(file)])
    assert report(root, cache=True) == expected


ENTRIES = module._entries


def test_the_cache_is_plain_text_that_only_its_user_may_read(root: Path, home: Path) -> None:
    report(root, cache=True)
    (file,) = kept(home)
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    assert head.startswith("what trainlint read, sha256 ")
    for line in lines:
        key, _, entry = line.partition(" ")
        assert len(bytes.fromhex(key)) == 32
        assert entry == "" or isinstance(json.loads(entry), list)
    if os.name == "posix":
        assert (home.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_directory_that_cannot_be_made_is_no_reason_to_fail(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("here is no directory")
    monkeypatch.setenv("TRAINLINT_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert report(root, cache=True) == report(root, cache=False)


def test_a_disk_that_is_full_or_read_only_is_no_reason_to_fail(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_whole", full)
    assert report(root, cache=True) == report(root, cache=False)
    assert kept(home) == []


def test_without_a_home_there_is_no_cache(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRAINLINT_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert cache_directory() is None
    assert report(root, cache=True) == report(root, cache=False)


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "home/.cache/trainlint"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/trainlint"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "home/.cache/trainlint"),
        ("linux", {"XDG_CACHE_HOME": "/x", "TRAINLINT_CACHE_DIR": "/own"}, "/own"),
        ("darwin", {}, "home/Library/Caches/trainlint"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/trainlint/Cache"),
        ("win32", {}, None),
    ],
)
def test_where_the_cache_is(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], expected: str | None
) -> None:
    """XDG Base Directory Specification: a relative path is to be ignored."""
    for name in ("TRAINLINT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert cache_directory() == (Path(expected) if expected else None)


def test_each_version_of_code_python_and_parser_has_a_cache_of_its_own(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("__version__", "9.9"), ("code", lambda: "other"), ("_parser", lambda: "other")):
        report(root, cache=True)
        before = kept(home)
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            report(root, cache=True)
        assert len(kept(home)) == len(before) + 1
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version", "3.99.0")
        report(root, cache=True)
    assert len(kept(home)) == 5


def test_other_kinds_have_a_cache_of_their_own(root: Path) -> None:
    world = discover([root])
    jobs, pods = (open_cache(world, KindFilter({kind})) for kind in ("Job", "Pod"))
    assert jobs is not None
    assert pods is not None
    (file,) = (each for each in world.files if each.name == "a.yaml")
    assert jobs.read(file).documents == ()
    jobs.save()
    assert len(pods.read(file).documents) == 1


def test_standard_input_leaves_no_trace(root: Path, home: Path) -> None:
    check([root, Path("-")], stdin=(POD % "secret").encode(), cache=True)
    assert kept(home)
    assert all(b"secret" not in file.read_bytes() for file in kept(home))


# How large it gets.


def test_the_oldest_caches_go_when_all_of_them_are_too_large(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        report(write(tmp_path / f"w{number}", {"a.yaml": POD % "a"}), cache=True)
        for age, file in enumerate(sorted(kept(home), key=lambda file: -file.stat().st_mtime)):
            os.utime(file, (time.time() - 60 * age, time.time() - 60 * age))
    oldest = min(kept(home), key=lambda file: file.stat().st_mtime)
    size = oldest.stat().st_size
    monkeypatch.setattr(module, "MAX_TOTAL", 4 * size)
    report(write(tmp_path / "w9", {"a.yaml": POD % "a"}), cache=True)
    assert len(kept(home)) == 4
    assert oldest not in kept(home)


def test_a_cache_in_use_stays_young(root: Path, home: Path) -> None:
    report(root, cache=True)
    (file,) = kept(home)
    os.utime(file, (1, 1))
    report(root, cache=True)
    assert file.stat().st_mtime > time.time() - 60


def test_what_is_not_asked_for_any_more_goes_in_the_end(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SPARE", 0)
    root = tmp_path / "w"
    for number in range(20):
        report(write(root, {"a.yaml": POD % f"a{number}"}), cache=True)
    (file,) = kept(home)
    assert len(file.read_bytes().splitlines()) <= 3


def test_what_a_run_that_broke_off_left_behind_goes_and_other_files_stay(root: Path, home: Path) -> None:
    write(home, {".trainlint-x.readings": "", "mine.part": "", "notes.txt": ""})
    for file in kept(home):
        os.utime(file, (1, 1))
    write(home, {".trainlint-y.readings": "under way"})
    report(root, cache=True)
    assert {file.name for file in kept(home) if file.stem != file.name[:40]} == {
        ".trainlint-y.readings",
        "mine.part",
        "notes.txt",
    }


# The command, and several of them at once.


def test_runs_at_the_same_time_do_not_harm_each_other(tmp_path: Path, home: Path) -> None:
    root = write(tmp_path / "w", {f"{number}.yaml": POD % f"p{number}" for number in range(40)})
    write(root, {"broken.yaml": BROKEN})
    command = [*CLI, "--output", "json", str(root)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outputs = {run.communicate()[0] for run in runs}
    assert {run.returncode for run in runs} == {1}
    assert len(outputs) == 1
    (file,) = kept(home)
    assert len(list(ENTRIES(file))) == 41


def test_the_command_caches_unless_it_is_told_not_to(root: Path, home: Path) -> None:
    without = subprocess.run([*CLI, "--no-cache", str(root)], capture_output=True, text=True, check=False)
    assert kept(home) == []
    with_cache = subprocess.run([*CLI, str(root)], capture_output=True, text=True, check=False)
    assert len(kept(home)) == 1
    assert (without.returncode, without.stdout) == (with_cache.returncode, with_cache.stdout)
    assert without.returncode == 1


def test_as_a_library_nothing_is_kept_unless_it_is_asked_for(root: Path, home: Path) -> None:
    lint(root, today=TODAY)
    assert kept(home) == []


def test_a_file_that_cannot_be_read_is_asked_again_next_time(tmp_path: Path, home: Path) -> None:
    root = write(tmp_path / "w", {"a.yaml": POD % "a"})
    world = discover([root])
    cache = open_cache(world, KINDS)
    assert cache is not None
    gone = SourceFile(str(root / "gone.yaml"), "gone.yaml")
    assert "cannot be read" in cache.read(gone).unknowns[0].missing
    cache.save()
    assert kept(home) == []
