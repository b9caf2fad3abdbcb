"""Values that NCCL and its neighbours read as something else, or refuse (N 1.2, 1.7, 2.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from trainlint.fabric.comm_id import read_comm_id
from trainlint.fabric.debug import SUBSYSTEMS, read_debug_level
from trainlint.fabric.fault import NetworkFault, place_of
from trainlint.fabric.fixes import write
from trainlint.fabric.name_list import LONGEST_NAME, NameList
from trainlint.fabric.number import leading_number, read_disable, read_flag, read_level, read_number
from trainlint.fabric.process import settings_of
from trainlint.fabric.release import NEWEST, Release
from trainlint.fabric.variables import PREFIX, default_of, is_numeric
from trainlint.finding import Severity
from trainlint.launch.environment import Carrier, Variable
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.workload import PodSet

__all__ = ["complaint", "invalid_values", "value_fault"]

_RANGES: Final = {
    "CROSS_NIC": (0, 2), "IB_TIMEOUT": (1, 31), "NVLS_ENABLE": (0, 2), "MNNVL_ENABLE": (0, 2), "IB_RETRY_CNT": (0, 7),
}  # fmt: skip
_EXACT: Final = {
    "SOCKET_FAMILY": {"AF_INET", "AF_INET6"}, "IB_ADDR_FAMILY": {"AF_INET", "AF_INET6"},
    "LAUNCH_MODE": {"PARALLEL", "GROUP"}, "CHECK_MODE": {"DEFAULT", "DEBUG_LOCAL", "DEBUG_GLOBAL"},
    "NET_MERGE_POLICY": {"ALL", "RAIL"},
}  # fmt: skip
_ALGORITHMS: Final = {"ring", "tree", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"}
_PROTOCOLS: Final = {"ll", "ll128", "simple"}
_FLAGS: Final = {"SET_THREAD_NAME", "WARN_ENABLE_DEBUG_INFO", "PARAM_DUMP_ALL"}
_TYPED_LISTS: Final[Release] = (2, 24)
_HOST_PORT: Final = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9.-]*:\d{1,5}")
_MELLANOX: Final = lazy_pattern(r"mlx[45]_\w")
"""What the drivers mlx4_ib and mlx5_ib call their devices, also where the kernel's names are extended (mlx5_bond_0)."""
_NOT_IN_NAMES: Final = frozenset(" \t\n\"'*!;")


def invalid_values(
    pod_set: PodSet, releases: Iterable[Release | None], spoken: frozenset[tuple[str, str]] = frozenset()
) -> Iterator[NetworkFault]:
    """The values of the set's containers that are not what they seem.

    ``releases`` are those of the containers' images; ``spoken`` are names and values of which another rule speaks.
    """
    for container, release in zip(pod_set.spec.containers, releases, strict=True):
        for variable in settings_of(container).values():
            value = variable.value
            if not isinstance(value, str) or variable.carrier is Carrier.OPERATOR or (variable.name, value) in spoken:
                continue
            found = complaint(variable.name, value, release or NEWEST)
            if found is not None:
                yield value_fault(pod_set, variable, value, *found)


def complaint(name: str, value: str, release: Release = NEWEST) -> tuple[str, str] | None:
    """What is wrong with a value, as the end of a sentence that begins with ``NAME=value``, and what to write; ``None``
    where nothing is.
    """
    if name == "TORCH_DISTRIBUTED_DEBUG":
        if value.upper() in {"OFF", "INFO", "DETAIL", ""}:
            return None
        return "is no level of torch, which raises ValueError when it starts", "write OFF, INFO or DETAIL"
    if name == "UCX_NET_DEVICES":
        wrong = (
            []
            if value.startswith("^")
            else [item for item in value.split(",") if item.startswith("mlx") and not _is_made(item, exact=True)]
        )
        if wrong:
            return _no_driver(wrong[0].partition(":")[0])
        bare = [item for item in value.removeprefix("^").split(",") if re.fullmatch(r"mlx5_\w+", item)]
        if bare:
            return f"names {bare[0]} without a port, and UCX knows devices only with it", f"write {bare[0]}:1"
        return None
    if not name.startswith(PREFIX):
        return None
    bare_name = name.removeprefix(PREFIX)
    if is_numeric(name):
        return _of_number(bare_name, value, release)
    return next((found for check in _CHECKS if (found := check(bare_name, value, release)) is not None), None)


def _of_number(name: str, value: str, release: Release) -> tuple[str, str] | None:
    if not value:
        return None
    number = read_number(value, release)
    plain = _plain(value)
    if plain is None or (number.value is not None and plain != number.value) or not number.valid:
        return _misread(name, value, release)
    if name in _RANGES and not _RANGES[name][0] <= plain <= _RANGES[name][1]:
        low, high = _RANGES[name]
        if name == "IB_TIMEOUT":
            return (
                "means no timeout at all: a dead link hangs the job without an error",
                f"write a number from {low} to {high}",
            )
        if name in {"NVLS_ENABLE", "MNNVL_ENABLE"} and plain == -2:
            return None
        return "is outside of what NCCL knows", f"write a number from {low} to {high}"
    if name == "NTHREADS" and plain not in {-2, 64, 128, 256, 512}:
        return "is no number of threads that NCCL takes, so it uses its own", "write 64, 128, 256 or 512"
    if name == "SHM_DISABLE" and plain not in {0, 1}:
        return "has no effect: only 1 does", "write 1, or remove it"
    return None


def _misread(name: str, value: str, release: Release) -> tuple[str, str]:
    number = leading_number(value)
    default = default_of(PREFIX + name)
    usual = (
        "its default"
        if default is None
        else "what NCCL decides by itself"
        if default == -2
        else f"its default {default}"
    )
    if number is None:
        old = "reads 0" if release < (2, 32) else "keeps " + usual
        both = f"is no number: NCCL reads 0, and from 2.32 keeps {usual}"
        text = both if release == NEWEST else f"is no number: NCCL {old}"
        return text, _numeric_remedy(value)
    if not read_number(value, release).valid:
        return f"does not fit into 64 bits: NCCL keeps {usual}", "write a smaller number"
    octal = " (a leading 0 means octal)" if value.strip().lstrip("+-").startswith("0") else ""
    return f"is read as {number}{octal}", f"write {number}, or the number that is meant"


def _numeric_remedy(value: str) -> str:
    word = value.strip("\"' \n").lower()
    if word in {"true", "yes", "on", "y", "t", "enable", "enabled"}:
        return 'write "1"'
    if word in {"false", "no", "off", "n", "f", "disable", "disabled"}:
        return 'write "0"'
    return f'write "{word}"' if _plain(word) is not None else "write a number"


def _plain(value: str) -> int | None:
    """The number that a person reads."""
    text = value.strip().removeprefix("+")
    if re.fullmatch(r"-?[0-9]{1,30}", text, re.ASCII):
        return int(text)
    if re.fullmatch(r"-?0[xX][0-9a-fA-F]{1,30}", text):
        return int(text, 16)
    return None


def _levels(name: str, value: str, release: Release) -> tuple[str, str] | None:
    if name in {"P2P_LEVEL", "NET_GDR_LEVEL"} and value and read_level(value, release) is None:
        return "is no level, and is ignored without a word", "write LOC, NVL, PIX, PXB, PXN, PHB or SYS, in capitals"
    if name == "P2P_DISABLE" and not read_disable(value) and leading_number(value) != 0 and value:
        return "has no effect: only 1 disables P2P", "write 1, or remove it"
    return None


def _words(name: str, value: str, release: Release) -> tuple[str, str] | None:
    if name in _EXACT and value and value not in _EXACT[name]:
        return "is no value that NCCL knows, and is ignored", f"write {' or '.join(sorted(_EXACT[name]))}"
    if name in _FLAGS and value and read_flag(value) is None:
        return "is no boolean, and the default stays", "write 1 or 0"
    policies = {word.strip().upper() for word in value.split("|")}
    if name == "CTA_POLICY" and not value.isdecimal() and not policies <= {"DEFAULT", "EFFICIENCY", "ZERO", ""}:
        return "is no policy that NCCL knows", "write DEFAULT, EFFICIENCY or ZERO"
    return None


def _debug(name: str, value: str, release: Release) -> tuple[str, str] | None:
    if name == "DEBUG" and value and read_debug_level(value, release) is None and value.upper() != "NONE":
        return "is no level: nothing is logged at all", "write WARN or INFO"
    if name == "DEBUG_SUBSYS":
        names = [word.strip().upper() for word in value.removeprefix("^").split(",") if word.strip()]
        wrong = [word for word in names if word not in {*SUBSYSTEMS, "ALL"}]
        if wrong:
            effect = "drops the whole list" if release >= (2, 30) else "passes over it"
            return f"holds {wrong[0]}, which is no subsystem: NCCL {effect}", f"take {wrong[0]} out"
    return None


def _tuning(name: str, value: str, release: Release) -> tuple[str, str] | None:
    """NCCL_ALGO and NCCL_PROTO: ``[function:]list;function:list``, each list perhaps with ^ (2.24 and newer)."""
    known = {"ALGO": _ALGORITHMS, "PROTO": _PROTOCOLS}.get(name)
    if known is None or not value:
        return None
    allowed = known if release >= _TYPED_LISTS else known | {"collnet"}
    for part in value.split(";"):
        for item in part.rpartition(":")[2].removeprefix("^").split(","):
            if item and item.strip().lower() not in allowed:
                effect = "init fails" if release >= _TYPED_LISTS else "it is ignored"
                return f"holds {item!r}, which NCCL does not know: {effect}", f"choose among {', '.join(sorted(known))}"
    return None


def _addresses(name: str, value: str, release: Release) -> tuple[str, str] | None:
    if name == "COMM_ID" and read_comm_id(value) is None and not _HOST_PORT.fullmatch(value):
        return "is no address, and NCCL fails in init", "write address:port, or remove it"
    return None


def _lists(name: str, value: str, release: Release) -> tuple[str, str] | None:
    """Lists of names with what only looks like their grammar: a second ^, blanks, quotes."""
    if name not in {"SOCKET_IFNAME", "IB_HCA", "OOB_NET_IFNAME"} or len(value) <= 1:
        return None
    names = NameList.parse(value, 32 if name == "IB_HCA" else 16)
    for item in names.items:
        if item.name.startswith(("^", "=")) or _NOT_IN_NAMES & set(item.name):
            plain = re.sub(r"[\^=\s\"'*!;]", "", item.name)
            text = f"holds the item {item.name!r}, which matches nothing: ^ and = count only once, at the very start"
            if _NOT_IN_NAMES & set(item.name):
                text = f"holds the item {item.name!r}, which matches nothing: blanks and quotes are part of a name"
            return text, f"write {plain}" if plain else "remove it"
        if name != "IB_HCA" and len(item.name) > LONGEST_NAME:
            return f"holds {item.name}, and no interface has a name of more than 15 characters", "write the real name"
    return None


def _adapters(name: str, value: str, release: Release) -> tuple[str, str] | None:
    """Names of adapters that no driver makes; what an exclusion names besides does no harm."""
    if name != "IB_HCA" or value.startswith("^"):
        return None
    exact = value.startswith("=")
    for item in value.removeprefix("=").split(","):
        if item.strip().startswith("mlx") and not _is_made(item.strip(), exact=exact):
            return _no_driver(item.strip().partition(":")[0])
    return None


def _is_made(item: str, *, exact: bool) -> bool:
    """Whether a name that begins with mlx can be that of a device, or without ``exact`` the beginning of one."""
    device = item.partition(":")[0]
    if set(device) & set("*?["):
        return True
    return bool(_MELLANOX.match(device)) or (not exact and any(each.startswith(device) for each in ("mlx4_", "mlx5_")))


def _no_driver(device: str) -> tuple[str, str]:
    number = re.search(r"\d+$", device.partition("_")[2] or "")
    like = f"mlx5_{number[0] if number else 0}"
    text = (
        f"names {device}, and no driver makes a device of this name: adapters of NVIDIA are mlx5_0, mlx5_1 and so on "
        "(mlx4_0 up to ConnectX-3), so it selects nothing"
    )
    return text, f"name a device that ibv_devices lists on the node, such as {like}"


_CHECKS: Final[tuple[Callable[[str, str, Release], tuple[str, str] | None], ...]] = (
    _levels, _words, _debug, _tuning, _addresses, _lists, _adapters,
)  # fmt: skip


def value_fault(pod_set: PodSet, variable: Variable, value: str, text: str, remedy: str) -> NetworkFault:
    """A value that is not what it seems: the text completes ``NAME=value``."""
    return NetworkFault(
        pod_set,
        f"{variable.name}={value} {text} ({pod_set.name})",
        place_of(variable),
        remedy,
        f"{variable.name}={value}",
        evidence={"variable": variable.name, "value": value},
        severity=Severity.ERROR if variable.name == "TORCH_DISTRIBUTED_DEBUG" else None,
        fixes=() if (meant := _meant(remedy)) is None else write(variable, meant),
    )


def _meant(remedy: str) -> str | None:
    """The one value that the remedy names; ``None`` where there is a choice."""
    found = re.fullmatch(r"write (?:\"([^\"]*)\"|([\w.:,^-]+))", remedy)
    return None if found is None else next(each for each in found.groups() if each is not None)
