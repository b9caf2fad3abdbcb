"""Kinds of workloads that people describe in trainlint.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.model.settings import DescribedFlow, DescribedKind, DescribedRole

if TYPE_CHECKING:
    from trainlint.config.model import WorkloadConfig

__all__ = ["described_kind"]


def described_kind(config: WorkloadConfig) -> DescribedKind:
    """The description of one kind."""
    return DescribedKind(
        config.kind,
        config.group,
        tuple(
            DescribedRole(
                role.name,
                _path(role.at),
                _path(role.template),
                role.replicas if isinstance(role.replicas, int) else _path(role.replicas),
                _path(role.name_at),
                role.ranks,
            )
            for role in config.roles
        ),
        tuple(DescribedFlow(flow.source, flow.target, flow.port, flow.protocol) for flow in config.flows),
    )


def _path(text: str) -> tuple[str, ...]:
    return tuple(step for step in text.split(".") if step)
