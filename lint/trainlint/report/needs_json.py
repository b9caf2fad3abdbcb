"""What a group needs, for programs: its schema is ``trainlint_schemas/needs.json``."""

from __future__ import annotations

from typing import Any

from trainlint.model.because import Because
from trainlint.model.needs import DeviceNeed, Needs, RoleNeed
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
        "claims": [_claim(each) for each in needs.devices],
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
        "devices": [each.claim for each in role.devices],
        "claims": [_claim(each) for each in role.devices],
        "volumes": list(role.volumes),
    }


def _claim(need: DeviceNeed) -> dict[str, Any]:
    return {
        "role": need.role,
        "claim": need.claim,
        "matching": list(need.matching),
        "requests": [
            {
                "request": each.request,
                "class": each.device_class,
                "count": because_text(each.count) if isinstance(each.count, Because) else each.count,
                "selectors": list(each.selectors),
            }
            for each in need.wants
        ],
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
