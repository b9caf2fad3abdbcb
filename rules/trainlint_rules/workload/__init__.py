"""The job's own contract."""
