"""Software of a cluster whose admission webhooks are known by what its own manifests and its chart call them."""

from __future__ import annotations

from trainlint.fact import fact

__all__ = ["Operator"]


@fact
class Operator:
    """What its webhooks are called upstream; ``*`` stands for what a kind, a revision or a Helm release decides.

    ``webhooks`` are names of single webhooks, ``configurations`` those of the objects that hold them, which are unique
    in a cluster. ``services`` are the Services that are called, in ``namespace`` where nothing else is written.
    ``labels`` are those of the configurations: each pair alone says whose they are.
    """

    name: str
    webhooks: tuple[str, ...]
    configurations: tuple[str, ...]
    services: tuple[str, ...]
    namespace: str
    labels: tuple[tuple[str, str], ...] = ()
