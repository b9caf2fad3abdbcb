"""Small repositories with deployers, and what comes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainlint.deploy.remotes import archived
from trainlint.deploy.sources import Sources
from trainlint.model.settings import Settings
from trainlint.snapshot.build import Snapshot, build_snapshots
from trainlint.snapshot.fleet import find_fleet
from trainlint.snapshot.kinds import READ_KINDS
from trainlint.snapshot.repository import read_repository
from trainlint.source.library import Library
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read
from trainlint.source.world import SourceFile

__all__ = ["URL", "flux", "job", "names", "snapshots", "sync"]

URL = "https://git.example/team/fleet"


def snapshots(
    files: Mapping[str, str], *settings: Settings, remotes: Sequence[str] = (f"{URL}.git",)
) -> dict[str, Snapshot]:
    """The snapshots of a repository that holds these files, by name."""
    kinds = KindFilter(READ_KINDS)
    readings = [read(name, text.encode(), kinds) for name, text in sorted(files.items())]
    library = Library(SourceFile(name, name, content=text.encode()) for name, text in files.items())
    repository = read_repository(readings, sorted(files))
    stated = settings or (Settings(),)
    written = [(each.meta, each.field) for each in repository.objects]
    sources = Sources(library, lambda: remotes, artifacts=lambda: archived(written))
    made = build_snapshots(repository, stated, find_fleet(repository, stated, sources))
    assert len({each.name for each in made}) == len(made)
    return {each.name: each for each in made}


def names(snapshot: Snapshot) -> set[str]:
    """Kind and ``namespace/name`` of everything in a snapshot that is no deployer."""
    kinds = {"Application", "ApplicationSet", "AppProject", "GitRepository", "Kustomization", "HelmRelease"}
    return {str(each.ref) for each in snapshot.objects if each.meta.kind not in kinds}


def job(name: str = "train", namespace: str = "", replicas: str = "2") -> str:
    """A Job of several pods."""
    where = f', namespace: "{namespace}"' if namespace else ""
    return f"""apiVersion: batch/v1
kind: Job
metadata: {{name: "{name}"{where}}}
spec:
  parallelism: {replicas}
  template: {{spec: {{containers: [{{name: a, image: "r.example/a:1"}}]}}}}
"""


def flux(name: str, path: str, extra: str = "") -> str:
    """A Kustomization of Flux; ``extra`` are lines of its spec."""
    return f"""apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  path: {path}
  sourceRef: {{kind: GitRepository, name: flux-system}}
{extra}"""


def sync(path: str, url: str = URL) -> str:
    """What `flux bootstrap` writes: the repository, and the Kustomization of a cluster's own directory."""
    return f"""apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {{name: flux-system, namespace: flux-system}}
spec: {{url: {url}}}
---
{flux("flux-system", path)}"""
