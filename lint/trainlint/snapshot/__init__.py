"""All facts of one state of one cluster, and the repository that they were read from."""
