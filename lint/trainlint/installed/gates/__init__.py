"""Admission objects in Git that refuse or change what a group is made of, or may.

Webhooks, admission policies of Kubernetes, Kyverno's policies, Gatekeeper's constraints and mutators. Each is matched
by its own rules against everything that is created for a group; what surely does not apply says nothing about it. The
validating policies of Kubernetes are evaluated; the verdicts of the others are not worked out.
"""

from __future__ import annotations

from trainlint.installed.gates.gate import Gate, admission_of
from trainlint.installed.gates.validated import RefusedByPolicy

__all__ = ["Gate", "RefusedByPolicy", "admission_of"]
