"""Objects as they arrive: the manifest with what the API server adds, and which of its values are not known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from trainlint.fact import fact
from trainlint.finding import Path
from trainlint.installed.validating.defaults import as_pod, with_defaults, without_nulls
from trainlint.kube.values import is_placeholder
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.workload import PodSet, Workload
from trainlint.source.document import Field
from trainlint.workload.pod_manifest import template_of

__all__ = ["Body", "of_object", "of_pods"]

_MAPS: Final = frozenset({"annotations", "labels", "limits", "matchLabels", "nodeSelector", "requests"})
_NAMES: Final = frozenset({"metadata.generateName", "metadata.name", "request.name"})
_LOOPS: Final = lazy_pattern(r"\.(?:all|exists|exists_one|existsOne|filter|map)\s*\(")
_SET_LATER: Final = frozenset(
    {"backoffLimit", "cleanPodPolicy", "completionMode", "completions", "managedBy", "maxReplicas", "minAvailable"}
    | {"minReplicas", "mlPolicy", "mpiImplementation", "network", "parallelism", "podGroupPolicy", "queue", "replicas"}
    | {"restartPolicy", "runPolicy", "runtimeRef", "schedulerName", "schedulingPolicy", "size", "slotsPerWorker"}
    | {"startupPolicy", "submissionMode", "successPolicy", "suspend", "ttlSecondsAfterFinished"}
)
"""Fields that operators' webhooks and CRDs give a value where none is written."""


@fact(eq=False)
class Body:
    """An object as it arrives. ``item`` is what it is written in: the object itself, or a pod template.

    ``doubtful`` are words: an expression that has one of them looks at a value that is not known. ``counted`` are those
    of maps of which an entry is not known, so that a loop over the map is in doubt.
    """

    value: Mapping[str, Any]
    item: Field
    doubtful: frozenset[str] = frozenset()
    counted: frozenset[str] = field(default_factory=frozenset)
    own_kind: bool = False
    weight: int = 1
    """How much there is to look at, in hundreds of values."""

    def doubt(self, text: str) -> str:
        """The word for a value that an expression looks at and that is not known; empty where there is none."""
        found = next((each for each in sorted(self.doubtful) if _names(text, each)), "")
        if found or _LOOPS.search(text) is None:
            return found
        return next((each for each in sorted(self.counted) if _names(text, each)), "")

    def place(self, text: str) -> Path:
        """The deepest path of the manifest that an expression names."""
        best: Path = ()
        for match in re.finditer(r"""\bobject((?:\.\??\w+|\[\??['"][^'"]+['"]\])+)""", text):
            steps = re.findall(r"""\.\??(\w+)|\[\??['"]([^'"]+)['"]\]""", match[1])
            path: Path = ()
            for step in (left or right for left, right in steps):
                if not self.item.down(*path, step).present:
                    break
                path = (*path, step)
            best = path if len(path) > len(best) else best
        return best

    def set_later(self, text: str) -> str:
        """A field that an expression looks at, that is not written, and that the operator of the kind may set."""
        if self.own_kind:
            return ""
        words = re.findall(r"\.\??(\w+)\b(?!\s*\()", text)
        return next((each for each in words if each in _SET_LATER and not _has(self.value, each)), "")


def of_object(workload: Workload) -> Body:
    """The object of a workload."""
    group, kind = workload.api_version.rpartition("/")[0], workload.owner.kind.partition(".")[0]
    value = without_nulls(workload.field.value)
    own = group in {"", "apps", "batch"}
    metadata = {**_mapping(value.get("metadata")), "namespace": workload.owner.namespace}
    made = with_defaults(group, kind, {**value, "metadata": metadata})
    doubtful, counted = _doubtful(value)
    if "name" not in metadata:
        doubtful |= _NAMES
    if (group, kind) == ("", "Pod") and isinstance(made.get("spec"), dict):
        made = as_pod(made)
    return Body(
        made, workload.field, frozenset(doubtful), frozenset(counted), own_kind=own, weight=1 + _values(made) // 100
    )


def of_pods(workload: Workload, pods: PodSet) -> Body | None:
    """The pods of a set; ``None`` where their template is written elsewhere."""
    here = workload.field.at
    if (pods.template.file, pods.template.document) != (here.file, here.document):
        return None
    if workload.owner.kind == "Pod":
        return of_object(workload)
    template = template_of(workload, pods)
    spec = template["spec"]
    if not isinstance(spec["containers"].value, list):
        return None
    written = without_nulls(template.value)
    doubtful, counted = _doubtful(written)
    labels = {key: "" if isinstance(each, Undetermined) else each for key, each in pods.labels.items()}
    unknown = {key for key, each in pods.labels.items() if isinstance(each, Undetermined)}
    doubtful |= unknown | _NAMES | {"spec.hostname", "spec.subdomain"}
    counted |= {"labels"} if unknown else set()
    own = workload.api_version.rpartition("/")[0] in {"", "apps", "batch"}
    if not own:
        counted |= _added(spec, pods) | {"env", "annotations", "volumes", "volumeMounts", "ports"}
    owner = {"apiVersion": workload.api_version, "kind": workload.owner.kind, "name": workload.owner.name}
    metadata = {
        **_mapping(written.get("metadata")),
        "namespace": pods.namespace,
        "ownerReferences": [{**owner, "controller": True}],
    }
    if labels:
        metadata["labels"] = labels
    if pods.annotations:
        metadata["annotations"] = dict(pods.annotations)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": dict(written["spec"])}
    made = as_pod(with_defaults("", "Pod", pod))
    return Body(made, template, frozenset(doubtful), frozenset(counted), own_kind=own, weight=1 + _values(made) // 100)


def _values(value: Any) -> int:
    """How many values there are below, texts by their length."""
    if isinstance(value, dict):
        return sum(map(_values, value.values())) + len(value)
    if isinstance(value, list):
        return sum(map(_values, value)) + len(value)
    return len(value) // 100 if isinstance(value, str) else 0


def _added(spec: Field, pods: PodSet) -> set[str]:
    """The lists to which an operator adds containers."""
    found = set()
    for key, there in (("containers", pods.spec.containers), ("initContainers", pods.spec.init_containers)):
        if len(there) != len(list(spec[key].elements())):
            found.add(key)
    return found


def _names(text: str, word: str) -> bool:
    """Whether an expression names a field, an entry of a map, or a path of fields."""
    return re.search(rf"(?<![\w/-]){re.escape(word)}(?![\w/-])", text) is not None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _doubtful(value: Any) -> tuple[set[str], set[str]]:
    """The words for placeholders: their key, and the map that they are an entry of."""
    found: set[str] = set()
    counted: set[str] = set()
    for path in _placeholders(value, ()):
        found.add(path[-1] if path else "object")
        if len(path) > 1 and path[-2] in _MAPS:
            counted.add(path[-2])
    return found, counted


def _placeholders(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The keys on the way to each text that holds a placeholder."""
    if isinstance(value, dict):
        for key, each in value.items():
            if is_placeholder(str(key)):
                yield (*path, str(key))
            yield from _placeholders(each, (*path, str(key)))
    elif isinstance(value, list):
        for each in value:
            yield from _placeholders(each, path)
    elif isinstance(value, str) and is_placeholder(value):
        yield path


def _has(value: Any, key: str) -> bool:
    if isinstance(value, dict):
        return key in value or any(_has(each, key) for each in value.values())
    return isinstance(value, list) and any(_has(each, key) for each in value)
