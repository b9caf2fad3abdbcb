"""The constraints of a claim: attributes that its devices have in common, or in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.model.because import Because
from trainlint.model.devices import Attribute, DeviceConstraint, SliceDevice
from trainlint.model.known import Known, Undetermined
from trainlint.scheduling.devices.offer import Candidate
from trainlint.scheduling.devices.outcome import DeviceGround

__all__ = ["AttributeConstraint", "attribute_of", "constraints_of"]


def attribute_of(device: SliceDevice, driver: str, name: str) -> Known[Attribute] | None:
    """The attribute with a qualified name, which the device may publish without its driver as the domain.

    ``None`` where the device has none.
    """
    found = device.attributes.get(name)
    if found is None:
        domain, slash, rest = name.partition("/")
        if slash and domain == driver:
            found = device.attributes.get(rest)
    if found is None and not device.complete:
        return Undetermined(Because(DeviceGround.UNDECLARED, (name,)))
    return found


class AttributeConstraint:
    """A constraint while devices are taken: ``add`` and, in reverse order, ``remove``."""

    def __init__(self, written: DeviceConstraint, *, unknown: bool) -> None:
        self.written = written
        self._unknown = unknown
        self._first: Attribute | None = None
        self._count = 0
        self._seen: dict[str, Attribute] = {}

    def concerns(self, request: str, alternative: str) -> bool:
        """Whether devices of the request, or of one of its alternatives, fall under it."""
        names = self.written.requests
        return not names or request in names or bool(alternative and f"{request}/{alternative}" in names)

    def add(self, request: str, alternative: str, candidate: Candidate) -> bool:
        """Whether one more device satisfies it; then it is counted."""
        if not self.concerns(request, alternative):
            return True
        name = self.written.match or self.written.distinct
        found = attribute_of(candidate.device, candidate.id[0], name)
        if isinstance(found, Undetermined):
            return self._unknown
        if found is None:
            return False
        return self._same(found) if self.written.match else self._other(request, found)

    def remove(self, request: str, alternative: str, candidate: Candidate) -> None:
        """Take back what ``add`` counted."""
        if not self.concerns(request, alternative):
            return
        name = self.written.match or self.written.distinct
        if isinstance(attribute_of(candidate.device, candidate.id[0], name), Undetermined):
            return
        self._count -= 1
        if not self.written.match:
            self._seen.pop(request, None)

    def _same(self, found: Attribute) -> bool:
        if self._count and (not found[0] or found != self._first):
            return False
        if not self._count:
            self._first = found
        self._count += 1
        return True

    def _other(self, request: str, found: Attribute) -> bool:
        """Only the last value of each request is remembered, as the scheduler does."""
        if self._seen and (not found[0] or found in self._seen.values()):
            return False
        self._seen[request] = found
        self._count += 1
        return True


def constraints_of(written: Sequence[DeviceConstraint], *, unknown: bool) -> list[AttributeConstraint]:
    """The constraints, with nothing taken; ``unknown``: what an attribute that is not known counts as."""
    return [AttributeConstraint(each, unknown=unknown) for each in written]
