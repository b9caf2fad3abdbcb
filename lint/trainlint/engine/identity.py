"""The identity of a finding: what it is about, not where it stands, so that it survives moved lines."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from trainlint.finding import Finding
from trainlint.snapshot.repository import Repository

__all__ = ["identified"]


def identified(finding: Finding, repository: Repository) -> Finding:
    """The finding with its id: rule, object, path inside the object, cause."""
    item = repository.object_at(finding.at)
    if item is not None:
        parts: list[object] = [
            item.ref.kind,
            item.ref.namespace,
            item.ref.name,
            finding.at.path[len(item.field.path) :],
        ]
    else:
        parts = [finding.at.file, finding.at.path]
    text = "\0".join(str(each) for each in (finding.rule, *parts, finding.cause))
    return replace(finding, id=hashlib.sha256(text.encode()).hexdigest()[:12])
