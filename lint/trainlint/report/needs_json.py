"""What a group needs, for programs: its schema is ``trainlint_schemas/needs.json``."""

from __future__ import annotations

from typing import Any

from trainlint.model.needs import Needs, RoleNeed
from trainlint.model.pod import Toleration
from trainlint.model.selector import Requirement
from trainlint.wording.because import because_text, texts_of

__all__ = ["needs_data"]


def needs_data(needs: Needs) -> dict[str, Any]:
    """The needs as plain data."""
    return {
        "roles": [_role(each) for each in needs.roles],
        "objects": [
            {"kind": each.kind, "namespace": each.namespace, "name": each.name, "role": each.role}
            for each in needs.objects
        ],
        "domain": needs.domain,
        "zones": list(needs.zones),
        "together": needs.together,
        "shared": list(needs.shared),
        "others": list(texts_of(needs.others)),
    }


def _role(role: RoleNeed) -> dict[str, Any]:
    return {
        "role": role.role,
        "pods": role.pods,
        "unsaid": because_text(role.unsaid) if role.unsaid else "",
        "nodes": [[_requirement(each) for each in way] for way in role.labels],
        "requests": dict(role.requests),
        "total": dict(role.total),
        "tolerates": [_toleration(each) for each in role.tolerates],
        "apart": role.apart,
        "on_nodes_of": list(role.on_nodes_of),
        "devices": list(role.devices),
        "volumes": list(role.volumes),
    }


def _requirement(requirement: Requirement) -> dict[str, Any]:
    return {"key": requirement.key, "operator": requirement.operator, "values": list(requirement.values)}


def _toleration(toleration: Toleration) -> dict[str, str]:
    written = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value,
        "effect": toleration.effect,
    }
    return {name: value for name, value in written.items() if value}
