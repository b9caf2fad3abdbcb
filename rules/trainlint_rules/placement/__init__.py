"""Pending for ever, or never created."""
