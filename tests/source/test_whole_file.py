"""A file is written whole or not at all: after an interruption at any step the old one is there, and nothing else."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from trainlint.source.whole_file import write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions, links and pipes")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), SystemExit(143)])
@pytest.mark.parametrize("step", ["os.open", "os.fdopen", "os.fsync", "pathlib.Path.chmod", "pathlib.Path.replace"])
def test_an_interruption_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(b"old")

    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    monkeypatch.setattr(step, fail)
    with pytest.raises(type(error)):
        write_whole(file, (b"new",))
    monkeypatch.undo()
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("report.json", b"old")]


@pytest.mark.parametrize("old", [b"old", None])
def test_an_interruption_in_the_middle_of_the_content_leaves_nothing_of_it(tmp_path: Path, old: bytes | None) -> None:
    file = tmp_path / "report.json"
    if old is not None:
        file.write_bytes(old)

    def content() -> object:
        yield b"x" * 100_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(file, content())  # type: ignore[arg-type]
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [] if old is None else [old]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755])
def test_the_permissions_of_the_old_file_stay(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    file.chmod(mode)
    write_whole(file, (b"n", b"ew"))
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", mode)


@posix
def test_a_new_file_has_the_permissions_of_the_user(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a", (b"new",))
        write_whole(tmp_path / "b", (b"new",), mode=0o600)
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "ab"] == [0o640, 0o600]


@posix
def test_a_private_file_replaces_whatever_stands_there(tmp_path: Path) -> None:
    """An entry of the cache that another user made: open to all, a link, or a pipe that would never be read."""
    (tmp_path / "theirs").write_bytes(b"precious")
    (tmp_path / "open").write_bytes(b"old")
    (tmp_path / "open").chmod(0o666)
    (tmp_path / "link").symlink_to("theirs")
    os.mkfifo(tmp_path / "pipe")
    for name in ("open", "link", "pipe"):
        write_whole(tmp_path / name, (b"new",), mode=0o600, durable=False)
        state = (tmp_path / name).lstat()
        assert (stat.S_ISREG(state.st_mode), stat.S_IMODE(state.st_mode)) == (True, 0o600)
    assert (tmp_path / "theirs").read_bytes() == b"precious"


@posix
def test_a_device_takes_the_content(tmp_path: Path) -> None:
    write_whole(Path(os.devnull), (b"new",))
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="No space left"):
            write_whole(Path("/dev/full"), (b"new",))
