"""Everything that follows from one snapshot, made when a rule asks."""
