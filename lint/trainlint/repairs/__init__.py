"""What mends groups: labels, ports, and policies that admit their connections."""
