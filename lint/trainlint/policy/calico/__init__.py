"""Calico's policies as entries, in the order in which Calico asks them (P 11).

Read only where the network plugin is Calico and an object of its API is there: ``read_calico`` makes entries of its
NetworkPolicy and GlobalNetworkPolicy objects, and puts the NetworkPolicies of Kubernetes where Calico puts them.
"""

from trainlint.policy.calico.reading import CalicoReading, read_calico

__all__ = ["CalicoReading", "read_calico"]
