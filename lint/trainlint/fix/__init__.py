"""Edits that fix findings."""
