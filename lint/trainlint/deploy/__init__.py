"""Which parts of the repository go to which cluster and namespace: what Flux, Argo CD and people say."""
