"""What could not be read."""
