"""Lenient read models of the Kubernetes APIs: one module per API group, only what is read."""
