"""The pod spec itself: restart policy, names, DNS, claims, and all that its parts are refused for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import annotation_key, label_key, label_value, rfc1123_label
from trainlint.admission.plain_values import elements, known, mapping, names, nearest, number, text, written
from trainlint.admission.pods.containers import containers_of, of_containers
from trainlint.admission.pods.placement import of_placement
from trainlint.admission.pods.resources import of_pod_resources, of_resources
from trainlint.admission.pods.volumes import of_mounts, of_volumes
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.kube.values import is_placeholder
from trainlint.model.because import Because

__all__ = ["of_metadata", "of_pod"]

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_NAMESERVERS: Final = 3
_DNS: Final = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_PULL: Final = ("Always", "IfNotPresent", "Never")


def of_pod(
    spec: Mapping[str, Any], path: Path, *, lent: Collection[str] | None = (), claims: bool = True
) -> Iterator[Problem]:
    """What is refused of a pod with this spec. ``lent`` are volumes that its operator adds (``None``: it is
    unknown which); ``claims`` says that the cluster reads resource claims as Kubernetes 1.31 and newer do.
    """
    containers = containers_of(spec, path)
    yield from of_containers(spec, path)
    yield from of_volumes(spec, path)
    yield from of_mounts(spec, containers, lent)
    for at, container in containers:
        yield from of_resources(container, at)
        yield from _word(container, at, "imagePullPolicy", _PULL)
        yield from _word(container, at, "terminationMessagePolicy", ("File", "FallbackToLogsOnError"))
    yield from of_pod_resources(spec, path)
    yield from of_placement(spec, path)
    yield from _word(spec, path, "restartPolicy", _RESTARTS)
    yield from _word(spec, path, "dnsPolicy", _DNS)
    yield from _word(spec, path, "preemptionPolicy", ("PreemptLowerPriority", "Never"))
    yield from _gates(spec, path)
    yield from _names(spec, path)
    yield from _sharing(spec, path)
    if claims:
        yield from _claims(spec, path, containers)


def _word(holder: Mapping[str, Any], at: Path, key: str, words: tuple[str, ...]) -> Iterator[Problem]:
    given = known(holder.get(key))
    if given and given not in words:
        near = nearest(given, words)
        yield Problem((*at, key), Because(PodFlaw.WORD, (key, given, tuple(words), near)), f"{key} {given}")


def _names(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    for key in ("hostname", "subdomain"):
        if (given := known(spec.get(key))) and (wrong := rfc1123_label(given)):
            yield Problem((*path, key), Because(PodFlaw.HOST_NAME, (given, key, wrong)), f"{key} {given}")
    deadline = number(spec.get("activeDeadlineSeconds"))
    if deadline is not None and deadline < 1:
        yield Problem((*path, "activeDeadlineSeconds"), Because(PodFlaw.POD_DEADLINE, (deadline,)), "pod deadline")
    grace = number(spec.get("terminationGracePeriodSeconds"))
    if grace is not None and grace < 0:
        yield Problem((*path, "terminationGracePeriodSeconds"), Because(PodFlaw.GRACE, (grace,)), "grace")


def _sharing(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    if spec.get("shareProcessNamespace") is True and spec.get("hostPID") is True:
        yield Problem((*path, "shareProcessNamespace"), Because(PodFlaw.PROCESS_NAMESPACE), "process namespace")
    if spec.get("dnsPolicy") == "None" and not mapping(spec.get("dnsConfig")).get("nameservers"):
        yield Problem((*path, "dnsPolicy"), Because(PodFlaw.DNS_POLICY), "dns policy")

    servers = mapping(spec.get("dnsConfig")).get("nameservers")
    if isinstance(servers, list) and len(servers) > _NAMESERVERS:
        at = (*path, "dnsConfig", "nameservers")
        yield Problem(at, Because(PodFlaw.NAMESERVERS, (len(servers),)), "nameservers")


def _gates(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    seen = set()
    for at, gate in elements(spec.get("schedulingGates"), *path, "schedulingGates"):
        name = known(gate.get("name"))
        if name and name in seen:
            yield Problem((*at, "name"), Because(PodFlaw.GATE_TWICE, (name,)), f"gate {name}")
        seen.add(name)


def _claims(
    spec: Mapping[str, Any], path: Path, containers: Collection[tuple[Path, Mapping[str, Any]]]
) -> Iterator[Problem]:
    both = ("resourceClaimName", "resourceClaimTemplateName")
    for at, claim in elements(spec.get("resourceClaims"), *path, "resourceClaims"):
        name = text(claim.get("name"))
        given = [key for key in both if written(claim.get(key)) and claim[key] != ""]
        if len(given) == 2:
            yield Problem(at, Because(PodFlaw.CLAIM_TWICE, (name, both[0], both[1])), f"claim {name}")
        elif not given and not written(claim.get("source")):
            yield Problem(at, Because(PodFlaw.NO_CLAIM, (name, both[0], both[1])), f"claim {name}", lacks=both[0])
    claims = names(spec.get("resourceClaims"))
    if any(is_placeholder(each) for each in claims):
        return
    for at, container in containers:
        listed = mapping(container.get("resources")).get("claims")
        for place, claim in elements(listed, *at, "resources", "claims"):
            wanted = known(claim.get("name"))
            if wanted and wanted not in claims:
                near = nearest(wanted, claims)
                who = text(container.get("name"))
                yield Problem(
                    (*place, "name"), Because(PodFlaw.UNKNOWN_CLAIM, (who, wanted, near)), f"uses claim {wanted}"
                )


def of_metadata(metadata: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Labels and annotations that are refused; values that only lack quotes are another rule's."""
    for key, value in mapping(metadata.get("labels")).items():
        at = (*path, "labels", key)
        if is_placeholder(key):
            continue
        if wrong := label_key(key):
            yield Problem(at, Because(PodFlaw.LABEL_KEY, (key, wrong)), f"label {key}")
        elif (given := known(value)) and (wrong := label_value(given)):
            yield Problem(at, Because(PodFlaw.LABEL_VALUE, (given, key, wrong)), f"label {key}")
    for key in mapping(metadata.get("annotations")):
        if not is_placeholder(key) and (wrong := annotation_key(key)):
            at = (*path, "annotations", key)
            yield Problem(at, Because(PodFlaw.ANNOTATION_KEY, (key, wrong)), f"annotation {key}")
