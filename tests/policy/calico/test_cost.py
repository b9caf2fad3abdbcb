"""What Calico costs where it is not in use: nothing is imported, and entries stay as they were."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from tests.policy.cluster import ask, cnp, knp, other, pod, read, cilium
settings = {settings}
policies = read({text}, settings)
ask(policies, pod("a", "x", settings), pod("b", "y", settings))
print(any(name.startswith("trainlint.policy.calico.") for name in sys.modules), len(policies.entries))
"""
POLICY = 'knp("{podSelector: {}, ingress: []}")'
CALICO = '"{apiVersion: projectcalico.org/v3, kind: NetworkPolicy, metadata: {name: n, namespace: a}, spec: {}}"'


@pytest.mark.parametrize(
    ("settings", "text", "expected"),
    [
        ("cilium()", POLICY, "False 1"),
        ('other("calico")', POLICY, "False 1"),
        ('other("")', POLICY, "False 1"),
        ('other("")', CALICO, "False 0"),
        ("cilium()", CALICO, "False 0"),
        ('other("calico")', CALICO, "True 1"),
    ],
)
def test_calico_is_read_only_where_it_is_in_use(settings: str, text: str, expected: str) -> None:
    script = SCRIPT.format(settings=settings, text=text)
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == expected
