"""Findings, groups and unknowns for people and programs: one module per format."""
