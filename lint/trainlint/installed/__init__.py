"""What the manifests say about the cluster itself: its version, its network plugin, what runs on it."""
