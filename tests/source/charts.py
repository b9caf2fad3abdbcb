"""Small charts that tests write, and what helm makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.build_cache import Builds
from trainlint.source.document import Document
from trainlint.source.files import discover
from trainlint.source.helm.install import HelmInstall, TemplateCluster
from trainlint.source.helm.render import render_charts
from trainlint.source.helm.renderer import helm
from trainlint.source.prefilter import KindFilter
from trainlint.source.rendered_root import RenderedRoot
from trainlint.source.spans import locate
from trainlint.source.world import World

__all__ = ["CHART", "JOB", "TRAIN", "chart", "only", "render", "rendered_by", "where", "write"]

CHART = "apiVersion: v2\nname: {}\nversion: 0.1.0\n"

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  parallelism: {{ .Values.workers }}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
"""

TRAIN: Mapping[str, str | bytes] = {
    "charts/train/Chart.yaml": CHART.format("train"),
    "charts/train/values.yaml": (
        "workers: 4\nimage:\n  repository: registry.example/train\n  tag: v1\n"
        "resources:\n  limits:\n    nvidia.com/gpu: 8\n"
    ),
    "charts/train/templates/job.yaml": JOB,
}


def chart(files: Mapping[str, str | bytes], name: str = "train") -> dict[str, str | bytes]:
    """A chart in ``charts/<name>`` with these files."""
    return {
        f"charts/{name}/Chart.yaml": CHART.format(name),
        **{f"charts/{name}/{at}": what for at, what in files.items()},
    }


def write(root: Path, files: Mapping[str, str | bytes]) -> World:
    """The world of these files."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return discover([root])


def rendered_by(
    world: World, *installs: HelmInstall, cluster: TemplateCluster | None = None, store: Builds | None = None
) -> tuple[RenderedRoot, ...]:
    """What helm makes of the charts of a world."""
    program = helm()
    assert program is not None
    kinds = KindFilter(READ_KINDS)
    return render_charts(world, kinds, program, store=store or Builds(), cluster=cluster, installs=installs)


def render(root: Path, files: Mapping[str, str | bytes], *installs: HelmInstall) -> tuple[RenderedRoot, ...]:
    """What helm makes of the charts in these files."""
    return rendered_by(write(root, files), *installs)


def only(made: tuple[RenderedRoot, ...]) -> Document:
    """The one document of the one release."""
    assert [each.unknowns for each in made] == [()]
    assert len(made[0].documents) == 1
    return made[0].documents[0]


def where(root: Path, made: RenderedRoot, document: Document, *path: str | int) -> tuple[str, int]:
    """File and line at which the value of a path was written."""
    at = document.at(path)
    found = made.places.get((at.file, at.document))
    if found is not None:
        return at.file, found(at.path)[1].line
    text = (root / at.file).read_text()
    return at.file, locate(Document(at.file, 0, 1, text, None), at.path)[1].line
