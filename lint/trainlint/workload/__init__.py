"""Training workloads: objects to pod sets, the flows they need, and the groups that must communicate."""

from trainlint.workload.kinds import WORKLOAD_KINDS
from trainlint.workload.reading import read_workloads

__all__ = ["WORKLOAD_KINDS", "read_workloads"]
