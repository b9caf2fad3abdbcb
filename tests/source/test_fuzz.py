"""Mutated manifests, by bytes and by structure: reading and spans never raise, and say something sensible."""

import json
import random
import time

import yaml

from trainlint.source.kustomization import kustomization, resolve
from trainlint.source.prefilter import KindFilter
from trainlint.source.reading import objects, read
from trainlint.source.spans import locate, spans

KINDS = KindFilter({"PyTorchJob", "Node", "NetworkPolicy", "Pod", "Inventory"})
SECONDS = 4
JOB = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "é😀", "labels": {"app": "x", "on": "yes"}, "annotations": {"a/b": "0777"}},
    "spec": {
        "pytorchReplicaSpecs": {
            "Worker": {
                "replicas": 3,
                "template": {"spec": {"containers": [{"name": "pytorch", "args": ["--a=b", "c: d", "# e", "- f"]}]}},
            }
        }
    },
}
NODES = {"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "metadata": {"name": name}} for name in "ab"]}
HAND = """\
%YAML 1.1
---
# trainlint: ignore[x] y
kind: Pod
base: &base {cpu: 1, gpu: [1, 2]}
use: {<<: *base, cpu: 2}
text: |  # c
  line {{ x }}
folded: "a \\
  b\\u00e9"
? complex
: !!str 12
...
kind: NetworkPolicy
spec: {podSelector: {matchLabels: {k8s:io.cilium/x: y}}}
--- {kind: Node, a: *b}
---
kind: Pod
name: {{ .Values.name }}
{{- if .x }}
a: b
{{- end }}
"""
KUSTOM = "resources: [a.yaml, ../b]\npatches: [{path: p.yaml}]\nconfigMapGenerator: [{files: [x]}]\n"
SEEDS = [
    yaml.safe_dump(JOB, allow_unicode=True),
    yaml.safe_dump(JOB, default_flow_style=True),
    json.dumps(JOB, indent="\t"),
    json.dumps(NODES) + "\n" + json.dumps(JOB),
    yaml.safe_dump(NODES) + "---\n" + yaml.safe_dump(JOB),
    HAND,
    KUSTOM,
]
PIECES = [
    *(
        "\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        "- ",
        ": ",
        ":",
        "'",
        '"',
        "{",
        "}",
        "[",
        "]",
        ",",
        "#",
        "\\",
        " # trainlint: x",
    ),
    *("&a ", "*a", "<<: ", "? ", "!x ", "!!binary ", "!!int ", "|\n", ">-\n", "---\n", "...\n", "%TAG ! x\n", "@", "`"),
    *("{{ x }}", "{% x %}", "${x}", "%{ x }", "<% x %>", "#@ x", "kind: Pod", "kind", "%", "\u2028", "\x85", "\ufeff"),
    *("\\ud83d", "\\u0000", "\0", "\x07", "\x7f", "~", ".inf", "1e999", "9" * 50, "[" * 300, "{a: " * 300, "- " * 300),
]
FILES = ["a.yaml", "a.json", "kustomization.yaml", "a.yaml.j2", "dir/a.yml"]


def mutate(chance, text):
    for _ in range(chance.randint(1, 4)):
        lines = text.split("\n")
        at = chance.randrange(len(text) + 1)
        match chance.randrange(7):
            case 0 | 1:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 2:
                text = text[:at] + text[at + chance.randint(1, 20) :]
            case 3:
                one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
                lines[one], lines[two] = lines[two], lines[one]
                text = "\n".join(lines)
            case 4:
                one = chance.randrange(len(lines))
                lines[one] = " " * chance.randint(0, 9) + lines[one].lstrip()
                text = "\n".join(lines)
            case 5:
                text += chance.choice(["\n---\n", "\n", ""]) + chance.choice(SEEDS)
            case _:
                text = text[:at] + text[chance.randrange(len(text) + 1) :]
    return text


def encode(chance, text):
    encoding = chance.choice(["utf-8"] * 8 + ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
    content = bytearray(text.encode(encoding, "surrogatepass"))
    for _ in range(chance.choice([0, 0, 0, 1, 3])):
        if content:
            content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content)


def steps(value, path=()):
    """Some paths of a value, not more than a mutation can make."""
    yield path
    if len(path) > 6:
        return
    if isinstance(value, dict):
        for key, child in list(value.items())[:5]:
            yield from steps(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value[:5]):
            yield from steps(child, (*path, index))


def check(file, content):
    found = read(file, content, KINDS, chart="" if len(content) % 5 else "c")
    lines = content.count(b"\n") + content.count(b"\r") + 2
    for document in found.documents:
        known = spans(document)
        for path in steps(document.data):
            value = known.value(path)
            assert value is None or (1 <= value.line <= value.end_line <= lines + document.text.count("\n"))
            place, span = locate(document, (*path, "none"))
            assert place == path[: len(place)]
            assert (span.line, span.column) <= (span.end_line, span.end_column)
        for here in objects(document):
            json.dumps(here.value, ensure_ascii=False).encode()
        for path in document.duplicates:
            locate(document, path)
        each = kustomization(document)
        if each:
            resolve([each], ["a.yaml"])
    for broken in found.broken:
        assert broken.message
        assert broken.span.line >= 1
    for number, line in found.suppression_lines:
        assert number >= 1
        assert "trainlint:" in line
    return found


def test_no_mutation_raises():
    chance = random.Random(20)
    deadline = time.monotonic() + SECONDS
    seen = {"documents": 0, "broken": 0, "templates": 0, "unknowns": 0, "suppression_lines": 0}
    runs = 0
    while time.monotonic() < deadline:
        text = mutate(chance, chance.choice(SEEDS))
        found = check(chance.choice(FILES), encode(chance, text))
        for name in seen:
            seen[name] += len(getattr(found, name))
        runs += 1
    assert runs > 200
    assert all(seen.values()), seen


def test_no_soup_of_pieces_raises():
    chance = random.Random(21)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        text = "kind: Pod\n" + "".join(chance.choices([*PIECES, "a", "kind: Pod\n", "\n  "], k=chance.randint(1, 30)))
        check(chance.choice(FILES), encode(chance, text))


def test_no_random_bytes_raise():
    chance = random.Random(22)
    for _ in range(500):
        check(chance.choice(FILES), b"kind: Pod\n" + chance.randbytes(chance.randint(0, 60)))
