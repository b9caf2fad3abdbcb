"""Writes the structure of the manifest kinds that are read (``make schemas``): names, types and nesting of fields.

The structure of Kubernetes and Kubeflow comes from the models of the packages below, which pip downloads and nothing
imports; that of operators without such a package from ``operators.json`` beside this file.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TARGET = HERE / "trainlint_schemas" / "kinds"
PACKAGES = ("kubernetes==37.0.2", "kubeflow-training==1.9.4", "kubeflow-trainer-api==2.3.0")
COMMON = "kubernetes.json"
KINDS = {
    "v1 Pod": "V1Pod",
    "v1 ReplicationController": "V1ReplicationController",
    "apps/v1 Deployment": "V1Deployment",
    "apps/v1 ReplicaSet": "V1ReplicaSet",
    "apps/v1 StatefulSet": "V1StatefulSet",
    "batch/v1 Job": "V1Job",
    "batch/v1 CronJob": "V1CronJob",
    "kubeflow.org/v1 PyTorchJob": "KubeflowOrgV1PyTorchJob",
    "kubeflow.org/v1 TFJob": "KubeflowOrgV1TFJob",
    "kubeflow.org/v1 XGBoostJob": "KubeflowOrgV1XGBoostJob",
    "kubeflow.org/v1 PaddleJob": "KubeflowOrgV1PaddleJob",
    "kubeflow.org/v1 JAXJob": "KubeflowOrgV1JAXJob",
    "kubeflow.org/v1 MPIJob": "KubeflowOrgV1MPIJob",
    "jobset.x-k8s.io/v1alpha2 JobSet": "JobsetV1alpha2JobSet",
    "trainer.kubeflow.org/v1alpha1 TrainJob": "TrainerV1alpha1TrainJob",
    "trainer.kubeflow.org/v1alpha1 TrainingRuntime": "TrainerV1alpha1TrainingRuntime",
    "trainer.kubeflow.org/v1alpha1 ClusterTrainingRuntime": "TrainerV1alpha1ClusterTrainingRuntime",
}
ROLES = {
    "pytorchReplicaSpecs": ("Master", "Worker"),
    "tfReplicaSpecs": ("PS", "Worker", "Chief", "Master", "Evaluator"),
    "xgbReplicaSpecs": ("Master", "Worker"),
    "paddleReplicaSpecs": ("Master", "Worker"),
    "jaxReplicaSpecs": ("Worker",),
    "mpiReplicaSpecs": ("Launcher", "Worker"),
}
"""Maps of which the operator knows the keys, in any case (W 2)."""
SCALARS = {"str": "string", "StrictStr": "string", "int": "integer", "StrictInt": "integer", "bool": "boolean"}
SCALARS |= {"StrictBool": "boolean", "datetime": "string", "float": "number", "StrictFloat": "number"}
FREE = {"Any", "object", "V1FieldsV1"}

Fields = dict[str, Any]
"""A type in the notation of operators.json: its fields by their names."""


def models() -> dict[str, Fields]:
    """Every model of the packages, by class name."""
    found: dict[str, Fields] = {}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, *PACKAGES]
        subprocess.run(command, check=True)  # noqa: S603 (the packages are named above)
        for wheel in sorted(Path(folder).glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    if "/models/" in name and name.endswith(".py"):
                        found.update(classes(ast.parse(archive.read(name))))
    return found


def classes(module: ast.Module) -> Iterator[tuple[str, Fields]]:
    """The models of a module: those that list their types, and those that declare them."""
    for item in module.body:
        if not isinstance(item, ast.ClassDef):
            continue
        listed = {
            target.id: ast.literal_eval(statement.value)
            for statement in item.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name) and target.id in {"openapi_types", "attribute_map"}
        }
        if len(listed) == 2:
            types, names = listed["openapi_types"], listed["attribute_map"]
            yield item.name, {names[key]: of_text(text) for key, text in types.items()}
        else:
            fields = dict(declared(item))
            if fields:
                yield item.name, fields


def of_text(text: str) -> Any:
    """A type such as ``dict(str, V1Volume)`` or ``list[str]``."""
    return of_node(ast.parse(text.replace("dict(", "Dict[").replace(")", "]"), mode="eval").body)


def declared(model: ast.ClassDef) -> Iterator[tuple[str, Any]]:
    """The annotated fields of a model, by the names that they have in JSON."""
    for statement in model.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name, kind = statement.target.id, statement.annotation
        if name.startswith("_") or "ClassVar" in ast.unparse(kind) or name == "model_config":
            continue
        alias = name
        if isinstance(statement.value, ast.Call):
            words = {word.arg: word.value for word in statement.value.keywords}
            value = words.get("serialization_alias") or words.get("alias")
            alias = value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else name
        if name != "additional_properties":
            yield alias, of_node(kind)


def of_node(node: ast.expr) -> Any:
    """An annotation in our notation."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return of_text(node.value)
    if isinstance(node, ast.Subscript):
        outer = ast.unparse(node.value)
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        match outer.lower():
            case "optional" | "annotated":
                return of_node(inner[0])
            case "list" | "set":
                return [of_node(inner[0])]
            case "dict":
                return {"*": of_node(inner[-1])}
            case _:
                return "any"
    name = ast.unparse(node)
    if name in SCALARS:
        return SCALARS[name]
    return "any" if name in FREE else f"#{name}"


class Writer:
    """Turns our notation into JSON Schemas, with the definitions that they need."""

    def __init__(self, types: Mapping[str, Fields]) -> None:
        self.types = types
        self.common: dict[str, Any] = {}

    def schema(self, kind: Any, own: dict[str, Any] | None) -> dict[str, Any]:
        """The schema of a type; ``own`` takes the definitions of the file, ``None`` stands for the common file."""
        if isinstance(kind, list):
            return {"type": "array", "items": self.schema(kind[0], own)}
        if isinstance(kind, dict):
            return self.mapping(kind, own)
        if kind == "any":
            return {}
        return self.reference(kind[1:], own) if kind.startswith("#") else {"type": kind}

    def mapping(self, kind: Fields, own: dict[str, Any] | None) -> dict[str, Any]:
        """The schema of an object with these fields."""
        if set(kind) == {"*"}:
            return {"type": "object", "additionalProperties": self.schema(kind["*"], own)}
        fields: dict[str, Any] = {}
        for name, value in sorted(kind.items()):
            known = name in ROLES and isinstance(value, dict) and "*" in value
            fields[name] = self.schema(dict.fromkeys(ROLES[name], value["*"]) if known else value, own)
            if name == "status":
                fields[name] = {}
        fields.pop("...", None)
        return {"type": "object", "properties": fields, "additionalProperties": "..." in kind}

    def reference(self, name: str, own: dict[str, Any] | None) -> dict[str, Any]:
        """A reference to a definition, which is added to its file."""
        name = _plain(name)
        if name not in self.types:
            return {}  # quantities, times and what is a number or a text
        kubernetes = own is None or name.startswith("V1")
        holder = self.common if kubernetes or own is None else own
        if name not in holder:
            holder[name] = {}
            holder[name] = self.schema(self.types[name], None if kubernetes else own)
        return {"$ref": f"{COMMON if kubernetes else ''}#/$defs/{name}"}


def _plain(name: str) -> str:
    """Kubernetes' types have one name, whichever package refers to them."""
    for prefix in ("IoK8sApiCore", "IoK8sApiBatch", "IoK8sApimachineryPkgApisMeta"):
        name = name.removeprefix(prefix) if name.startswith(f"{prefix}V1") else name
    return name


def main() -> None:
    """Write every file anew."""
    written = json.loads((HERE / "operators.json").read_text(encoding="utf-8"))
    types = {**models(), **written["definitions"]}
    for name, fields in written["older"].items():
        types[name] = {**types.get(name, {}), **fields}
    specs = {kind: {"spec": spec} for kind, spec in written["kinds"].items()}
    whole = {kind: {**types[name]} for kind, name in KINDS.items()} | specs
    writer = Writer(types)
    TARGET.mkdir(exist_ok=True)
    for old in TARGET.glob("*.json"):
        old.unlink()
    for title, fields in whole.items():
        own: dict[str, Any] = {}
        head = {"apiVersion": "string", "kind": "string", "metadata": "#V1ObjectMeta", "status": "any"}
        body = writer.schema({**fields, **head}, own)
        version, kind = title.split(" ")
        _write(f"{version.replace('/', '_')}_{kind}.json", {"title": title, **body, "$defs": own})
    _write(COMMON, {"title": "types of Kubernetes", "$defs": writer.common})


def _write(name: str, body: Mapping[str, Any]) -> None:
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    body = {key: value for key, value in body.items() if value or key != "$defs"}
    text = json.dumps(head | body, sort_keys=True, separators=(",", ":"))
    (TARGET / name).write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
