"""What is written whole or not at all, what is read from a cache that others wrote, and what few lines stand for."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.source.repositories import commit, repository, write

pytestmark = [pytest.mark.needs("git"), pytest.mark.skipif(sys.platform == "win32", reason="links and signals")]

JOB = (
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: NAME, labels: {on: yes}}\n"
    "spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}\n"
)
FIXED = JOB.replace("on: yes", 'on: "yes"')


def trainlint(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "trainlint", *arguments],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# Links.


@pytest.mark.parametrize("link", ["file", "directory", "chain", "absolute", "git"])
def test_fixes_are_not_written_through_links_out_of_the_repository(tmp_path: Path, link: str) -> None:
    home = repository(tmp_path / "r", {"own.yaml": JOB.replace("NAME", "own")})
    victim = tmp_path / "theirs/victim.yaml"
    write(tmp_path, {"theirs/victim.yaml": JOB.replace("NAME", "theirs")})
    write(home, {".git/victim.yaml": JOB.replace("NAME", "git")})
    match link:
        case "file":
            (home / "a.yaml").symlink_to("../theirs/victim.yaml")
        case "directory":
            (home / "a").symlink_to("../theirs")
        case "chain":
            (home / "first").symlink_to("second")
            (home / "second").symlink_to("../theirs")
        case "absolute":
            (home / "a.yaml").symlink_to(victim)
        case _:
            (home / "a.yaml").symlink_to(".git/victim.yaml")
    commit(home)
    trainlint("check", "--fix", "--unsafe-fixes", cwd=home)
    assert '"yes"' in (home / "own.yaml").read_text()
    assert victim.read_text() == JOB.replace("NAME", "theirs")
    assert (home / ".git/victim.yaml").read_text() == JOB.replace("NAME", "git")


def test_a_file_of_two_names_is_replaced_under_the_one_that_was_read(tmp_path: Path) -> None:
    """A hard link keeps what it had: no write goes through it."""
    home = repository(tmp_path / "r", {"a.yaml": JOB.replace("NAME", "a")})
    os.link(home / "a.yaml", tmp_path / "second.yaml")
    trainlint("check", "--fix", cwd=home)
    assert (home / "a.yaml").read_text() == FIXED.replace("NAME", "a")
    assert (tmp_path / "second.yaml").read_text() == JOB.replace("NAME", "a")


# Interrupted writes.

MOMENTS = {
    "before the new content": ("os.fdopen", "before"),
    "before it is on the disk": ("os.fsync", "before"),
    "before the old file is replaced": ("pathlib.Path.replace", "before"),
    "after the old file is replaced": ("pathlib.Path.replace", "after"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_while_it_writes_leaves_whole_files(tmp_path: Path, moment: str) -> None:
    """Of three files that are to be changed the second one is interrupted."""
    names = ("a", "b", "c")
    home = repository(tmp_path / "r", {f"{name}.yaml": JOB.replace("NAME", name) for name in names})
    function, when = MOMENTS[moment]
    code = (
        "import importlib, os, signal, sys\n"
        f"module, _, name = {function!r}.rpartition('.')\n"
        "owner = importlib.import_module('os') if module == 'os' else importlib.import_module('pathlib').Path\n"
        "real, calls = getattr(owner, name), []\n"
        "def killed(*arguments, **more):\n"
        "    ours = name != 'fdopen' or 'w' in str(arguments[1:])\n"
        "    calls.extend([1] if ours else [])\n"
        "    if len(calls) == 2 and ours:\n"
        f"        if {when!r} == 'after':\n"
        "            real(*arguments, **more)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return real(*arguments, **more)\n"
        "from trainlint.cli.main import main\n"
        "import trainlint.fix.store, tempfile\n"
        "setattr(owner, name, killed)\n"
        "sys.argv = ['trainlint', 'check', '--fix', '--no-cache']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=home, capture_output=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    texts = [(home / f"{name}.yaml").read_text() for name in names]
    new = 2 if when == "after" else 1
    assert texts == [(FIXED if number < new else JOB).replace("NAME", name) for number, name in enumerate(names)]
    again = trainlint("check", "--fix", cwd=home)
    assert again.returncode in (0, 1), again.stderr
    assert [(home / f"{name}.yaml").read_text() for name in names] == [FIXED.replace("NAME", name) for name in names]


@pytest.mark.parametrize("seconds", [0.3, 0.6, 0.9, 1.2])
def test_a_run_that_is_killed_at_any_time_leaves_whole_files(tmp_path: Path, seconds: float) -> None:
    names = [f"f{number}" for number in range(40)]
    home = repository(tmp_path / "r", {f"{name}.yaml": JOB.replace("NAME", name) for name in names})
    command = [sys.executable, "-I", "-m", "trainlint", "check", "--fix", "--no-cache"]
    with subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        time.sleep(seconds)
        run.kill()
    for name in names:
        assert (home / f"{name}.yaml").read_text() in (JOB.replace("NAME", name), FIXED.replace("NAME", name))


WRITES = {
    "--output": ("report.json", ["check", "--output=json=report.json"]),
    "--write-baseline": ("base.json", ["check", "--write-baseline=base.json"]),
    "--fix": ("a.yaml", ["check", "--fix"]),
    "init": ("trainlint.yaml", ["init"]),
}


def before(root: Path, option: str) -> tuple[Path, bytes | None]:
    """A repository with something to report or repair, and what stands where that is to be written."""
    home = repository(root / "r", {})
    name = home / WRITES[option][0]
    match option:
        case "--output":
            name.write_bytes(b"old")
        case "--write-baseline":
            trainlint("check", "--write-baseline=base.json", cwd=home)
    write(home, {"a.yaml": JOB.replace("NAME", "a")})
    return home, name.read_bytes() if name.exists() else None


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("option", WRITES)
def test_a_report_that_is_interrupted_leaves_the_old_one(tmp_path: Path, option: str, signal_: signal.Signals) -> None:
    """The signal comes when the new content is written and the old file still there."""
    name, arguments = WRITES[option]
    home, old = before(tmp_path, option)
    code = (
        "import os, pathlib, sys, time\n"
        "real = pathlib.Path.replace\n"
        "def interrupted(self, target):\n"
        f"    if str(target).endswith({name!r}):\n"
        f"        os.kill(os.getpid(), {int(signal_)})\n"
        "        time.sleep(5)\n"
        "    return real(self, target)\n"
        "pathlib.Path.replace = interrupted\n"
        "from trainlint.cli.main import main\n"
        f"sys.argv = ['trainlint', *{arguments!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=home, capture_output=True, timeout=60, check=False)
    assert done.returncode == (-signal.SIGKILL if signal_ is signal.SIGKILL else 128 + signal_), done.stderr
    assert ((home / name).read_bytes() if (home / name).exists() else None) == old
    left = [each.name for each in home.iterdir() if each.name.startswith(".trainlint-")]
    assert not left or signal_ is signal.SIGKILL, "a run that is told to stop cleans up"
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("option", WRITES)
def test_a_disk_that_is_full_is_a_message_and_the_old_file_stays(tmp_path: Path, option: str) -> None:
    name, arguments = WRITES[option]
    home, old = before(tmp_path, option)
    code = (
        "import os, sys\n"
        "def full(*_):\n"
        "    raise OSError(28, 'No space left on device')\n"
        "os.fsync = full\n"
        "from trainlint.cli.main import main\n"
        f"sys.argv = ['trainlint', *{arguments!r}]\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=home, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert f"{name}: " in done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert ((home / name).read_bytes() if (home / name).exists() else None) == old
    assert not [each.name for each in home.iterdir() if each.name.startswith(".trainlint-")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_reports_go_to_devices_and_open_files_as_they_come(tmp_path: Path) -> None:
    home = repository(tmp_path / "r", {"a.yaml": TWICE})
    done = trainlint("check", "--output=text", "--output=concise=/dev/stderr", cwd=home)
    assert (done.returncode, "a.yaml:2:1" in done.stderr) == (1, True), done.stderr
    done = trainlint("check", "--output=concise=/dev/full", cwd=home)
    assert (done.returncode, "No space left on device" in done.stderr) == (2, True), done.stderr


# A cache that another user has written.

TWICE = "kind: Pod\nkind: Pod\n"


@pytest.mark.parametrize("what", ["nothing", "garbage", "half", "other", "list", "numbers", "deep", "huge"])
def test_an_entry_of_the_cache_that_is_none_changes_no_report(tmp_path: Path, what: str) -> None:
    home, cache = repository(tmp_path / "r", {"a.yaml": TWICE, "b.yaml": JOB}), tmp_path / "cache"
    told = [trainlint("check", "--output=json", cwd=home, TRAINLINT_CACHE_DIR=str(cache)) for _ in range(2)]
    assert told[0].stdout == told[1].stdout
    contents = {
        "nothing": b"",
        "garbage": os.urandom(4096),
        "list": b"[]",
        "numbers": b'{"version": 1, "files": {"a.yaml": 5}}',
        "deep": b"[" * 100_000,
        "huge": b'{"a": ' + b"9" * 100_000 + b"}",
    }
    entries = [path for path in cache.rglob("*") if path.is_file()]
    assert entries
    for entry in entries:
        old = entry.read_bytes()
        other = old.replace(b"a.yaml", b"b.yaml").replace(b"kind", b"dnik")
        entry.write_bytes({"half": old[: len(old) // 2], "other": other}.get(what, contents.get(what, b"")))
    done = trainlint("check", "--output=json", cwd=home, TRAINLINT_CACHE_DIR=str(cache))
    assert (done.returncode, done.stdout) == (told[0].returncode, told[0].stdout), done.stderr


# Few lines that stand for many.

MEMORY = 1 << 30


def bombs() -> dict[str, str]:
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    laughs += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    merges = "m0: &m0 {a: b}\n" + "".join(
        f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}], k{n}: *m{n - 1}}}\n" for n in range(1, 12)
    )
    return {
        "laughs": JOB + laughs,
        "laughs in labels": laughs + JOB.replace("{on: yes}", "*a9"),
        "merges": merges + JOB,
        "itself": JOB.replace("labels: {on: yes}", "labels: &l {a: *l}"),
        "deep maps": "a: " + "{a: " * 50_000 + "}" * 50_000,
        "deep lists": "[" * 200_000,
        "deep blocks": "".join(f"{' ' * n}a:\n" for n in range(3000)),
        "long key": f"? {'x' * 2_000_000}\n: 1\n" + JOB,
        "long scalar": JOB + f"a: {'x' * 4_000_000}\n",
        "documents": "---\na: b\n" * 100_000,
        "anchors": "".join(f"a{n}: &x{n} 1\n" for n in range(50_000)),
        "comments": "# x\n" * 300_000 + JOB,
        "tags": JOB + "a: !<" + "x" * 100_000 + "> 1\n",
        "directives": "%TAG ! x\n" * 20_000 + "---\n" + JOB,
        "escapes": JOB + 'a: "' + "\\u0041" * 300_000 + '"\n',
        "digits": JOB.replace("NAME", "9" * 100_000),
        "folds": JOB + "a: >\n" + " x\n\n" * 200_000,
    }


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


@pytest.mark.parametrize("name", bombs())
def test_bombs_of_yaml_are_answered_with_little_memory_and_time(tmp_path: Path, name: str) -> None:
    """The file beside them is judged as ever."""
    write(tmp_path, {"bomb.yaml": bombs()[name], "good.yaml": TWICE})
    command = [sys.executable, "-I", "-m", "trainlint", "check", ".", "--output=concise", "--no-cache"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limited, timeout=120, check=False
    )
    assert done.returncode == 1, done.stderr[-500:]
    assert "good.yaml:2" in done.stdout
