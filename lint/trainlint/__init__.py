"""trainlint proves, without a cluster, that every distributed-training group in a repository can run."""

__all__ = ["__version__"]

__version__ = "0.1.0"
