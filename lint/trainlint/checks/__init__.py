"""What is wrong with a snapshot beside the placement of its groups."""
