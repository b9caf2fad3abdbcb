"""Host names that DNS does not know, in words."""

from __future__ import annotations

from trainlint.workload.checks.host_name_fault import (
    BareName,
    HostNameFault,
    LateNames,
    MissingService,
    NamelessPods,
    NumberlessPods,
    OtherSubdomain,
    UnselectedPods,
    WrongSubdomain,
)

__all__ = ["host_name_text"]


def host_name_text(fault: HostNameFault) -> str:
    """Why DNS does not know the name, as a sentence without its end.

    Raises:
        TypeError: the fault is none of the kinds that are known.
    """
    looks = f"{fault.user} looks for {fault.pod}.{fault.service}"
    match fault:
        case LateNames():
            return (
                f"pods of {fault.user} look for {fault.pod}.{fault.service} before they are ready, and the Service "
                f"{fault.service} gives names only to pods that are: each waits for the other"
            )
        case MissingService():
            gives = f"no Service {fault.service} gives the pods of {fault.target} names"
            return f"{looks}, and {gives}{_other_service(fault)}"
        case UnselectedPods():
            selects = f"does not select the pods of {fault.target} (it selects {fault.selector or 'nothing'})"
            return f"{looks}, and the Service {fault.service} {selects}: the name does not exist"
        case NumberlessPods():
            return f"{looks}, and the pods of {fault.target} have random names: completionMode is not Indexed"
        case WrongSubdomain():
            has = f"have the subdomain {fault.subdomain}" if fault.subdomain else "have no subdomain"
            rule = "DNS gives the name of a pod only under the Service that its subdomain names"
            return f"{looks}, and the pods of {fault.target} {has}: {rule}"
        case BareName():
            alone = "DNS does not know the host name of a pod alone"
            return f"{fault.user} looks for {fault.pod}, and {alone}: it is {fault.full}"
        case NamelessPods():
            would = f"{fault.full} would be a pod of {fault.job}"
            return f"{fault.user} looks for {fault.host}; {would}, but {_nameless(fault)}"
        case OtherSubdomain():
            return (
                f"{fault.user} looks for {fault.host}, and the pods of {fault.target} have the subdomain "
                f"{fault.subdomain}: DNS knows this one as {fault.pod}.{fault.subdomain}"
            )
    raise TypeError(f"{type(fault).__name__} has no words")


def _other_service(fault: MissingService) -> str:
    if fault.elsewhere:
        return f" in the namespace {fault.namespace}; there is one in {fault.elsewhere}"
    return f"; the headless Service that selects them is called {fault.other}" if fault.other else ""


def _nameless(fault: NamelessPods) -> str:
    if fault.by_volcano:
        return "only the svc plugin of Volcano makes that name, and the job has none"
    return "enableDNSHostnames is false, so its pods have no names in DNS"
