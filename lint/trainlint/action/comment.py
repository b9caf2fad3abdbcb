"""Keep one comment of a pull request up to date. Without the permission to write there is none, and no failure."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

__all__ = ["main"]

TIMEOUT: Final = 20
PAGE: Final = 100
PAGES: Final = 50
LIMIT: Final = 65_536
"""Characters of a comment, GitHub's limit."""
FORBIDDEN: Final = frozenset({401, 403, 404})


def main() -> int:
    """Write the summary into the comment with this job's mark, or a new one if there are findings; the exit code 0."""
    number = _number()
    if number is None:
        print("trainlint: no comment: this is no pull request")
        return 0
    try:
        print(f"trainlint: {_update(number)}")
    except HTTPError as error:
        if error.code in FORBIDDEN:
            print(
                f"trainlint: no comment: the token of this job may not write one (HTTP {error.code}), as for pull "
                "requests from forks; otherwise give the job the permission `pull-requests: write`"
            )
        else:
            _warn(f"HTTP {error.code}")
    except (URLError, OSError, ValueError, KeyError, TypeError) as error:
        _warn(f"{type(error).__name__}: {error}")
    return 0


def _warn(reason: str) -> None:
    text = reason.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::warning title=trainlint::the comment could not be written: {text}")


def _number() -> int | None:
    """The number of the pull request."""
    try:
        event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())
        number = event["pull_request"]["number"]
    except (KeyError, OSError, TypeError, ValueError):
        return None
    return number if isinstance(number, int) else None


def _update(number: int) -> str:
    """Write the comment; what was done."""
    repository = os.environ["GITHUB_REPOSITORY"]
    mark = _mark()
    summary = Path(os.environ["SUMMARY_FILE"]).read_text(encoding="utf-8")
    body = f"{mark}\n{summary}"[:LIMIT]
    old = next((comment for comment in _comments(repository, number) if _is_ours(comment, mark)), None)
    if old is None:
        if os.environ.get("FINDINGS") == "0":
            return "no comment: nothing was found, and there is none to update"
        _call("POST", f"/repos/{repository}/issues/{number}/comments", {"body": body})
        return "comment written"
    if old["body"].replace("\r\n", "\n").rstrip() == body.rstrip():
        return "the comment is up to date"
    _call("PATCH", f"/repos/{repository}/issues/comments/{int(old['id'])}", {"body": body})
    return "comment updated"


def _mark() -> str:
    """Tells this job's comment from others; invisible in it."""
    parts = (os.environ.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB", "INPUT_PATHS"))
    return f"<!-- trainlint {hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]} -->"


def _is_ours(comment: dict[str, Any], mark: str) -> bool:
    """A comment of a bot that begins with the mark: people who copy it keep their words."""
    return comment["user"]["type"] == "Bot" and (comment["body"] or "").startswith(mark)


def _comments(repository: str, number: int) -> Iterator[dict[str, Any]]:
    for page in range(1, PAGES + 1):
        found = _call("GET", f"/repos/{repository}/issues/{number}/comments?per_page={PAGE}&page={page}")
        yield from found
        if len(found) < PAGE:
            return


def _call(method: str, path: str, data: dict[str, str] | None = None) -> Any:
    """One request to the API, and what it answers."""
    base = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    if not base.startswith(("https://", "http://")):
        raise ValueError(f"GITHUB_API_URL: {base}")
    request = Request(  # noqa: S310 (the scheme is checked)
        base + path,
        method=method,
        data=None if data is None else json.dumps(data).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
            "User-Agent": "trainlint",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
