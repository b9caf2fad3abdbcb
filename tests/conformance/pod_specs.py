"""What of a pod spec decides where a pod may run, whom policies see, and what runs in it: as texts, to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from trainlint.model.known import SYMBOL, Undetermined
from trainlint.model.pod import Container, PodSpec

__all__ = ["spec_texts"]

_UNKNOWN = "*"
_PLACING = ("node_selector", "node_affinity", "pod_affinity", "pod_anti_affinity")
"""What exclusive placement adds; the model says it by a domain that pods share, not by selectors."""


def spec_texts(spec: PodSpec, *, together: bool = False, commands: bool = True) -> dict[str, str]:
    """The parts of a spec by name; without commands where the operator writes the command line of a container.

    Pods that an operator keeps ``together`` get selectors and affinity from it, which are left out.
    """
    texts = {
        "spread": _text(spec.spread),
        "tolerations": _text(sorted(map(_text, spec.tolerations))),
        "hostNetwork": str(spec.host_network),
        "dnsPolicy": spec.dns_policy or "ClusterFirst",
        "serviceAccountName": _UNKNOWN if SYMBOL in spec.service_account else spec.service_account,
        "priorityClassName": spec.priority_class,
        "runtimeClassName": spec.runtime_class,
        "schedulingGates": _text(spec.scheduling_gates),
        "overhead": _text(spec.overhead),
    }
    if not together:
        texts |= {name: _text(getattr(spec, name)) for name in _PLACING}
    for kind, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        texts[kind] = _text(sorted(each.name for each in containers))
        for each in containers:
            texts |= _of_container(f"{kind} {each.name}", each, commands=commands and not each.made)
    return texts


def _of_container(name: str, container: Container, *, commands: bool) -> dict[str, str]:
    texts = {
        f"{name} ports": _text(sorted(f"{port.number}/{port.protocol} {port.name}" for port in container.ports)),
        f"{name} resources": _text({**container.limits, **container.requests}),
        f"{name} restartPolicy": container.restart_policy,
    }
    if commands:
        texts[f"{name} command"] = _text(container.command)
        texts[f"{name} args"] = _text(container.args)
    return texts


def _text(value: Any) -> str:
    """A value without its places in files, in an order that does not depend on how it was read."""
    if isinstance(value, Undetermined):
        return _UNKNOWN
    if is_dataclass(value):
        parts = (f"{each.name}={_text(getattr(value, each.name))}" for each in fields(value) if each.compare)
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, Mapping):
        return _text(sorted(f"{key}: {_text(each)}" for key, each in value.items()))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{', '.join(_text(each) for each in value)}]"
    return str(value)
