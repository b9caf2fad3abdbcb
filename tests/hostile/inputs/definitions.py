"""Definitions of kinds: deep, wide, with rules that loop, regular expressions, and anchors."""

from __future__ import annotations

import json
from typing import Any

from tests.hostile.inputs.made import Files, Made

__all__ = ["DEFINITIONS"]

CONFIG = "workloads: [{kind: Train, group: example.com, roles: [{name: worker, at: spec}]}]\n"
HEAD = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: trains.example.com
spec:
  group: example.com
  names: {kind: Train, plural: trains}  # x-kubernetes-preserve-unknown-fields
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
"""
POD = "  template:\n    spec:\n      containers:\n      - {name: main, image: 'registry.example/a:1'}\n"
FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _definition(spec: dict[str, Any]) -> str:
    fields = {"type": "object", "properties": {"spec": {"type": "object", **spec}}}
    return f"{HEAD}        {json.dumps(fields)}\n"


def _train(name: str, more: str) -> str:
    return (
        f"apiVersion: example.com/v1\nkind: Train\nmetadata: {{name: {name}, namespace: ml}}\nspec:\n"
        f"  replicas: 2\n{more}{POD}"
    )


def _made(definition: str, more: str = "", *, trains: int = 1) -> Files:
    texts = {f"train{n}.yaml": _train(f"t{n}", more) for n in range(trains)}
    return {"trainlint.yaml": CONFIG, "crd.yaml": definition, **texts}


def _nested(depth: int) -> Files:
    spaces = [" " * (10 + 2 * n) for n in range(depth)]
    text = "".join(f"{space}properties:\n{space} a:\n" for space in spaces)
    return _made(f"{HEAD}        type: object\n        properties:\n         spec:\n{text}{spaces[-1]}  type: object\n")


def _wide(count: int) -> Files:
    return _made(_definition({"properties": {f"f{n}": {"type": "string"} for n in range(count)}, **FREE}))


def _loops(elements: int, trains: int) -> Files:
    inner = "self.all(a, self.all(b, self.all(c, a + b + c < 9999999)))"
    rules = [{"rule": f"{inner} || {n} < 0"} for n in range(50)]
    numbers = {"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": rules}
    more = f"  numbers: [{', '.join(map(str, range(elements)))}]\n"
    return _made(
        _definition({"properties": {"numbers": numbers, "template": FREE, "replicas": {}}}), more, trains=trains
    )


def _patterns(length: int) -> Files:
    text = {"type": "string", "pattern": "^(a|aa)+$"}
    more = f"  text: {'a' * length}b\n"
    return _made(_definition({"properties": {"text": text, "template": FREE, "replicas": {}}}), more)


def _containers(count: int) -> Files:
    """What looks like pods again and again, without being one."""
    text = "          properties:\n" + "".join(f"            a{n}: {{}}\n" for n in range(count))
    text += "".join(f"            b{n}:\n              containers:\n" for n in range(count))
    return _made(f"{HEAD}        type: object\n        properties:\n          x:\n{text}")


def _aliases() -> Files:
    text = "        a0: &a0 {type: string}\n"
    text += "".join(
        f"        a{n}: &a{n} {{type: object, properties: {{{', '.join(f'p{m}: *a{n - 1}' for m in range(9))}}}}}\n"
        for n in range(1, 9)
    )
    return _made(f"{HEAD}{text}        type: object\n        properties: {{spec: *a8}}\n")


DEFINITIONS = {
    "a CRD of 5,000 levels": Made(lambda: _nested(5000)),
    "a CRD of 200,000 fields": Made(lambda: _wide(200_000)),
    "a CRD with rules that loop three times over 200 numbers": Made(lambda: _loops(200, 1)),
    "400 objects of a CRD with rules that loop": Made(lambda: _loops(20, 400)),
    "a CRD with a pattern that backtracks": Made(lambda: _patterns(40_000)),
    "a CRD with 20,000 lists of containers": Made(lambda: _containers(20_000)),
    "a CRD of aliases of aliases": Made(_aliases),
}
