"""What is rendered before it is judged."""

from __future__ import annotations

from trainlint.fact import fact

__all__ = ["Render"]


@fact
class Render:
    """``kustomize``: kustomizations are rendered, where a renderer is there; ``helm``: charts are."""

    kustomize: bool = True
    helm: bool = True
