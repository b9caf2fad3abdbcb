"""Containers for the tests, written as YAML."""

from __future__ import annotations

from textwrap import dedent

import yaml

from trainlint.kube.pod import read_container
from trainlint.model.pod import Container
from trainlint.source.document import Document


def container(text: str) -> Container:
    return read_container(Document("pod.yaml", 0, 1, text, yaml.safe_load(dedent(text))).root)
