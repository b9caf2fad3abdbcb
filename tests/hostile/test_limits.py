"""Nothing of a repository stalls a run, takes all the memory or ends it: past a limit there is an unknown."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.source.repositories import write

from trainlint.source.complaint import complaint
from trainlint.source.listing import simple_lines
from trainlint.source.sandbox import MAX_HELD, MAX_MEMORY

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a}]}\n"
DIGITS = "9" * 5000
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


def has_landlock() -> bool:
    """Whether the kernel takes files from a process."""
    code = "import sys; from trainlint.source.landlock import confine; sys.exit(not confine(['/'], ['/']))"
    return subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def checked(home: Path, **variables: str) -> dict[str, object]:
    """The JSON report of a run, which must not end with 70."""
    command = [sys.executable, "-I", "-m", "trainlint", "check", ".", "--output=json", "--no-cache"]
    done = subprocess.run(
        command, cwd=home, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, object] = json.loads(done.stdout)
    return report


NUMBERS = {
    "quantity": f'apiVersion: v1\nkind: Node\nmetadata: {{name: n}}\nstatus: {{allocatable: {{cpu: "{DIGITS}"}}}}\n',
    "argument": POD.replace("image: a", f"image: a, command: [torchrun, --nnodes={DIGITS}, train.py]"),
    "port": POD.replace("image: a", f"image: a, ports: [{{containerPort: {DIGITS}}}]"),
    "escaped": POD.replace("image: a", 'image: a, command: [torchrun, "--nnodes=' + "\\x39" * 5000 + '"]'),
    "folded": POD.replace("image: a", 'image: a, command: [torchrun, "--nnodes=' + "99\\\n " * 2500 + '"]'),
    "json": json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"a": DIGITS}}}),
    "json number": f'{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "a"}}, "spec": {{"x": {DIGITS}}}}}',
    "other digits": POD.replace("image: a", f"image: a, command: [torchrun, --nnodes={'٣' * 5000}]"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_thousands_of_digits_are_unknown(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"a.yaml": NUMBERS[name], "b.yaml": POD.replace("name: a}", "name: b}", 1)})
    unknowns = checked(tmp_path)["unknowns"]
    assert "digits" in str(unknowns)


def test_a_key_that_is_too_long_for_yaml_is_a_syntax_error(tmp_path: Path) -> None:
    """Parsers look at most 1,024 characters ahead for the colon of a key, also the one of the API server's clients."""
    text = POD.replace("name: a}", f"name: a, labels: {{x{DIGITS}: a}}}}", 1)
    write(tmp_path, {"a.yaml": text, "b.yaml": POD.replace("name: a}", "name: b}", 1)})
    (finding,) = checked(tmp_path)["findings"]  # type: ignore[misc]
    assert (finding["rule"], finding["location"]["file"]) == ("syntax-error", "a.yaml")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"kind: Pod\nmetadata:\n  name: \xff\n", 3),
        (b"kind: Pod\r\nmetadata: \x00\r\n", 2),
        ("kind: Pod\nmetadata: ".encode("utf-16") + b"\x00\xd8\n\x00", 2),
    ],
)
def test_an_error_of_encoding_stands_where_it_is(tmp_path: Path, content: bytes, line: int) -> None:
    write(tmp_path, {"a.yaml": content})
    (unknown,) = checked(tmp_path)["unknowns"]  # type: ignore[misc]
    assert (unknown["file"], unknown["line"]) == ("a.yaml", line)


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("kind", ["resource", "patch", "kustomization", "laughs"])
def test_endless_aliases_below_a_kustomization_are_told_by_their_place(tmp_path: Path, kind: str) -> None:
    endless = POD.replace("metadata: {name: a}", "metadata: &m\n  name: a\n  annotations: *m")
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    laughs += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    files: dict[str, str | bytes] = {"kustomization.yaml": "namePrefix: x-\nresources: [a.yaml]\n", "a.yaml": POD}
    if kind == "resource":
        files["a.yaml"] = endless
    elif kind == "patch":
        files |= {"p.yaml": endless, "kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\n"}
    elif kind == "laughs":
        files["a.yaml"] = POD + laughs
    else:
        files["kustomization.yaml"] = "resources: [a.yaml]\npatches: &p [*p]\n"
    write(tmp_path, files)
    start = time.monotonic()
    report = str(checked(tmp_path))
    assert time.monotonic() - start < 20
    assert "goroutine" not in report
    assert "asm_amd64" not in report
    assert "anchor" in report or "aliases" in report


def test_a_program_that_breaks_off_is_quoted_in_one_line() -> None:
    trace = "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\n"
    trace += "goroutine 1 [running]:\nmain.f(0x1)\n\t/x.go:1 +0x1\n\ncreated by k8s.io/klog/v2.flush in goroutine 1\n"
    said = complaint(trace, "/copy").message
    assert said.startswith("it broke off (")
    assert "klog" not in said


def test_patterns_of_many_stars_are_left_out() -> None:
    assert simple_lines("*.log\n" + "a*" * 40 + "b\n**/x/**/y.yaml\n") == ["*.log", "**/x/**/y.yaml"]


# What renderers are kept in, told by stand-ins for kustomize.


def stand_in(home: Path, text: str) -> dict[str, str]:
    """Variables under which a script is the kustomize on the PATH, once it was asked for what shows that it works."""
    asked = "import pathlib, sys\nmade = pathlib.Path(sys.argv[-1], 'kustomization.yaml').read_text()\n"
    text = f"{asked}if 'literals' in made:\n    print('a: b')\n    sys.exit()\n{text}"
    program = home / "bin" / "kustomize"
    write(home, {"bin/kustomize": f"#!{os.path.realpath(sys.executable)} -I\n{text}"})
    program.chmod(0o755)
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


CHANGED: dict[str, str | bytes] = {"kustomization.yaml": "namePrefix: x-\nresources: [a.yaml]\n", "a.yaml": POD}


def has_networks() -> bool:
    """Whether this system lets users have networks of their own, asked without trainlint."""
    program = shutil.which("unshare")
    return program is not None and subprocess.run([program, "--user", "--net", "true"], check=False).returncode == 0


@linux
def test_a_renderer_has_a_limit_of_memory(tmp_path: Path) -> None:
    home = tmp_path / "r"
    write(home, dict(CHANGED))
    script = (
        "import resource, sys, time\ntime.sleep(0.5)\nlimits = resource.RLIMIT_AS, resource.RLIMIT_DATA\n"
        "sys.exit(f'it has {[resource.getrlimit(each) for each in limits]}')\n"
    )
    report = checked(home, **stand_in(tmp_path, script))
    assert f"it has {[(MAX_MEMORY, MAX_MEMORY), (MAX_HELD, MAX_HELD)]}" in str(report)


@linux
@pytest.mark.skipif(not has_networks(), reason="this system gives no network of its own")
def test_a_renderer_does_not_reach_this_machine(tmp_path: Path) -> None:
    home = tmp_path / "r"
    write(home, dict(CHANGED))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        script = f"import socket, sys\ntry:\n    socket.create_connection({address!r}, 2)\n"
        script += "except OSError as error:\n    sys.exit(f'it says {error}')\nsys.exit('it says reached')\n"
        report = str(checked(home, **stand_in(tmp_path, script)))
    assert "it says" in report
    assert "it says reached" not in report


@linux
@pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")
def test_a_renderer_reads_and_writes_no_file_of_the_user(tmp_path: Path) -> None:
    home, secret = tmp_path / "r", tmp_path / "secret"
    write(home, dict(CHANGED))
    secret.write_text("0f-the-host")
    script = f"import sys\nsaid, secret = [], {str(secret)!r}\n"
    script += "for name, mode in ((secret, 'r'), (secret, 'a'), ('/etc/passwd', 'r')):\n"
    script += "    try:\n        open(name, mode)\n        said.append('opened')\n"
    script += "    except OSError as error:\n        said.append(str(error.errno))\nsys.exit(f'it says {said}')\n"
    report = str(checked(home, **stand_in(tmp_path, script)))
    assert "it says" in report
    assert "opened" not in report


@linux
def test_a_renderer_that_does_not_start_where_it_is_confined_is_not_confined(tmp_path: Path) -> None:
    home, needed = tmp_path / "r", tmp_path / "needed"
    write(home, dict(CHANGED))
    needed.write_text(POD.replace("name: a}", "name: x-a}", 1))
    program = tmp_path / "bin" / "kustomize"
    write(
        tmp_path, {"bin/kustomize": f"#!{os.path.realpath(sys.executable)} -I\nprint(open({str(needed)!r}).read())\n"}
    )
    program.chmod(0o755)
    report = checked(home, PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert report["unknowns"] == []


def helm_stand_in(home: Path, text: str) -> dict[str, str]:
    """Variables under which a script is the helm on the PATH."""
    program = home / "bin" / "helm"
    write(home, {"bin/helm": f"#!{os.path.realpath(sys.executable)} -I\n{text}"})
    program.chmod(0o755)
    return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}


CHART: dict[str, str | bytes] = {
    "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    "c/templates/a.yaml": POD,
}


@linux
@pytest.mark.parametrize("renderer", ["kustomize", "helm"])
def test_a_run_that_is_ended_ends_what_it_started(tmp_path: Path, renderer: str) -> None:
    home, temp = tmp_path / "r", tmp_path / "temp"
    write(home, dict(CHANGED if renderer == "kustomize" else CHART))
    temp.mkdir()
    where = "os.environ['TMPDIR']" if renderer == "kustomize" else "os.getcwd()"
    script = f"import os, time\nopen({where} + '/pid', 'w').write(str(os.getpid()))\ntime.sleep(100)\n"
    started = stand_in(tmp_path, script) if renderer == "kustomize" else helm_stand_in(tmp_path, script)
    variables = {**os.environ, **started, "TMPDIR": str(temp)}
    command = [sys.executable, "-I", "-m", "trainlint", "check", ".", "--no-cache"]
    with subprocess.Popen(command, cwd=home, env=variables, stdout=subprocess.DEVNULL) as run:
        timer = threading.Timer(60, run.kill)
        timer.start()
        process = ""
        while not process and run.poll() is None:
            time.sleep(0.05)
            process = "".join(each.read_text() for each in temp.glob("*/pid"))
        run.send_signal(signal.SIGTERM)
        assert run.wait() == 128 + signal.SIGTERM
        timer.cancel()
    assert list(temp.iterdir()) == []
    deadline = time.monotonic() + 5
    assert process
    while Path("/proc", process).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path("/proc", process).exists()
