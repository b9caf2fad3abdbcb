"""Kustomizations connect to nothing and read nothing of the machine, however their fields are spelled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.source.repositories import write

from trainlint.snapshot.kinds import READ_KINDS
from trainlint.source.build_cache import Builds
from trainlint.source.files import discover
from trainlint.source.kustomize import render
from trainlint.source.kustomize_program import kustomize
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import read_file
from trainlint.source.rendered_root import BuildRoot, RenderedRoot

pytestmark = pytest.mark.needs("kustomize")

KINDS = KindFilter(READ_KINDS)
SECRET = "0f-the-host"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a}]}\n"
CONFIG = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: theirs}}\ndata: {{a: {SECRET}}}\n"


@pytest.fixture(autouse=True)
def _unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs run as they do where the kernel confines nothing: what they get has to be harmless by itself."""
    monkeypatch.setattr("trainlint.source.kustomize_build.alone", lambda: ())
    monkeypatch.setattr("trainlint.source.kustomize_build.kept_to", lambda _: ())


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A server of this machine, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(CONFIG.encode())

        def log_message(self, *_: object) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}", asked
    made.shutdown()
    thread.join()
    made.server_close()


def rendered(root: Path, files: dict[str, str], *extra: BuildRoot) -> tuple[RenderedRoot, ...]:
    write(root, dict(files))
    program = kustomize()
    assert program is not None
    world = discover([root])
    readings = [read_file(file, KINDS) for file in world.files]
    return render(world, readings, KINDS, Builds(), program, extra)


def plugin(kind: str, text: str) -> str:
    return f"apiVersion: builtin\nkind: {kind}\nmetadata: {{name: x}}\n{text}\n"


PATCH = "target: {kind: Pod}"
CONNECTIONS = {
    "resources": "resources: [a.yaml, 'URL/x']",
    "Resources": "namePrefix: x-\nresources: [a.yaml]\nResources: ['URL/x']",
    "RESOURCES": "namePrefix: x-\nRESOURCES: [a.yaml, 'URL/x']",
    "long s": "namePrefix: x-\nre\u017fources: [a.yaml, 'URL/x']",
    "Bases": "namePrefix: x-\nresources: [a.yaml]\nBases: ['URL/x']",
    "Components": "resources: [a.yaml]\nComponents: ['URL/x']",
    "crds": "namePrefix: x-\nresources: [a.yaml]\nCrds: ['URL/x']",
    "Configurations": "namePrefix: x-\nresources: [a.yaml]\nConfigurations: ['URL/x']",
    "merge": "resources: [a.yaml]\npatchesStrategicMerge: ['URL/x:y']",
    "merge without": "resources: [a.yaml]\npatchesStrategicMerge: ['URL/x']",
    "patches path": f"resources: [a.yaml]\npatches: [{{path: 'URL/x', {PATCH}}}]",
    "patches Path": f"resources: [a.yaml]\npatches: [{{Path: 'URL/x', {PATCH}}}]",
    "Patches": f"namePrefix: x-\nresources: [a.yaml]\nPatches: [{{path: 'URL/x', {PATCH}}}]",
    "json Path": f"resources: [a.yaml]\npatchesJson6902: [{{Path: 'URL/x', {PATCH}}}]",
    "OpenAPI": "namePrefix: x-\nresources: [a.yaml]\nOpenAPI: {path: 'URL/x'}",
    "openapi Path": "namePrefix: x-\nresources: [a.yaml]\nopenapi: {Path: 'URL/x'}",
    "openapi path": "namePrefix: x-\nresources: [a.yaml]\nopenapi: {path: 'URL/x'}",
    "replacements": "resources: [a.yaml]\nreplacements: [{path: 'URL/x'}]",
    "replacements Path": "resources: [a.yaml]\nreplacements: [{Path: 'URL/x'}]",
    "files": "resources: [a.yaml]\nconfigMapGenerator: [{name: m, files: ['a=URL/x']}]",
    "Files": "resources: [a.yaml]\nconfigMapGenerator: [{name: m, Files: ['a=URL/x']}]",
    "Envs": "resources: [a.yaml]\nconfigMapGenerator: [{name: m, Envs: ['URL/x']}]",
    "secret Files": "resources: [a.yaml]\nsecretGenerator: [{name: m, Files: ['URL/x']}]",
    "Generators": "resources: [a.yaml]\nGenerators: ['URL/x']",
    "Transformers": "namePrefix: x-\nresources: [a.yaml]\nTransformers: ['URL/x']",
    "validators": "namePrefix: x-\nresources: [a.yaml]\nvalidators: ['URL/x']",
    "alias": "a: &a ['URL/x']\nnamePrefix: x-\nresources: [a.yaml]\nResources: *a",
    "merged": "namePrefix: x-\nresources: [a.yaml]\n<<: {Resources: ['URL/x']}",
    "transformer": "resources: [a.yaml]\ntransformers: [t.yaml]",
    "transformer in place": "resources: [a.yaml]\ntransformers: ['{apiVersion: builtin, kind: PatchTransformer, "
    'metadata: {name: x}, path: "URL/x", target: {kind: Pod}}\']',
    "transformer in another case": "resources: [a.yaml]\ntransformers: [u.yaml]",
    "transformer in a directory": "resources: [a.yaml]\ntransformers: [d]",
    "generator": "resources: [a.yaml]\ngenerators: [g.yaml]",
    "generator twice": "resources: [a.yaml]\ngenerators: [h.yaml]",
    "generator of a list": "resources: [a.yaml]\ngenerators: [l.yaml]",
}


@pytest.mark.parametrize("name", CONNECTIONS)
def test_nothing_is_connected_to(tmp_path: Path, server: tuple[str, list[str]], name: str) -> None:
    url, asked = server
    generator = plugin("ConfigMapGenerator", f"files: ['a={url}/x']")
    files = {
        "a.yaml": POD,
        "kustomization.yaml": CONNECTIONS[name].replace("URL", url) + "\n",
        "t.yaml": plugin("PatchTransformer", f"path: '{url}/x'\n{PATCH}"),
        "u.yaml": plugin("PatchTransformer", f"Path: '{url}/x'\n{PATCH}"),
        "d/kustomization.yaml": "resources: [p.yaml]\npatches:\n  - target: {kind: PatchTransformer}\n"
        f"    patch: |-\n      - {{op: replace, path: /path, value: '{url}/x'}}\n",
        "d/p.yaml": plugin("PatchTransformer", f"path: a.yaml\n{PATCH}"),
        "g.yaml": generator,
        "h.yaml": f"{generator}files: [a.yaml]\n",
        "l.yaml": f"apiVersion: v1\nkind: List\nitems: [{{apiVersion: builtin, kind: ConfigMapGenerator, "
        f"metadata: {{name: x}}, files: ['a={url}/x']}}]\n",
    }
    rendered(tmp_path, files)
    assert asked == []


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Generators: [g.yaml]", "generators"),
        ("re\u017fources: [a.yaml]", "resources"),
        ("openapi: {Path: a}", "path"),
        ("configMapGenerator: [{name: m, FILES: [a.yaml]}]", "files"),
        ("patches: [{Path: a.yaml}]", "path"),
    ],
)
def test_fields_in_another_case_are_refused_by_their_place(tmp_path: Path, text: str, right: str) -> None:
    (root,) = rendered(tmp_path, {"a.yaml": POD, "kustomization.yaml": f"namePrefix: x-\n{text}\n"})
    assert root.failure
    assert f"is not how the field {right} is spelled" in root.failure


FILES = {
    "generator": "generators: [g.yaml]",
    "Generators": "configMapGenerator: [{name: k, files: [g.yaml]}]\nGenerators: [g.yaml]",
    "in place": "generators: ['{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: x}, "
    'files: ["URL"]}\']',
    "directory": "generators: [d]",
    "files": "configMapGenerator: [{name: m, files: ['URL']}]",
    "Files": "configMapGenerator: [{name: m, Files: ['URL']}]",
    "resource": "namePrefix: x-\nresources: ['URL']",
    "Resources": "namePrefix: x-\nResources: ['URL']",
    "patch": "patches: [{path: 'URL'}]",
    "Path": "patches: [{Path: 'URL'}]",
    "made": "generators: [made]",
}


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_no_file_of_the_machine_is_read(tmp_path: Path, name: str, *, free: bool, deep: bool) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text(CONFIG)
    where = f"../{'../' * 20}{secret}" if deep else str(secret)
    generator = plugin("ConfigMapGenerator", f"files: ['{where}']")
    change = "patches:\n  - target: {kind: ConfigMapGenerator}\n    patch: |-\n"
    change += f"      - {{op: replace, path: /files/0, value: '{where}'}}"
    nothing = "{apiVersion: builtin, kind: ReplacementTransformer, metadata: {name: x}}"
    prefix = f"resources: [p.yaml]\ntransformers: ['{nothing}']\n"
    files = {
        "a.yaml": POD,
        "kustomization.yaml": "resources: [a.yaml]\n" * ("esources" not in FILES[name])
        + FILES[name].replace("URL", where)
        + "\n",
        "g.yaml": generator,
        "d/kustomization.yaml": f"resources: [p.yaml]\n{change}\n",
        "d/p.yaml": plugin("ConfigMapGenerator", "files: [a.yaml]"),
        "made/kustomization.yaml": prefix,
        "made/p.yaml": plugin("ConfigMapGenerator", "files: [a.yaml]"),
    }
    found = rendered(tmp_path / "r", files, BuildRoot("", unrestricted=free))
    assert found
    shown = [([made.data for made in each.documents], each.unknowns, each.failure) for each in found]
    assert SECRET not in str(shown)


def test_kustomizations_that_lie_too_deep_are_an_unknown(tmp_path: Path) -> None:
    files = {f"k{i}/kustomization.yaml": f"namePrefix: x-\nresources: [../k{i + 1}]\n" for i in range(3000)}
    (found,) = rendered(tmp_path, {**files, "k3000/kustomization.yaml": "resources: [a.yaml]\n", "k3000/a.yaml": POD})
    assert "deep" in (found.failure or "")


def test_usual_kustomizations_are_rendered(tmp_path: Path) -> None:
    """Labels, annotations and literals may hold what they like; kustomize's own plugins take part."""
    files = {
        "kustomization.yaml": "resources: [a.yaml]\n"
        "commonAnnotations: {Path: 'https://example.org/x', Resources: '/etc'}\n"
        "labels: [{pairs: {Files: a}, includeSelectors: false}]\n"
        "configMapGenerator: [{name: m, literals: ['url=https://example.org']}]\n"
        "patches:\n  - patch: |-\n      - {op: add, path: /metadata/annotations, value: {u: 'https://example.org'}}\n"
        "    target: {kind: Pod}\n"
        "transformers: [t, t.yaml]\n",
        "a.yaml": POD,
        "t.yaml": plugin("PrefixTransformer", "prefix: y-\nfieldSpecs: [{path: metadata/name}]"),
        "t/kustomization.yaml": "resources: [s.yaml]\n",
        "t/s.yaml": plugin("SuffixTransformer", "suffix: -z\nfieldSpecs: [{path: metadata/name}]"),
    }
    (found,) = rendered(tmp_path, files)
    assert (found.failure, found.unknowns) == ("", ())
    assert "y-a-z" in {each.data["metadata"]["name"] for each in found.documents}


def test_kustomizations_that_name_each_other_in_many_ways_are_an_unknown(tmp_path: Path) -> None:
    """Each names two of the next, eighteen deep: kustomize builds one anew for each way to it."""
    files = {
        f"{side}{level}/kustomization.yaml": f"namePrefix: {side}-\nresources: [../a{level + 1}, ../b{level + 1}]\n"
        for level in range(17)
        for side in "ab"
    }
    files |= {f"{side}17/kustomization.yaml": f"namePrefix: {side}-\nresources: [a.yaml]\n" for side in "ab"}
    found = rendered(tmp_path, {**files, "a17/a.yaml": POD, "b17/a.yaml": POD.replace("name: a}", "name: b}", 1)})
    assert len(found) == 2
    assert all("would be built" in (each.failure or "") for each in found)
