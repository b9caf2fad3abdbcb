"""Kueue's own configuration (config.kueue.x-k8s.io Configuration): which objects it manages at all.

It stands in a file by itself, in the ConfigMap of the manager, or in the values of its chart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from trainlint.deploy.context import parsed
from trainlint.deploy.deployment import Release
from trainlint.finding import Unknown
from trainlint.installed.kinds import KUEUE_CONFIG
from trainlint.installed.version import image_version, stated_version
from trainlint.kube.meta import Meta
from trainlint.kube.selectors import read_label_selector
from trainlint.kube.values import read_strings, read_text
from trainlint.model.settings import KueueManager
from trainlint.source.document import Field

__all__ = ["GROUP", "configured"]

GROUP: Final = "config.kueue.x-k8s.io"
_FILE: Final = "controller_manager_config.yaml"
_DEFAULT: Final = ("batch/job",)
"""What is managed where ``integrations`` is not written (kubernetes-sigs/kueue:apis/config, SetDefaults)."""


def configured(
    objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]
) -> tuple[KueueManager | None, tuple[Unknown, ...]]:
    """What all configurations agree on; nothing where there is none, and an unknown where they differ."""
    objects, releases = list(objects), list(releases)
    version = _version(objects, releases)
    found = [replace(_manager(item), version=version) for item in _configurations(objects, releases)]
    if not found:
        return None, ()
    other = next((each for each in found if each != found[0]), None)
    if other is None:
        return found[0], ()
    places = f"{found[0].at.file if found[0].at else ''} and {other.at.file if other.at else ''}"
    return None, (
        Unknown(
            "the configuration of Kueue",
            f"which one counts: {places} differ in what Kueue manages",
            "keep one of them",
            other.at,
        ),
    )


def _configurations(objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]) -> Iterator[Field]:
    for meta, item in objects:
        if meta.kind == "Configuration" and meta.api_group == GROUP:
            yield item
        elif meta.kind == "ConfigMap" and meta.name == KUEUE_CONFIG:
            yield from _text(item["data"][_FILE])
    for release in releases:
        if release.chart == "kueue" and not any(each.missing for each in release.values):
            layers = [
                each.field.down("managerConfig", "controllerManagerConfigYaml") for each in release.values if each.field
            ]
            written = [each for each in layers if each.present]
            yield from _text(written[-1]) if written else ()


def _version(objects: Iterable[tuple[Meta, Field]], releases: Iterable[Release]) -> tuple[int, int] | None:
    """Major and minor of the one version that is installed; ``None`` where none or several are stated."""
    found = set()
    for meta, item in objects:
        if meta.kind == "Deployment":
            for container in item.down("spec", "template", "spec", "containers").elements():
                image = read_text(container["image"])
                if image.rpartition("/")[2].partition(":")[0] == "kueue":
                    found.add(image_version(image))
    found |= {stated_version(release.version) for release in releases if release.chart == "kueue"}
    numbers = {tuple(each.split(".")[:2]) for each in found if each}
    if len(numbers) != 1:
        return None
    major, minor = numbers.pop()
    return int(major), int(minor)


def _text(text: Field) -> Iterator[Field]:
    found = parsed(text)
    if found is not None:
        yield found


def _manager(item: Field) -> KueueManager:
    integrations = item["integrations"]
    frameworks = read_strings(integrations["frameworks"]) if integrations["frameworks"].present else _DEFAULT
    return KueueManager(
        frameworks=frozenset(each.lower() for each in frameworks),
        external=frozenset(read_strings(integrations["externalFrameworks"])),
        all_jobs=item["manageJobsWithoutQueueName"].value is True,
        namespaces=read_label_selector(item["managedJobsNamespaceSelector"]),
        at=item["manageJobsWithoutQueueName"].at if item["manageJobsWithoutQueueName"].present else item.at,
        selector_at=item["managedJobsNamespaceSelector"].at,
    )
