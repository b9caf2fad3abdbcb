"""Helm charts: what they are made of, what helm makes of them, and where each line of that was written."""
