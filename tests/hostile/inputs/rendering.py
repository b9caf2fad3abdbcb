"""Kustomizations and charts that call each other many times, or make much of little."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

from tests.hostile.inputs.made import Files, Made, job
from tests.hostile.inputs.texts import POD

__all__ = ["RENDERING"]

CHART = "apiVersion: v2\nname: train\nversion: 1.0.0\n"


def _diamond(depth: int) -> Files:
    """Each names the two below it, so that there are as many ways as leaves of a tree."""
    files: Files = {}
    for level in range(depth):
        for side in "ab":
            names = f"../a{level + 1}, ../b{level + 1}" if level + 1 < depth else "../base"
            files[f"{side}{level}/kustomization.yaml"] = f"namePrefix: {side}-\nresources: [{names}]\n"
    return {**files, "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": POD}


def _roots(count: int) -> Files:
    files: Files = {f"r{n}/kustomization.yaml": f"namePrefix: x{n}-\nresources: [../base]\n" for n in range(count)}
    return {**files, "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": job("a")}


def _chain(count: int) -> Files:
    files: Files = {f"k{n}/kustomization.yaml": f"namePrefix: x-\nresources: [../k{n + 1}]\n" for n in range(count)}
    return {**files, f"k{count}/kustomization.yaml": "resources: [a.yaml]\n", f"k{count}/a.yaml": POD}


def _doubling_patches(count: int) -> Files:
    """Patches of which each copies all that is there into itself."""
    steps = [
        {"op": "copy", "from": "/metadata/annotations", "path": f"/metadata/annotations/a{n}"} for n in range(count)
    ]
    return {
        "kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.json, target: {kind: Pod}}]\n",
        "p.json": json.dumps(steps),
        "a.yaml": POD.replace("name: a}", f"name: a, annotations: {{a: {'x' * 1000}}}}}", 1),
    }


def _aliases(text: str) -> Files:
    return {"kustomization.yaml": "namePrefix: x-\nresources: [a.yaml]\n", "a.yaml": text}


def _endless() -> Files:
    return _aliases(POD.replace("metadata: {name: a}", "metadata: &m\n  name: a\n  annotations: *m"))


def _laughs(where: str) -> Files:
    laughs = f"a0: &a0 [{', '.join('x' * 9)}]\n"
    laughs += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    files = _aliases(POD)
    files[where] = f"{files[where]!s}{laughs}"
    return files


def _dependencies(width: int, depth: int) -> Files:
    files: Files = {}
    for level in range(depth):
        for number in range(width):
            entries = [
                f"{{name: c{each}-{level + 1}, version: 1.0.0, repository: 'file://../c{each}-{level + 1}'}}"
                for each in range(width if level + 1 < depth else 0)
            ]
            text = CHART.replace("train", f"c{number}-{level}") + f"dependencies: [{', '.join(entries)}]\n"
            files[f"c{number}-{level}/Chart.yaml"] = text
            files[f"c{number}-{level}/templates/a.yaml"] = POD
    return files


def _template(text: str) -> Files:
    return {"c/Chart.yaml": CHART, "c/templates/a.yaml": text}


def _header(kind: bytes, size: int) -> Files:
    """A packed chart of which a header says that it is very long."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=6) as packed:
        member = tarfile.TarInfo("c/Chart.yaml")
        member.size, member.type = size, kind
        packed.write(member.tobuf(tarfile.GNU_FORMAT))
        for _ in range(size >> 20):
            packed.write(bytes(1 << 20))
    return {"t/Chart.yaml": CHART, "t/templates/a.yaml": POD, "t/charts/c-1.tgz": buffer.getvalue()}


RENDERING = {
    "2,000 roots": Made(lambda: _roots(2000)),
    "a diamond 18 deep": Made(lambda: _diamond(18)),
    "a diamond 12 deep": Made(lambda: _diamond(12)),
    "a chain of 3,000 kustomizations": Made(lambda: _chain(3000)),
    "an endless alias below a kustomization": Made(_endless),
    "doubling aliases below a kustomization": Made(lambda: _laughs("a.yaml")),
    "doubling aliases in a kustomization": Made(lambda: _laughs("kustomization.yaml")),
    "JSON patches that double": Made(lambda: _doubling_patches(40)),
    "charts that fan out": Made(lambda: _dependencies(6, 7)),
    "300 charts": Made(lambda: {f"{n}/{name}": text for n in range(300) for name, text in _template(POD).items()}),
    "a template without an end": Made(
        lambda: _template('{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}')
    ),
    "a template that repeats": Made(
        lambda: _template("{{ range until 20000 }}{{ range until 20000 }}a: b{{ end }}{{ end }}")
    ),
    "a long member of an archive": Made(lambda: _header(tarfile.REGTYPE, 1 << 30)),
    "a long header of an archive": Made(lambda: _header(tarfile.XHDTYPE, 1 << 30)),
    "a long name of an archive": Made(lambda: _header(tarfile.GNUTYPE_LONGNAME, 1 << 30)),
}
