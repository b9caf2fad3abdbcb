"""What fixes groups: labels, ports, and policies that admit their connections."""
