"""Command lines and the effective environment of containers."""
