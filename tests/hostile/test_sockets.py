"""No connection: a run over everything that is read and rendered, watched by strace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.source.repositories import git, repository

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a}]}\n"
NOWHERE = "http://127.0.0.1:9/x"
FILES: dict[str, str | bytes] = {
    "k/kustomization.yaml": f"namePrefix: x-\nresources: [a.yaml, '{NOWHERE}', 'https://github.com/a/b//c?ref=d']\n",
    "k/a.yaml": POD,
    "case/kustomization.yaml": f"namePrefix: x-\nresources: [a.yaml]\nResources: ['{NOWHERE}']\n",
    "case/a.yaml": POD,
    "helm/kustomization.yaml": f"helmCharts: [{{name: a, repo: '{NOWHERE}', version: 1.0.0}}]\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n"
    f"dependencies: [{{name: d, version: 1.0.0, repository: '{NOWHERE}'}}]\n",
    "chart/templates/a.yaml": POD + '# {{ lookup "v1" "Pod" "a" "b" }} {{ getHostByName "localhost" }}\n',
    "chart/values.schema.json": f'{{"\\u0024ref": "{NOWHERE}"}}',
    "argo.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n"
    f"  destination: {{namespace: a, server: '{NOWHERE}'}}\n  source: {{repoURL: '{NOWHERE}', chart: a, path: k}}\n",
    ".gitmodules": f'[submodule "m"]\n\tpath = m\n\turl = {NOWHERE}\n',
}


@pytest.mark.needs("git", "kustomize", "helm", "strace")
@pytest.mark.skipif(sys.platform != "linux", reason="strace")
def test_no_socket_of_the_network_is_opened(tmp_path: Path) -> None:
    home = repository(tmp_path / "r", dict(FILES))
    git(home, "remote", "add", "origin", NOWHERE)
    trace, programs = tmp_path / "trace", tmp_path / "bin"
    programs.mkdir()
    for name in (
        "git",
        "strace",
        "unshare",
    ):  # kubectl of the wheel: builds of some clouds ask a server for its version
        if path := shutil.which(name):
            (programs / name).symlink_to(path)
    command = ["strace", "-f", "-qq", "-e", "trace=socket,connect,sendto,sendmsg", "-o", str(trace)]
    command += [sys.executable, "-I", "-m", "trainlint", "check", ".", "--no-cache", "--base", "HEAD"]
    variables = {**os.environ, "PATH": str(programs)}
    done = subprocess.run(command, cwd=home, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert [line for line in trace.read_text().splitlines() if "AF_INET" in line or "AF_NETLINK" in line] == []
