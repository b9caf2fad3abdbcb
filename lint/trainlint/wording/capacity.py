"""What there is too little of, in words."""

from __future__ import annotations

from trainlint.proof.cause import CapacityCause, NodePort, ResourceAmount
from trainlint.scheduling.quantity import readable

__all__ = ["amount_text", "scarce"]


def scarce(cause: CapacityCause) -> str:
    """What there is too little of: what each pod asks for, a port, or a topology key."""
    match cause.what:
        case ResourceAmount():
            return amount_text(cause.what, each=True)
        case NodePort(port, protocol):
            return f"host port {port}/{protocol}"
    return str(cause.what)


def amount_text(what: ResourceAmount, *, each: bool = False) -> str:
    """An amount; ``each`` says that every pod asks for it."""
    more = f" ({readable(what.resource, what.overhead)} of it added by RuntimeClass {what.added_by})"
    text = f"{readable(what.resource, what.amount)} {what.resource}{' each' if each else ''}"
    return text + more if what.overhead else text
