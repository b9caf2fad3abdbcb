"""The cluster's own manifests."""
