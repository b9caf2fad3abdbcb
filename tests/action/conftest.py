"""The action, installed by its own first step, once for all tests; and an API that answers on this machine."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.action.runner import Job

SHIM = """\
#!/bin/sh
# Where there is no network: the packages that trainlint needs are those of the environment of the tests.
"{python}" "$@" || exit
if [ "$1 $2 $3" = "-I -m venv" ]; then
  for last; do :; done
  for packages in "$last"/lib/python3*/site-packages; do echo "{packages}" > "$packages/dependencies.pth"; done
fi
"""


def offline(folder: Path) -> dict[str, str]:
    """Variables under which the first step needs no network; none under CI, where it installs as a user's would."""
    if os.environ.get("CI"):
        return {}
    folder.mkdir()
    shim = folder / "python3"
    shim.write_text(SHIM.format(python=sys.executable, packages=sysconfig.get_path("purelib")))
    shim.chmod(0o755)
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's reading of it: isolation is off
    }


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job that ran the first step; its environment holds trainlint from this checkout."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "workspace").mkdir()
    job = Job(folder / "workspace", folder / "temp", environment=offline(folder / "shims"))
    job.temp.mkdir()
    return job.run("Install trainlint")


@dataclass
class Api:
    """The part of GitHub's API that the action uses: comments of pull requests, by pages."""

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)
    refuse: int = 0
    """The status with which writing is answered, if it is refused."""
    broken: bool = False
    """Whether answers are no JSON."""

    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]

    def add(self, body: str, kind: str = "User") -> None:
        self.comments.append({"id": 100 + len(self.comments), "user": {"type": kind, "login": "x"}, "body": body})


def _handler(api: Api) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self._note(parts.path)
            query = parse_qs(parts.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            self._answer(200, api.comments[size * (page - 1) : size * page])

        def do_POST(self) -> None:
            self._note(self.path)
            if api.refuse:
                return self._answer(api.refuse, {"message": "Resource not accessible by integration"})
            api.add(self._body(), "Bot")
            return self._answer(201, api.comments[-1])

        def do_PATCH(self) -> None:
            self._note(self.path)
            if api.refuse:
                return self._answer(api.refuse, {"message": "Resource not accessible by integration"})
            number = int(self.path.rpartition("/")[2])
            (found,) = (comment for comment in api.comments if comment["id"] == number)
            found["body"] = self._body()
            return self._answer(200, found)

        def _note(self, path: str) -> None:
            api.requests.append((self.command, path))
            api.tokens.add(self.headers["Authorization"])

        def _body(self) -> str:
            data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert set(data) == {"body"}
            assert len(data["body"]) <= 65_536, "GitHub answers 422"
            return str(data["body"])

        def _answer(self, status: int, data: Any) -> None:
            content = b"<html>" if api.broken else json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def api() -> Iterator[Api]:
    found = Api()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()
