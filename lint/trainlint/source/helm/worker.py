"""The process in which helm renders: it may hang, run out of memory or crash, and is then replaced.

It is started by its file, isolated (`-I`), and imports nothing of trainlint. What it is asked stands on its standard
input, one JSON object a line; what came of it on its standard output, likewise.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from trainlint.lazy_pattern import lazy_pattern

MAX_MEMORY = 4 << 30
"""Addresses: a program in Go reserves far more than it holds."""
MAX_HELD = 640 << 20
"""Bytes that it holds."""
MAX_OUTPUT = 64 << 20
_SOURCE = lazy_pattern(r"^# Source: (\S.*)$", re.MULTILINE)
_ANOTHER_USER = 0x10000000  # CLONE_NEWUSER
_ANOTHER_NETWORK = 0x40000000  # CLONE_NEWNET


def main() -> None:
    """Answer until the input ends. Arguments: the program to run, or the directory of the SDK after ``sdk``."""
    confine()
    if sys.argv[1] == "sdk":
        keep_to(sys.argv[2])
    render = sdk(sys.argv[2]) if sys.argv[1] == "sdk" else program(sys.argv[2])
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer: dict[str, Any] = {"manifests": render(asked)}
        except Exception as error:  # whatever it is, it is about this chart
            answer = {"error": str(error) or type(error).__name__}
        text = json.dumps(answer)
        if len(text) > MAX_OUTPUT:
            text = json.dumps({"error": f"it renders to more than {MAX_OUTPUT >> 20} MiB"})
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def confine() -> None:
    """No more memory than a chart needs, no network where the system lets us go without, no core files."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 (not on Windows)

        limits = ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_DATA, MAX_HELD), (resource.RLIMIT_CORE, 0))
        for limit, value in limits:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (value, value))
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            if libc.unshare(_ANOTHER_NETWORK | _ANOTHER_USER):
                libc.unshare(_ANOTHER_NETWORK)


def keep_to(home: str) -> None:
    """Leave this process no files but those of the system, of the SDK, and the copies of charts."""
    spec = spec_from_file_location("landlock", Path(__file__).resolve().parents[1] / "landlock.py")
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        places = [*module.SYSTEM, sys.base_prefix, sys.prefix, home, tempfile.gettempdir()]
        module.confine(places, [str(Path.cwd()), os.devnull])


def sdk(home: str) -> Any:
    """Render by the library of helm-python-sdk, which was found in the directory ``home``."""
    sys.path.append(home)
    from helm_python import Chart, _native  # noqa: PLC0415

    def render(asked: dict[str, Any]) -> dict[str, str]:
        options = {key: asked[key] for key in ("name", "namespace", "kube_version", "api_versions") if asked[key]}
        with Chart.load(asked["chart"]) as chart:
            # Chart.render passes on neither the version of Kubernetes nor its APIs.
            text = _native.call_string("helm_render", chart._raw(), asked["values"], json.dumps(options))
        rendered: dict[str, str] = json.loads(text)
        return rendered

    return render


def program(path: str) -> Any:
    """Render by the program ``helm``, which has no plugins, repositories or cluster here."""
    home = tempfile.mkdtemp(dir=Path.cwd())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HELM_", "KUBE"))}
    environment |= {"KUBECONFIG": os.devnull, "HOME": home}
    environment |= {f"HELM_{name}_HOME": home for name in ("CACHE", "CONFIG", "DATA")}
    environment["HELM_PLUGINS"] = home

    def render(asked: dict[str, Any]) -> dict[str, str]:
        values = Path(home, "values.json")
        values.write_text(asked["values"], encoding="utf-8")
        command = [path, "template", f"--namespace={asked['namespace']}", f"--values={values}"]
        if asked["kube_version"]:
            command.append(f"--kube-version={asked['kube_version']}")
        command += [f"--api-versions={each}" for each in asked["api_versions"]]
        command += ["--", asked["name"], asked["chart"]]
        with tempfile.TemporaryFile(dir=home) as output:
            done = subprocess.run(  # noqa: S603 (a program that was found on the PATH, no shell)
                command, check=False, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE
            )
            if done.returncode:
                raise RuntimeError(done.stderr.decode("utf-8", "replace").strip().removeprefix("Error: "))
            if output.tell() > MAX_OUTPUT:
                raise RuntimeError(f"it renders to more than {MAX_OUTPUT >> 20} MiB")
            output.seek(0)
            return by_source(output.read().decode("utf-8", "replace"))

    return render


def by_source(text: str) -> dict[str, str]:
    """What each template made, from the comments with which ``helm template`` marks it."""
    found: dict[str, list[str]] = {}
    marks = list(_SOURCE.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):  # one end too many where nothing was made
        part = text[mark.end() + 1 : end]
        found.setdefault(mark[1], []).append(part.removesuffix("---\n"))
    return {source: "---\n".join(parts) for source, parts in found.items()}


if __name__ == "__main__":
    main()
