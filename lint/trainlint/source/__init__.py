"""Files to documents: discovery, YAML and JSON as Kubernetes reads them, spans, kustomizations and templates."""
