"""Small repositories with policies, and what one rule says about them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.engine.worlds import TODAY

from trainlint.engine import check
from trainlint.result import Placed

__all__ = ["CILIUM", "JOB", "cni", "cnp", "deployment", "knp", "places", "told", "told_of_change"]

IDENTITY = ("-c", "user.name=example", "-c", "user.email=example@example.invalid", "-c", "init.defaultBranch=main")

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        metadata: {labels: {app: train}}
        spec:
          containers: [{name: pytorch, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: "8"}}}]
"""


def cni(name: str, version: str = "", **options: str) -> str:
    """A trainlint.yaml that states the network plugin; ``_`` in the names of options stands for ``-``."""
    named = "".join(f'"{key.replace("_", "-")}": "{value}", ' for key, value in options.items())
    stated = f', version: "{version}"' if version else ""
    return f"clusters: [{{name: c, cni: {{name: {name}{stated}, options: {{{named}}}}}}}]\n"


CILIUM = cni("cilium", "1.20")


def cnp(spec: str, name: str = "p", namespace: str = "ml") -> str:
    """A CiliumNetworkPolicy: the spec begins in line 5."""
    head = "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\n"
    return f"{head}metadata: {{name: {name}, namespace: {namespace}}}\nspec:\n{spec}"


def knp(spec: str, name: str = "k", namespace: str = "ml") -> str:
    """A NetworkPolicy: the spec begins in line 5."""
    head = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
    return f"{head}metadata: {{name: {name}, namespace: {namespace}}}\nspec:\n{spec}"


def deployment(name: str, labels: str, namespace: str = "ml", *, spec: str = "", replicas: int = 1) -> str:
    """A Deployment with these labels; ``spec`` are further fields of its pods in YAML flow style."""
    return (
        f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: {namespace}}}\n"
        f"spec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{{labels}}}}}\n  template:\n"
        f"    metadata: {{labels: {{{labels}}}}}\n"
        f'    spec: {{containers: [{{name: {name}, image: "registry.example/{name}:1"}}]{spec}}}\n'
    )


def told(root: Path, rule: str, files: Mapping[str, str]) -> list[Placed]:
    """The findings of a rule about a repository with these files."""
    _write(root, files)
    result = check([root], select=frozenset([rule]), today=TODAY)
    assert result.failures == ()
    return list(result.findings)


def told_of_change(root: Path, rule: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[Placed]:
    """The findings of a rule about a change: ``after`` are all files that there are then."""
    _write(root, before)
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "base")
    for name in before:
        (root / name).unlink()
    _write(root, after)
    result = check([root], select=frozenset([rule]), today=TODAY, base="HEAD")
    assert result.failures == ()
    return list(result.findings)


def places(found: list[Placed]) -> list[str]:
    """``file:line`` of findings, sorted."""
    return sorted(f"{each.finding.at.file}:{each.span.line}" for each in found)


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, *arguments], cwd=root, check=True, capture_output=True)
