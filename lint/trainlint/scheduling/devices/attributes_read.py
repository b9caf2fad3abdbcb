"""What claims look at of devices: names of attributes and capacities, without their domains."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.model.devices import NodeDevices
from trainlint.model.pod import PodResourceClaim
from trainlint.scheduling.devices.domains import reading
from trainlint.scheduling.devices.earlier import earlier_devices, is_earlier

__all__ = ["AttributesRead"]


class AttributesRead:
    """What the claims of some pods can tell of devices, with this version of Kubernetes."""

    def __init__(self, pods: Iterable[tuple[PodResourceClaim, ...]], kubernetes: str) -> None:
        self._earlier = is_earlier(kubernetes)
        entries = [each for claims in pods for each in claims]
        self._any = bool(entries)
        self._everything = False
        self._names: set[str] = set()
        for entry in entries:
            texts = [text for each in entry.classes for text in each.selectors]
            for request in entry.devices.requests if entry.devices else ():
                texts += [text for wish in request.wishes for text in wish.selectors]
            for constraint in entry.devices.constraints if entry.devices else ():
                self._names.add((constraint.match or constraint.distinct).rpartition("/")[2])
            for text in texts:
                read = reading(text)
                self._names |= read.names
                self._everything = self._everything or read.everything

    def of(self, devices: NodeDevices | None) -> NodeDevices | None:
        """The devices with what the claims look at; ``None`` where there are no claims, or no devices are known."""
        if devices is None or not self._any:
            return None
        found = devices if self._everything else devices.reduced(self._names)
        return earlier_devices(found) if self._earlier else found
