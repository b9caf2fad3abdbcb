"""What network policies decide: every kind normalised to entries, identities, verdicts."""
