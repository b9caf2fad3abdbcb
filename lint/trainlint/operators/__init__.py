"""The operators of training workloads as functions from objects to objects."""
