"""Interfaces and devices that a pod has, and what NCCL, Gloo, UCX, MPI and libfabric make of their settings."""
