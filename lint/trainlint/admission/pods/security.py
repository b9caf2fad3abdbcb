"""Security contexts of pods and containers, and the operating system that a pod names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from trainlint.admission.field_flaws import FieldFlaw, FieldPlace
from trainlint.admission.fields import PROFILES, lacks, local_path, name, refused, since, within, word
from trainlint.admission.flaws import PodFlaw
from trainlint.admission.ground import AdmissionGround
from trainlint.admission.name_syntax import sysctl_name
from trainlint.admission.plain_values import elements, known, mapping, number, text
from trainlint.admission.problem import Problem
from trainlint.finding import Path
from trainlint.model.because import Because

__all__ = ["of_security"]

Container = tuple[Path, Mapping[str, Any]]
_MOST_ID: Final = 2**31 - 1
_IDS: Final = ("runAsUser", "runAsGroup", "fsGroup")
_PROC: Final = ("Default", "Unmasked")
_NAMESPACES_SINCE: Final = (1, 33)
"""The first release that keeps ``hostUsers`` and ``procMount`` by default (UserNamespacesSupport, ProcMountType)."""
_HOST_NETWORK: Final = (Because(AdmissionGround.HOST_NETWORK_GATE),)
_IPC_SETTINGS: Final = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")
_OF_LINUX: Final = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls", "runAsUser"),
    *("runAsGroup", "supplementalGroups", "supplementalGroupsPolicy", "seLinuxChangePolicy", "capabilities"),
    *("readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount"),
)
"""Fields of security contexts that a pod for Windows must not have (validateWindows)."""
_HOST_OF_LINUX: Final = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")


def of_security(spec: Mapping[str, Any], path: Path, containers: Iterable[Container]) -> Iterator[Problem]:
    """What is refused of how a pod and its containers are confined."""
    yield from _of_pod(spec, path)
    system = known(mapping(spec.get("os")).get("name"))
    contexts = [((*path, "securityContext"), mapping(spec.get("securityContext")))]
    for at, container in containers:
        context = mapping(container.get("securityContext"))
        if context:
            yield from _of_container(spec, context, at, text(container.get("name")) or "without a name")
            contexts.append(((*at, "securityContext"), context))
    for at, context in contexts:
        yield from _identities(context, at)
        if system:
            yield from _foreign(context, at, system)


def _of_pod(spec: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    if spec.get("shareProcessNamespace") is True and spec.get("hostPID") is True:
        yield Problem((*path, "shareProcessNamespace"), Because(PodFlaw.PROCESS_NAMESPACE), "process namespace")
    if spec.get("hostUsers") is False:
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.get(key) is True:
                assumes = _HOST_NETWORK if key == "hostNetwork" else ()
                values = f"{key}: true"
                yield refused(
                    (*path, "hostUsers"),
                    *(FieldFlaw.EXCLUDES, values),
                    where="hostUsers: false",
                    since=since(_NAMESPACES_SINCE),
                    assumes=assumes,
                )
    context, at = mapping(spec.get("securityContext")), (*path, "securityContext")
    yield from word(context, at, "fsGroupChangePolicy", ("Always", "OnRootMismatch"))
    yield from word(context, at, "supplementalGroupsPolicy", ("Merge", "Strict"))
    yield from word(context, at, "seLinuxChangePolicy", ("MountOption", "Recursive"))
    if "sysctls" in context:
        yield from _settings(spec, context, (*at, "sysctls"))
    if isinstance(spec.get("os"), dict):
        yield from lacks(spec["os"], (*path, "os"), "name")
        yield from word(spec["os"], (*path, "os"), "name", ("linux", "windows"))
        if spec["os"].get("name") == "windows":
            found = [key for key in _HOST_OF_LINUX if spec.get(key) not in (None, False)]
            for key in [*found, *(["resources"] if spec.get("resources") else [])]:
                yield refused((*path, key), FieldFlaw.BELONGS, FieldPlace.LINUX, where=key)


def _settings(spec: Mapping[str, Any], context: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """Settings of the kernel, which a pod in the host's namespaces cannot have for itself."""
    seen: set[str] = set()
    for place, setting in elements(context.get("sysctls"), *at):
        yield from lacks(setting, place, "name")
        yield from name(setting, place, "name", sysctl_name)
        given = known(setting.get("name")) or ""
        if given and given in seen:
            yield refused((*place, "name"), FieldFlaw.TWICE, given, where="sysctls")
        seen.add(given)
        dotted = given.replace("/", ".")
        for key, prefixes in (("hostNetwork", ("net.",)), ("hostIPC", _IPC_SETTINGS)):
            if spec.get(key) is True and dotted.startswith(prefixes):
                yield refused((*place, "name"), FieldFlaw.EXCLUDES, f"{key}: true", where=f"sysctl {given}")


def _of_container(spec: Mapping[str, Any], context: Mapping[str, Any], at: Path, who: str) -> Iterator[Problem]:
    place = (*at, "securityContext")
    yield from word(context, place, "procMount", _PROC)
    if context.get("procMount") == "Unmasked" and spec.get("hostUsers") in (None, True):
        values = ("hostUsers: false",)
        yield refused((*place, "procMount"), FieldFlaw.NEEDS, *values, since=since(_NAMESPACES_SINCE))
    if context.get("allowPrivilegeEscalation") is not False:
        return
    capabilities = mapping(context.get("capabilities")).get("add")
    admin = isinstance(capabilities, list) and "CAP_SYS_ADMIN" in capabilities
    if context.get("privileged") is True or admin:
        why = Because(PodFlaw.ESCALATION, (who, context.get("privileged") is True))
        yield Problem((*place, "allowPrivilegeEscalation"), why, f"escalation of {who}")


def _identities(context: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    for key in _IDS:
        yield from within(context, at, key, 0, _MOST_ID)
    groups = context.get("supplementalGroups")
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        value = number(group)
        if value is not None and not 0 <= value <= _MOST_ID:
            yield refused((*at, "supplementalGroups", index), FieldFlaw.RANGE, value, 0, _MOST_ID)
    for key in ("seccompProfile", "appArmorProfile"):
        if isinstance(context.get(key), dict):
            yield from _profile(context[key], (*at, key))


def _profile(profile: Mapping[str, Any], at: Path) -> Iterator[Problem]:
    """A profile of seccomp or AppArmor: its file belongs to the type Localhost (validateSeccompProfileField)."""
    yield from lacks(profile, at, "type")
    yield from word(profile, at, "type", PROFILES)
    kind, file = known(profile.get("type")), profile.get("localhostProfile")
    if kind == "Localhost":
        yield from lacks(profile, at, "localhostProfile")
        if at[-1] == "seccompProfile":
            yield from local_path(profile, at, "localhostProfile")
        elif isinstance(file, str) and file != file.strip():
            yield refused((*at, "localhostProfile"), FieldFlaw.PADDED)
    elif kind in PROFILES and file is not None:
        yield refused((*at, "localhostProfile"), FieldFlaw.BELONGS, FieldPlace.LOCALHOST)


def _foreign(context: Mapping[str, Any], at: Path, system: str) -> Iterator[Problem]:
    """What a security context must not have under an operating system."""
    keys = ("windowsOptions",) if system == "linux" else _OF_LINUX if system == "windows" else ()
    for key in keys:
        if context.get(key) is not None:
            other = FieldPlace.WINDOWS if system == "linux" else FieldPlace.LINUX
            yield refused((*at, key), FieldFlaw.BELONGS, other)
