"""trainlint.yaml: its models, and where each setting comes from."""
