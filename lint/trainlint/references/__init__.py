"""Objects that others name: whether they are there."""
