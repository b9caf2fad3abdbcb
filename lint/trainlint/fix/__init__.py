"""Edits that mend findings."""
