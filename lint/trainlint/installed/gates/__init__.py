"""Admission objects in Git that may refuse or change what a group is made of, and whose verdict is not worked out.

Webhooks, admission policies of Kubernetes, Kyverno's policies, Gatekeeper's constraints and mutators. Each is matched
by its own rules against everything that is created for a group; what surely does not apply says nothing about it.
"""

from __future__ import annotations

from trainlint.installed.gates.gate import Gate, gates

__all__ = ["Gate", "gates"]
