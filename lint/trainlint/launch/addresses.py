"""Addresses that a container's command line and environment name (decision 7: what counts as an address)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from trainlint.fact import fact, remembered
from trainlint.finding import Location
from trainlint.launch.command import DECLARATIONS, Command, Option, commands
from trainlint.launch.environment import MPI_PROGRAMS, Carrier, Variable, environment, expand
from trainlint.lazy_pattern import lazy_pattern
from trainlint.model.known import Undetermined
from trainlint.model.pod import Container

__all__ = ["Address", "addresses", "addresses_in", "is_address_name", "is_rendezvous_name"]

_SCHEME_PORTS: Final = {
    "http": 80, "https": 443, "ws": 80, "wss": 443, "redis": 6379, "rediss": 6379, "amqp": 5672, "nats": 4222,
    "postgres": 5432, "postgresql": 5432, "mysql": 3306, "mongodb": 27017, "ray": 10001, "tcp": None, "udp": None,
    "grpc": None, "grpcs": None, "etcd": 2379, "etcd-v2": 2379, "c10d": None, "spark": 7077, "zmq": None,
}  # fmt: skip
_URL: Final = lazy_pattern(
    r"(?<![\w+.-])([a-z][a-z0-9+-]*)://(?:[^\s/@,;'\"]*@)?([^\s/:?#,;'\"\]})|]+)(?::([^\s/,;'\"\]})|]+))?"
)
_SEPARATORS: Final = lazy_pattern(r"[\s,;|\"'\[\]{}]+")
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAME: Final = lazy_pattern(rf"^{_LABEL}(?:\.{_LABEL})*\.?$")
_NUMERIC: Final = lazy_pattern(r"^[\d.]+$")
_ADDRESS_WORDS: Final = frozenset({
    "host", "hosts", "hostname", "addr", "addrs", "address", "addresses", "endpoint", "endpoints", "url", "urls", "uri",
    "server", "servers", "coordinator", "master", "rendezvous", "rdzv", "tracker", "broker", "brokers", "peers",
    "scheduler", "leader",
})  # fmt: skip
_RENDEZVOUS: Final = lazy_pattern(
    r"""^(?: (?:pet-|dist-|torch-|paddle-)?master(?:-(?:addr|address|ip|host|endpoint|uri|url))?
          | .*(?:coordinator|rendezvous|rdzv).* | (?:lws-)?leader(?:-(?:addr|address|host|ip))? | main-process-ip
          | dist-(?:init-addr|url|init-method) | init-method | (?:dmlc-)?tracker(?:-(?:uri|host|addr|address))?
          | data-parallel-address | ray-(?:head-)?address )$""",
    re.VERBOSE,
)
_PORT_OF: Final = lazy_pattern(r"[-_.](addr|address|host|hostname|ip|uri|url|endpoint)$", re.IGNORECASE)
_MPI_HOST_LISTS: Final = frozenset({"h", "host", "hosts"})
_DEFAULT_PORTS: Final = {
    ("", "PET_MASTER_ADDR"): 29500,
    ("", "PET_RDZV_ENDPOINT"): 29400,
    ("torchrun", "master-addr"): 29500,
    ("torchrun", "rdzv-endpoint"): 29400,
    ("deepspeed", "master-addr"): 29500,
    ("accelerate", "main-process-ip"): 29500,
    ("vllm", "master-addr"): 29501,
    ("vllm", "data-parallel-address"): 29550,
}
"""What the launchers use where no port is written (W 15.F1, 15.F2, 15.F12, 15.F13)."""
_LISTENING: Final = lazy_pattern(r"(^|-)(listen|bind|advertise|advertised|announce|expose|initial-advertise)(-|$)")


@fact
class Address:
    """A host that the container names, its port if one is written, the flag or variable that carries it, its place.

    ``rendezvous`` says that ranks meet there, by the carrier's name.
    """

    host: str
    port: int | None
    at: Location
    text: str
    carrier: str = ""
    rendezvous: bool = False


@remembered
def addresses(container: Container) -> tuple[Address, ...]:
    """The addresses of the container's commands and environment that may be Services or pods, each once.

    IP addresses and ``localhost`` are left out, also what the container listens on.
    """
    variables = environment(container)
    found: dict[tuple[str, int | None, str], Address] = {}
    for address in (*_of_variables(variables), *_of_commands(commands(container), variables)):
        host = address.host.rstrip(".").lower()
        if host and host != "localhost" and not _NUMERIC.match(host):
            found.setdefault((host, address.port, address.carrier), replace(address, host=host))
    return tuple(found.values())


def addresses_in(text: str, at: Location, carrier: str, default: int | None = None) -> tuple[Address, ...]:
    """The addresses in the text of a field that holds some (``host:port``, URLs, names).

    ``default`` is the port where none is written. IP addresses are left out.
    """
    found = ((host.rstrip(".").lower(), port or default) for host, port in _named(text, bare=True))
    return tuple(Address(host, port, at, text, carrier) for host, port in found if not _NUMERIC.match(host))


def is_address_name(name: str) -> bool:
    """Whether a flag or variable of this name holds an address (``--rdzv-endpoint``, ``MASTER_ADDR``)."""
    words = _words_of(name)
    return bool(words) and (words[-1] in _ADDRESS_WORDS or (words[-1] == "ip" and is_rendezvous_name(name)))


def is_rendezvous_name(name: str) -> bool:
    """Whether ranks meet at the address that a flag or variable of this name holds."""
    return _RENDEZVOUS.match("-".join(_words_of(name))) is not None


def _words_of(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name)
    return [word for word in re.split(r"[-_.]+", spaced.lower()) if word]


def _of_variables(variables: Mapping[str, Variable]) -> Iterator[Address]:
    for variable in variables.values():
        # what an operator offers is an address only where a command uses it
        if isinstance(variable.value, Undetermined) or variable.carrier is Carrier.OPERATOR:
            continue
        if _LISTENING.search(variable.name.lower().replace("_", "-")):
            continue
        for host, port in _named(variable.value, bare=is_address_name(variable.name)):
            yield Address(
                host,
                port if port is not None else _paired(variable.name, variables),
                variable.at,
                variable.value,
                variable.name,
                is_rendezvous_name(variable.name),
            )


def _of_commands(lines: tuple[Command, ...], variables: Mapping[str, Variable]) -> Iterator[Address]:
    for command in lines:
        if command.program in DECLARATIONS:  # they set variables
            continue
        options = list(command.options())
        for option in options:
            is_module = option.name == "m" and bool(command.module)
            if option.value is not None and not is_module and not _LISTENING.search(option.name):
                yield from _of_option(command, option, options, variables)
        for word in command.operands():
            text = expand(word.text, variables)
            for host, port in _named(text, bare=False):
                yield Address(host, port, word.at, text)


def _of_option(
    command: Command, option: Option, others: list[Option], variables: Mapping[str, Variable]
) -> Iterator[Address]:
    text = expand(option.value or "", variables)
    if command.program in MPI_PROGRAMS and option.name in _MPI_HOST_LISTS:
        for host, _ in _named(text, bare=True):  # what follows the colon counts processes
            yield Address(host, None, option.at, text, _flag(option.name))
        return
    for host, written in _named(text, bare=is_address_name(option.name)):
        port = written
        if port is None:
            beside = _PORT_OF.sub("-port", option.name)
            port = next((_number(expand(o.value, variables)) for o in others if o.name == beside and o.value), None)
        if port is None and "$" not in text:
            launcher = "torchrun" if command.module.startswith("torch.distributed.") else command.program
            port = _DEFAULT_PORTS.get((launcher, option.name))
        meets = is_rendezvous_name(option.name) or (command.program, option.name) == ("ray", "address")
        yield Address(host, port, option.at, text, _flag(option.name), meets)


def _flag(name: str) -> str:
    return f"--{name}" if len(name) > 1 else f"-{name}"


def _paired(name: str, variables: Mapping[str, Variable]) -> int | None:
    """The port in the variable that goes with an address variable: MASTER_PORT with MASTER_ADDR."""
    sibling = variables.get(_PORT_OF.sub("_PORT", name))
    if sibling is None or sibling.name == name:
        return _DEFAULT_PORTS.get(("", name))
    return None if isinstance(sibling.value, Undetermined) else _number(sibling.value)


def _named(text: str, *, bare: bool) -> Iterator[tuple[str, int | None]]:
    """Hosts and ports in a text: URLs, ``host:port``, names with dots, and single names where ``bare`` allows them."""
    for match in _URL.finditer(text):
        scheme = match[1].lower()
        if scheme in _SCHEME_PORTS and _NAME.match(match[2].lower()):
            yield match[2], _number(match[3]) if match[3] else _SCHEME_PORTS[scheme]
    for piece in _SEPARATORS.split(_URL.sub(" ", text)):
        name, colon, rest = piece.rpartition("=")[2].partition(":")
        if not _NAME.match(name.lower()):
            continue
        if colon:
            port = rest.partition("/")[0]
            if port.isdecimal() or port.startswith("$"):
                yield name, _number(port)
        elif bare or "." in name:
            yield name, None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) <= 5 and 0 < int(text) < 65536 else None
