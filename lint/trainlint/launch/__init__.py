"""What a container starts: its commands, its environment, the addresses in them, and whether ranks run in it."""
