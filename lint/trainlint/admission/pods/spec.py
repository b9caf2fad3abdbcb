"""The pod spec itself: restart policy, names, DNS, gates, and all that its parts are refused for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import address, lacks, name, refused, within, word
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.name_syntax import label_key, loose_subdomain, rfc1123_label, rfc1123_subdomain
from trainlint.admission.plain_values import elements, known, mapping, number
from trainlint.admission.pods.claims import of_claims
from trainlint.admission.pods.containers import containers_of, of_containers
from trainlint.admission.pods.mounts import of_mounts
from trainlint.admission.pods.placement import of_placement
from trainlint.admission.pods.ports import of_ports
from trainlint.admission.pods.resources import of_pod_resources, of_resources
from trainlint.admission.pods.security import of_security
from trainlint.admission.pods.volumes import of_volumes
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["of_pod"]

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_NAMESERVERS: Final = 3
_SEARCHES: Final = 32
_SEARCHED: Final = 2048
_MOST_SECONDS: Final = 2**31 - 1
_OVERRIDDEN_SINCE: Final = (1, 35)
"""The first release that reads ``hostnameOverride`` by default."""
_LONGEST_HOST: Final = 64
_CLAIMS_SINCE: Final = (1, 31)
"""The first release that reads resource claims in the form of today."""
_REFERENCES: Final = ("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName")


def of_pod(
    spec: Mapping[str, Any], path: Path, *, lent: Collection[str] | None = (), version: tuple[int, ...] = ()
) -> Iterator[Problem]:
    """What is refused of a pod with this spec. ``lent`` are volumes that its operator adds (``None``: it is
    unknown which); ``version`` is that of Kubernetes, empty where unknown.
    """
    containers = containers_of(spec, path)
    yield from of_containers(spec, path, version)
    yield from of_ports(spec, containers)
    yield from of_security(spec, path, containers)
    yield from of_volumes(spec, path)
    yield from of_mounts(spec, containers, lent)
    for at, container in containers:
        yield from of_resources(container, at)
    yield from of_pod_resources(spec, path, version)
    yield from of_placement(spec, path)
    yield from word(spec, path, "restartPolicy", _RESTARTS)
    yield from word(spec, path, "dnsPolicy", _DNS)
    yield from word(spec, path, "preemptionPolicy", ("PreemptLowerPriority", "Never"))
    yield from _gates(spec, path)
    yield from _names(spec, path, version)
    yield from _dns(spec, path)
    if not version or version >= _CLAIMS_SINCE:
        yield from of_claims(spec, path, containers)
    if spec.get("ephemeralContainers"):
        place = (*path, "ephemeralContainers")
        yield refused(place, FieldFlaw.BELONGS, FieldPlace.RUNNING, where="ephemeralContainers")


def _names(spec: Mapping[str, Any], path: Path, version: tuple[int, ...]) -> Iterator[Problem]:
    for key in ("hostname", "subdomain"):
        if (given := known(spec.get(key))) and (wrong := rfc1123_label(given)):
            yield Problem((*path, key), Because(PodFlaw.HOST_NAME, (given, key, wrong)), f"{key} {given}")
    for key in _REFERENCES:
        yield from name(spec, path, key)
    deadline = number(spec.get("activeDeadlineSeconds"))
    if deadline is not None and deadline < 1:
        yield Problem((*path, "activeDeadlineSeconds"), Because(PodFlaw.POD_DEADLINE, (deadline,)), "pod deadline")
    elif deadline is not None:
        yield from within(spec, path, "activeDeadlineSeconds", 1, _MOST_SECONDS)
    if "hostnameOverride" in spec and (not version or version >= _OVERRIDDEN_SINCE):
        yield from _override(spec, path)
    for at, alias in elements(spec.get("hostAliases"), *path, "hostAliases"):
        yield from lacks(alias, at, "ip")
        if alias.get("ip"):
            yield from address(alias["ip"], (*at, "ip"))
        hosts = alias.get("hostnames")
        for index, host in enumerate(hosts if isinstance(hosts, list) else ()):
            if (given := known(host)) and (wrong := rfc1123_subdomain(given)):
                yield refused((*at, "hostnames", index), FieldFlaw.NAME, given, wrong)


def _override(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """A host name that replaces all others (validatePodHostName)."""
    for key in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.get(key) is True:
            at = (*path, "hostnameOverride")
            yield refused(at, FieldFlaw.EXCLUDES, f"{key}: true", where="hostnameOverride")
    yield from name(spec, path, "hostnameOverride")
    given = known(spec.get("hostnameOverride"))
    if given and len(given) > _LONGEST_HOST:
        values = (len(given), _LONGEST_HOST, "characters")
        yield refused((*path, "hostnameOverride"), FieldFlaw.TOO_MANY, *values, where="hostnameOverride")


def _dns(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    config, at = mapping(spec.get("dnsConfig")), (*path, "dnsConfig")
    if spec.get("dnsPolicy") == "None" and not config.get("nameservers"):
        yield Problem((*path, "dnsPolicy"), Because(PodFlaw.DNS_POLICY), "dns policy")
    if not config:
        return
    servers, searches = config.get("nameservers"), config.get("searches")
    if isinstance(servers, list):
        if len(servers) > _NAMESERVERS:
            yield Problem((*at, "nameservers"), Because(PodFlaw.NAMESERVERS, (len(servers),)), "nameservers")
        for index, server in enumerate(servers):
            yield from address(server, (*at, "nameservers", index))
    if isinstance(searches, list):
        yield from _searches(searches, (*at, "searches"))
    for place, option in elements(config.get("options"), *at, "options"):
        yield from lacks(option, place, "name")


def _searches(searches: list[Any], at: Path) -> Iterator[Problem]:
    if len(searches) > _SEARCHES:
        yield refused(at, FieldFlaw.TOO_MANY, len(searches), _SEARCHES, "domains")
    if (length := len(" ".join(map(str, searches)))) > _SEARCHED:
        yield refused(at, FieldFlaw.TOO_MANY, length, _SEARCHED, "characters")
    for index, search in enumerate(searches):
        if (given := known(search)) and (wrong := loose_subdomain(given)):
            yield refused((*at, index), FieldFlaw.NAME, given, wrong)


def _gates(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    seen = set()
    for at, gate in elements(spec.get("schedulingGates"), *path, "schedulingGates"):
        given = known(gate.get("name"))
        yield from lacks(gate, at, "name")
        yield from name(gate, at, "name", label_key)
        if given and given in seen:
            yield Problem((*at, "name"), Because(PodFlaw.GATE_TWICE, (given,)), f"gate {given}")
        seen.add(given)
    for at, gate in elements(spec.get("readinessGates"), *path, "readinessGates"):
        yield from lacks(gate, at, "conditionType")
        yield from name(gate, at, "conditionType", label_key)
    if spec.get("nodeName") and spec.get("schedulingGates"):
        yield refused((*path, "nodeName"), FieldFlaw.EXCLUDES, "schedulingGates", where="nodeName")
