"""Unsat cores: which places in the manifests together refute a proof (QuickXplain)."""
