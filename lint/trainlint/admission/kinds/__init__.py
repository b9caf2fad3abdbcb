"""What operators and controllers refuse, one module for each of them (W 2 to 9)."""
