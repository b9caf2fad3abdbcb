"""Host names of a job's own pods that DNS does not know, or knows too late, as data (W 1.7, 1.8, 9, 10)."""

from __future__ import annotations

from trainlint.fact import fact
from trainlint.finding import Location
from trainlint.workload.checks.contract_fault import ContractFault

__all__ = [
    "BareName",
    "HostNameFault",
    "LateNames",
    "MissingService",
    "NamelessPods",
    "NumberlessPods",
    "OtherSubdomain",
    "UnselectedPods",
    "WrongSubdomain",
]


@fact
class HostNameFault(ContractFault):
    """Pods of ``user`` look for ``host``, the pod ``pod`` of a Service; empty where the name has no such part.

    ``used_at`` is where they name it.
    """

    user: str
    host: str
    pod: str
    service: str
    used_at: Location


@fact
class LateNames(HostNameFault):
    """The pods have names only once they are ready, and are ready only when others have found them."""

    probe_at: Location


@fact
class MissingService(HostNameFault):
    """No Service of that name gives the pods of ``target`` names.

    ``other`` is the one headless Service that selects them, or where ``elsewhere`` is set the Service of that name in
    the namespace ``elsewhere``; empty where there is none.
    """

    target: str
    namespace: str
    subdomain: str
    other: str
    elsewhere: str
    other_at: Location | None


@fact
class UnselectedPods(HostNameFault):
    """The Service does not select the pods of ``target``."""

    target: str
    selector: str
    pods_at: Location


@fact
class NumberlessPods(HostNameFault):
    """The pods of ``target`` have random names, as the Job does not number them."""

    target: str
    service_at: Location | None


@fact
class WrongSubdomain(HostNameFault):
    """The pods of ``target`` have another subdomain than the Service's name, or none."""

    target: str
    subdomain: str
    service_at: Location | None


@fact
class BareName(HostNameFault):
    """A host name of a pod alone, which DNS does not know; ``full`` is the name that it has."""

    full: str
    operated: bool


@fact
class NamelessPods(HostNameFault):
    """The pods of ``job`` have no names in DNS, as their object does not ask for them (``by_volcano``, or a JobSet)."""

    job: str
    full: str
    by_volcano: bool


@fact
class OtherSubdomain(HostNameFault):
    """The operator gives the pods of ``target`` another subdomain."""

    target: str
    subdomain: str
    pods_at: Location
