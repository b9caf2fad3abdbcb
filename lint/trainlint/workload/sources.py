"""What a container gets from other objects: variables of ConfigMaps and of its pod, mounted files, claimed devices."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trainlint.kube.values import is_placeholder, read_text
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.because import Because
from trainlint.model.known import Known, Undetermined
from trainlint.model.pod import Container, EnvVar, MountedFile
from trainlint.model.workload import ObjectRef, PodSet
from trainlint.source.document import Document, Field
from trainlint.workload.claims import claimed_devices, resolved_claims
from trainlint.workload.expansion import Context
from trainlint.workload.ground import PodGround

__all__ = ["with_sources"]

_OWN_FIELD: Final = lazy_pattern(r"^metadata\.(labels|annotations)\['([^']+)'\]$")
_REFERENCE: Final = lazy_pattern(r"\$\([A-Za-z_]\w*\)")


def with_sources(pod_set: PodSet, document: Document, context: Context) -> PodSet:
    """The pod set with the values that the snapshot's ConfigMaps and the pods' own metadata give its containers.

    ``document`` is where the containers are written; a container that stands in no file stays as it is.
    """
    spec = pod_set.spec
    volumes = {}
    if spec.at is not None:
        written = document.root.down(*spec.at.path)
        volumes = {read_text(volume["name"]): volume["configMap"] for volume in written["volumes"].elements()}
    reader = _Reader(pod_set, document, context, volumes)
    return replace(
        pod_set,
        spec=replace(
            spec,
            containers=tuple(reader.container(container) for container in spec.containers),
            init_containers=tuple(reader.container(container) for container in spec.init_containers),
            resource_claims=resolved_claims(spec.resource_claims, pod_set.namespace, context.objects)
            if spec.resource_claims
            else (),
        ),
    )


class _Reader:
    """Reads the containers of one pod set."""

    def __init__(self, pod_set: PodSet, document: Document, context: Context, volumes: dict[str, Field]) -> None:
        self._pod_set = pod_set
        self._document = document
        self._context = context
        self._volumes = volumes

    def container(self, container: Container) -> Container:
        """The container with everything that can be known."""
        if container.resource_claims:
            claims = self._pod_set.spec.resource_claims
            names, objects = container.resource_claims, self._context.objects
            container = replace(container, claimed=claimed_devices(names, claims, self._pod_set.namespace, objects))
        if container.at is None or container.at.document != self._document.index:
            return container
        written = self._document.root.down(*container.at.path)
        if written.mapping is None:
            return container
        sources = {element.at: element for element in written["env"].elements()}
        env = tuple(self._variable(entry, sources.get(entry.at) if entry.at else None) for entry in container.env)
        return replace(
            container,
            env=(*self._whole_maps(written["envFrom"]), *env),
            files=tuple(self._mounted(written)),
            hidden_env=tuple(self._hidden(written["envFrom"])),
        )

    def _data(self, name: str) -> Field | None:
        found = self._context.objects.get(ObjectRef("ConfigMap", self._pod_set.namespace, name))
        return found["data"] if found is not None else None

    def _variable(self, entry: EnvVar, element: Field | None) -> EnvVar:
        if element is None or not isinstance(entry.value, Undetermined):
            return entry
        text = element["value"].scalar
        if text is not None and not is_placeholder(_REFERENCE.sub("", text)):
            return replace(entry, value=text)  # $(NAME) refers to another variable: no placeholder
        source = element["valueFrom"]
        reference = source["configMapKeyRef"]
        if reference.present and (data := self._data(read_text(reference["name"]))) is not None:
            found = data[read_text(reference["key"])]
            text = found.scalar
            return entry if text is None or is_placeholder(text) else replace(entry, value=text, origin=found.at)
        value = self._own(read_text(source["fieldRef"]["fieldPath"]))
        return entry if value is None else replace(entry, value=value)

    def _own(self, path: str) -> Known[str] | None:
        if path == "metadata.namespace":
            return self._pod_set.namespace
        if match := _OWN_FIELD.match(path):
            # JobSet and LeaderWorkerSet write their labels as annotations too (W 5, 6)
            own = self._pod_set.annotations if match[1] == "annotations" else self._pod_set.labels
            return own.get(match[2], self._pod_set.labels.get(match[2]))
        return None

    def _whole_maps(self, sources: Field) -> Iterator[EnvVar]:
        for source in sources.elements():
            data = self._data(read_text(source["configMapRef"]["name"]))
            prefix = read_text(source["prefix"])
            for key, value in data.items() if data is not None else ():
                text = value.scalar
                if text is not None:
                    placeholder = Undetermined(Because(PodGround.PLACEHOLDER, (key, repr(text))))
                    known = placeholder if is_placeholder(text) else text
                    yield EnvVar(prefix + key, known, at=source.at, origin=value.at)

    def _hidden(self, sources: Field) -> Iterator[str]:
        for source in sources.elements():
            for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                name = read_text(source[key]["name"])
                if source[key].present and (kind == "Secret" or self._data(name) is None):
                    yield f"{kind} {name}"

    def _mounted(self, written: Field) -> Iterator[MountedFile]:
        for mount in written["volumeMounts"].elements():
            volume = self._volumes.get(read_text(mount["name"]))
            data = self._data(read_text(volume["name"])) if volume is not None else None
            if data is not None and volume is not None:
                yield from _files(volume, data, read_text(mount["mountPath"]), read_text(mount["subPath"]))


def _files(volume: Field, data: Field, mount: str, sub_path: str) -> Iterator[MountedFile]:
    """The files of a mounted ConfigMap."""
    names = {read_text(item["key"]): read_text(item["path"]) for item in volume["items"].elements()}
    for key, value in data.items():
        name = names.get(key, "") if names else key
        text = value.string
        if not name or text is None:
            continue
        if sub_path:
            if sub_path == name:
                yield MountedFile(mount, text, value.at)
        else:
            yield MountedFile(posixpath.join(mount, name), text, value.at)
