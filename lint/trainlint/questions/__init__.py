"""Questions about groups and connections, and their answers."""
