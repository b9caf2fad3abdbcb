"""What kube-scheduler decides: one module per filter plugin, requests, placements."""
