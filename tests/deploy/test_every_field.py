"""Every field that decides what a deployer brings is read by its name in the CRD of its kind.

fluxcd.io: Kustomization, HelmRelease; argo-cd.readthedocs.io: Application, ApplicationSet; docs.k3s.io: HelmChart.
Without any one of the fields something else is brought, or in another way.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml
from tests.fields import field, unread

from trainlint.deploy.context import ConfigMaps, DeployContext
from trainlint.deploy.deployment import Deployed
from trainlint.deploy.read import deployed_by
from trainlint.deploy.sources import Sources
from trainlint.kube.meta import read_meta
from trainlint.source.document import Field
from trainlint.source.library import Library
from trainlint.source.world import SourceFile

URL = "https://git.example/team/fleet"
FILES = {
    "apps/job.yaml": "kind: Job\n",
    "apps/values.yaml": "a: 1\n",
    "apps/one/config.yaml": "size: 1\n",
    "apps/two/config.yaml": "size: 2\n",
    "apps/two/.hidden/config.yaml": "size: 3\n",
    "parts/kustomization.yaml": "kind: Component\n",
    "built/kustomization.yaml": "resources: []\n",
    "chart/Chart.yaml": "name: chart\n",
    "map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: variables}\ndata: {A: b, values.yaml: 'a: 1'}\n",
}


def read(objects: Field) -> object:
    """What the first of some objects brings beside the others."""
    first, *others = (field(each) for each in objects.value)
    known = {(meta.kind, meta.namespace, meta.name): each for each in others for meta in [read_meta(each)]}
    library = Library(SourceFile(name, name, content=text.encode()) for name, text in FILES.items())
    sources = Sources(library, lambda: [f"{URL}.git"])
    return _plain(deployed_by(read_meta(first), first, DeployContext(sources, ConfigMaps(sources), known)))


def _plain(value: Any) -> Any:
    """The facts as lists and texts: documents are equal only to themselves."""
    if isinstance(value, Field):
        return value.value
    if dataclasses.is_dataclass(value):
        names = [each.name for each in dataclasses.fields(value) if each.compare and each.name != "at"]
        return [(name, _plain(getattr(value, name))) for name in names if not callable(getattr(value, name))]
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return repr(value)


REPOSITORY = f"""
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: GitRepository
  metadata: {{name: fleet, namespace: flux-system}}
  spec: {{url: {URL}}}
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: GitRepository
  metadata: {{name: fleet, namespace: elsewhere}}
  spec: {{url: https://git.example/team/other}}
"""
CHARTS = """
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: HelmRepository
  metadata: {name: charts, namespace: sources}
  spec: {url: https://charts.example}
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: HelmRepository
  metadata: {name: charts, namespace: elsewhere}
  spec: {url: https://charts.example/other}
"""
DEPLOYERS = {
    "Kustomization": f"""
- apiVersion: kustomize.toolkit.fluxcd.io/v1
  kind: Kustomization
  metadata: {{name: apps, namespace: flux-system}}
  spec:
    path: ./apps
    sourceRef: {{kind: GitRepository, name: fleet}}
    targetNamespace: ml
    suspend: true
    kubeConfig: {{secretRef: {{name: gpu-kubeconfig}}}}
    components: [../parts]
    postBuild:
      substitute: {{C: d}}
      substituteFrom: [{{kind: ConfigMap, name: variables}}, {{kind: Secret, name: s}}]
    commonMetadata: {{labels: {{a: b}}, annotations: {{c: d}}}}
    namePrefix: a-
    nameSuffix: -b
    images: [{{name: train, newTag: "2"}}]
    patches:
      - target:
          {{group: batch, kind: Job, name: a, namespace: b, labelSelector: c=d, annotationSelector: e=f}}
        patch: "{{kind: Job, metadata: {{name: a}}}}"
{REPOSITORY}""",
    "Kustomization with a ConfigMap as its way": f"""
- apiVersion: kustomize.toolkit.fluxcd.io/v1
  kind: Kustomization
  metadata: {{name: apps, namespace: ml}}
  spec:
    path: ./apps
    sourceRef: {{kind: GitRepository, name: fleet, namespace: flux-system}}
    kubeConfig: {{configMapRef: {{name: gpu}}}}
    postBuild: {{substituteStrategy: Always, substitute: {{}}}}
    patchesStrategicMerge: [{{kind: Job, metadata: {{name: a}}}}]
    patchesJson6902: [{{target: {{kind: Job, name: a}}, patch: [{{op: remove, path: /a}}]}}]
{REPOSITORY}""",
    "FluxInstance": f"""
- apiVersion: fluxcd.controlplane.io/v1
  kind: FluxInstance
  metadata: {{name: flux, namespace: flux}}
  spec: {{sync: {{path: ./apps, url: {URL}}}}}
""",
    "HelmRelease": f"""
- apiVersion: helm.toolkit.fluxcd.io/v2
  kind: HelmRelease
  metadata: {{name: train, namespace: ml}}
  spec:
    releaseName: mine
    targetNamespace: other
    kubeConfig: {{secretRef: {{name: gpu}}}}
    chart:
      spec: {{chart: train, version: 1.x, sourceRef: {{kind: HelmRepository, name: charts, namespace: sources}}}}
    valuesFrom:
      - {{kind: ConfigMap, name: variables}}
      - {{kind: ConfigMap, name: variables, valuesKey: A}}
      - {{kind: ConfigMap, name: variables, targetPath: a.b}}
    values: {{a: 1}}
{CHARTS}""",
    "HelmRelease of a chart of the repository": f"""
- apiVersion: helm.toolkit.fluxcd.io/v2
  kind: HelmRelease
  metadata: {{name: train, namespace: flux-system}}
  spec:
    targetNamespace: ml
    commonMetadata: {{labels: {{a: b}}}}
    chart: {{spec: {{chart: ./chart, sourceRef: {{kind: GitRepository, name: fleet}}}}}}
    postRenderers:
      - kustomize: {{patches: [{{target: {{kind: Job}}, patch: "{{}}"}}]}}
      - kustomize: {{images: [train]}}
{REPOSITORY}""",
    "HelmRelease of an OCI repository": """
- apiVersion: helm.toolkit.fluxcd.io/v2
  kind: HelmRelease
  metadata: {name: train, namespace: ml}
  spec: {chartRef: {kind: OCIRepository, name: train, namespace: sources}}
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: OCIRepository
  metadata: {name: train, namespace: sources}
  spec: {url: oci://registry.example/charts/train, ref: {tag: "1.0"}}
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: OCIRepository
  metadata: {name: train, namespace: elsewhere}
  spec: {url: oci://registry.example/charts/other, ref: {semver: ">1"}}
""",
    "HelmRelease of a HelmChart": f"""
- apiVersion: helm.toolkit.fluxcd.io/v2
  kind: HelmRelease
  metadata: {{name: train, namespace: sources}}
  spec: {{chartRef: {{kind: HelmChart, name: chart}}}}
- apiVersion: source.toolkit.fluxcd.io/v1
  kind: HelmChart
  metadata: {{name: chart, namespace: sources}}
  spec: {{chart: train, version: "1.0", sourceRef: {{kind: HelmRepository, name: charts}}}}
{CHARTS}""",
    "Application": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {{name: train, namespace: cd}}
  spec:
    destination: {{name: gpu, namespace: ml}}
    source:
      repoURL: {URL}
      path: apps
      directory: {{recurse: true, include: "*.yaml", exclude: "x*"}}
""",
    "Application of a kustomization": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {{name: train, namespace: cd}}
  spec:
    destination: {{server: "https://gpu.example:6443/"}}
    source:
      repoURL: {URL}
      path: built
      kustomize:
        namespace: other
        namePrefix: a-
        nameSuffix: -b
        commonLabels: {{a: b}}
        labelWithoutSelector: true
        labelIncludeTemplates: true
        commonAnnotations: {{c: d}}
        images: [train=mine:2]
        replicas: [{{name: train, count: 3}}]
        components: [../parts]
        patches: [{{target: {{kind: Job}}, patch: "{{}}"}}]
""",
    "Application of a chart": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {{name: train, namespace: cd}}
  spec:
    destination: {{namespace: ml}}
    sources:
      - repoURL: https://charts.example
        chart: train
        targetRevision: 1.x
        helm:
          releaseName: mine
          valueFiles: [$own/apps/values.yaml, missing.yaml]
          valuesObject: {{b: 2}}
          parameters: [{{name: c.d, value: "true", forceString: true}}, {{name: e, value: f}}]
          fileParameters: [{{name: g}}]
      - {{repoURL: {URL}, ref: own}}
""",
    "Application of a chart with text": """
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {name: train}
  spec:
    source:
      repoURL: https://charts.example
      chart: train
      helm: {namespace: other, valueFiles: [missing.yaml], ignoreMissingValueFiles: true, values: "b: 2"}
""",
    "Application of a plugin": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  metadata: {{name: train}}
  spec: {{source: {{repoURL: {URL}, path: apps, plugin: {{}}}}}}
""",
    "ApplicationSet of a list": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: ApplicationSet
  metadata: {{name: all, namespace: cd}}
  spec:
    goTemplate: true
    templatePatch: "{{}}"
    generators: [{{list: {{elements: [{{name: one, dir: apps}}]}}}}]
    template:
      metadata: {{name: "{{{{ .name }}}}"}}
      spec: {{source: {{repoURL: {URL}, path: "{{{{ .dir }}}}"}}}}
""",
    "ApplicationSet of directories": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: ApplicationSet
  metadata: {{name: all}}
  spec:
    generators:
      - git:
          repoURL: {URL}
          directories: [{{path: apps/*}}, {{path: apps/two, exclude: true}}]
          values: {{c: "{{{{path.basename}}}}"}}
          pathParamPrefix: mine
    template:
      metadata: {{name: "{{{{mine.path.basename}}}}-{{{{values.c}}}}"}}
      spec: {{source: {{repoURL: {URL}, path: "{{{{mine.path}}}}"}}}}
""",
    "ApplicationSet of files": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: ApplicationSet
  metadata: {{name: all}}
  spec:
    generators:
      - matrix:
          generators:
            - git: {{repoURL: {URL}, files: [{{path: apps/*/config.yaml}}]}}
            - list: {{elements: [{{name: a}}]}}
        selector: {{matchLabels: {{size: "2"}}}}
    template:
      metadata: {{name: "{{{{name}}}}-{{{{size}}}}"}}
      spec: {{source: {{repoURL: {URL}, path: "{{{{path}}}}"}}}}
""",
    "ApplicationSet of merged lists": f"""
- apiVersion: argoproj.io/v1alpha1
  kind: ApplicationSet
  metadata: {{name: all}}
  spec:
    generators:
      - merge:
          mergeKeys: [name]
          generators:
            - list: {{elements: [{{name: a, dir: apps/one}}, {{name: b}}]}}
            - list: {{elements: [{{name: b, dir: apps/two}}]}}
    template:
      metadata: {{name: "{{{{name}}}}"}}
      spec: {{source: {{repoURL: {URL}, path: "{{{{dir}}}}"}}}}
""",
    "HelmChart of k3s": """
- apiVersion: helm.cattle.io/v1
  kind: HelmChart
  metadata: {name: train, namespace: kube-system}
  spec:
    chart: train
    repo: https://charts.example
    version: "1.0"
    targetNamespace: ml
    valuesContent: "a: 1"
    set: {b.c: 2}
    valuesSecrets: [{}]
""",
    "HelmChartConfig of RKE2": """
- apiVersion: helm.cattle.io/v1
  kind: HelmChartConfig
  metadata: {name: rke2-cilium, namespace: kube-system}
  spec: {valuesContent: "a: 1"}
""",
}
SILENT = {
    "HelmRelease of a HelmChart": ["1.metadata.namespace"],  # the only one of its name
    "Application of a chart with text": ["0.spec.source.helm.valueFiles.0"],  # a file that may be missing, and is
}


@pytest.mark.parametrize("deployer", DEPLOYERS)
def test_every_field_is_read_by_its_name(deployer: str) -> None:
    objects = yaml.safe_load(DEPLOYERS[deployer])
    group_and_kind = {"0.apiVersion", "0.kind"}  # by these the reader is found
    found = [path for path in unread(_or_none, DEPLOYERS[deployer]) if path not in group_and_kind]
    decoys = {f"{number}." for number, each in enumerate(objects) if each["metadata"].get("namespace") == "elsewhere"}
    found = [path for path in found if not path.endswith(".apiVersion") and path[:2] not in decoys]
    assert found == SILENT.get(deployer, [])
    assert read(field(objects)) != _plain(None)


def _or_none(objects: Field) -> object:
    """What is read, or the name of the key by which no reader was found."""
    try:
        return read(objects)
    except KeyError as error:
        return repr(error)


def test_an_application_of_values_alone_brings_nothing_that_is_whole() -> None:
    text = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n"
        f"spec: {{sources: [{{repoURL: {URL}, ref: values}}]}}\n"
    )
    item = field(text)
    sources = Sources(Library([]), lambda: [f"{URL}.git"])
    assert deployed_by(read_meta(item), item, DeployContext(sources, ConfigMaps(sources), {})) == Deployed()
