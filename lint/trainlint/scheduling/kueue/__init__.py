"""How Kueue decides whether a workload is admitted, alone on an empty cluster."""
