"""The quick reader of ordinary manifests says what the parser of all of YAML says, or nothing."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.repository import build_small
from tests.mutations import damage_bytes

from trainlint.source.document import MISSING
from trainlint.source.events import YamlError
from trainlint.source.text import NotTextError, decode, split
from trainlint.source.yaml_fast_path import ordinary
from trainlint.source.yaml_values import build

HERE = Path(__file__).parent
SECONDS = 4.0
VERDICTS = json.loads((HERE / "go_yaml" / "verdicts.json").read_text(encoding="utf-8"))

JOB = """\
# A job, and a comment before it.

apiVersion: batch/v1
kind: Job
metadata: {name: train, labels: {app.kubernetes.io/name: "train", k8s:io.x: y}, finalizers: [], annotations: {}}
spec:
  parallelism: 0x10  # 16
  suspend: no
  template:
    spec:
      nodeSelector:
      # unknown
      tolerations:
      - {key: nvidia.com/gpu, operator: Exists}
      -   effect: NoSchedule
          key: 'a b'
      containers:
        - name: train   # "main"
          image: registry.example.org/train:2.1@sha256:0a
          command: [/bin/sh, -c, "a: b, c # d", -1, 1e3, ~]
          args:
            - |
              #!/bin/sh
              exec train --url http://x:1/#y

                --rank $RANK
            # the end
            - --lr=.5
      restartPolicy: Never
"""
READ = [
    JOB,
    "a: 1\nb: 0777\nc: 10:30\nd: 2026-01-01\ne: 1_000\nf: y\ng: ~\nh:\ni: 1e400\n",
    "- a\n- b: c\n  d:\n  - e\n  f: g\n-   h: i\n    j: k\n",
    "a:\n    b:\n     c: d\n    e: f\n",
    "  a: 1\n  b: 2\n",
    "a: |-\n  x\n\n   y\n\n\nb: |\n  # no comment\n # a comment\nc: d\n",
    "a:\n- |\n  x\n- y\n",
    "text: é😀 it's a:b c#d\n'quoted key': x\n",
    "image: a:b@c  \nurl: http://x/?a=b&c=*d!\n",
]
OTHER = [
    "",
    "a: b",
    "# nothing\n",
    "a\n",
    "a: b: c\n",
    "a: b\n  c\n",
    "a: b\n  c: d\n",
    "a:\n  b: c\n d: e\n",
    "a:\n- b\nc: d\n - e\n",
    "a: |\n  x\n y: z\n",
    "a: |\n  x\n \n  # y\n",
    "a: |2\n  x\n",
    "a: |+\n  x\n\n",
    "a: |\n\n  x\n",
    "a: >\n  x\n",
    "a: 'b\n  c'\n",
    "a: {b: c,\n  d: e}\n",
    "a: {b: c} d\n",
    "a: {b: c}: d\n",
    "a: {b, c: d}\n",
    "a: {b:}\n",
    'a: {b:"c"}\n',
    "a: [b: c]\n",
    "a: [b, ]]\n",
    "a: {b: c]\n",
    "a: 1\na: 2\n",
    "a: {b: 1, b: 2}\n",
    "on: 1\n",
    "1: 1\n",
    "a: .inf\n",
    "a: [.nan]\n",
    "a: &b c\n",
    "a: *b\n",
    "a: !!str 1\n",
    "<<: {a: b}\n",
    "? a\n",
    'a: "\\n"\n',
    "a: 'it''s'\n",
    "a:\tb\n",
    "a: b\u2028c: d\n",
    "a: b\x85c: d\n",
    "a: \x01\n",
    "a: {{ .Values.a }}\n",
    "{{- if .a }}\n",
    "%YAML 1.1\n",
    "--- a\n",
    "-\n  a: b\n",
    "- - a\n",
    "a: " + "[" * 200 + "]" * 200 + "\n",
    "".join("  " * level + "a:\n" for level in range(200)),
]


def same(ours: Any, theirs: Any) -> bool:
    """Equal in values, in types, and in the order of keys."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, dict):
        return list(ours) == list(theirs) and all(same(value, theirs[key]) for key, value in ours.items())
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def judged(text: str) -> bool:
    """Whether the text is ordinary; if it is, the parser must say the same."""
    data = ordinary(text)
    if data is MISSING:
        return False
    try:
        loaded = build(text)
    except YamlError as error:
        raise AssertionError(f"read, although {error}: {text!r}") from error
    assert same(data, loaded.data), text
    assert not loaded.duplicates, text
    return True


@pytest.mark.parametrize("text", READ)
def test_what_is_written_in_the_ordinary_way_is_read_and_means_what_the_parser_says(text):
    assert judged(text)


@pytest.mark.parametrize("text", OTHER)
def test_of_everything_else_nothing_is_said(text):
    assert ordinary(text) is MISSING


@pytest.mark.parametrize("verdict", VERDICTS, ids=lambda entry: entry["text"][:30])
def test_nothing_is_read_otherwise_than_go_yaml_does(verdict):
    assert judged(verdict["text"]) <= ("json" in verdict)  # that the values are theirs, test_go_yaml says
    judged(verdict["text"] + "\n")


def test_almost_all_of_a_repository_is_ordinary(tmp_path):
    build_small(tmp_path)
    parts = [part.text for file in sorted(tmp_path.rglob("*.yaml")) for part in split(file.read_text("utf-8"))]
    assert sum(map(judged, parts)) > 0.9 * len(parts)


PIECES = [
    *" \n:#'\"{}[],|&*!?\t~-$=.%@`\\",
    "  ",
    ": ",
    "- ",
    "\n\n",
    "\n  ",
    "\n ",
    "|-",
    "null",
    "1e3",
    "0x1f",
    "\xa0",
]


def damaged(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    match rng.randrange(5):
        case 0:
            return text[:at] + rng.choice(PIECES) + text[at:]
        case 1:
            return text[:at] + text[at + rng.randrange(1, 4) :]
        case 2:
            lines = text.split("\n")
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            return "\n".join(lines)
        case 3:
            lines = text.split("\n")
            number = rng.randrange(len(lines))
            lines[number] = " " * rng.randrange(1, 4) + lines[number] if at % 2 else lines[number][1:]
            return "\n".join(lines)
    try:
        return decode(damage_bytes(text.encode(), rng))
    except NotTextError:
        return text


def test_damage_is_never_read_otherwise_than_by_the_parser(tmp_path):
    build_small(tmp_path)
    seeds = [*READ, *OTHER]
    seeds += [part.text for file in sorted(tmp_path.rglob("*.yaml")) for part in split(file.read_text("utf-8"))]
    seeds = [seed for seed in seeds if 0 < len(seed) < 3000]
    rng, read = random.Random(20261129), 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        text = rng.choice(seeds)
        for _ in range(rng.randrange(1, 4)):
            text = damaged(text, rng) or "\n"
        read += judged(text)
    assert read > 100, "the damage must leave something to read"


@given(st.text(st.sampled_from("ab1-:# \n'\"{}[],|~."), max_size=40))
def test_short_texts_are_never_read_otherwise_than_by_the_parser(text):
    judged(text + "\n")
