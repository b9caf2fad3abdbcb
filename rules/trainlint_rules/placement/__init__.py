"""Pods that stay Pending, or are never created."""
