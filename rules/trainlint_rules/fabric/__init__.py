"""NCCL and its neighbours."""
