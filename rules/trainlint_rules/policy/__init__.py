"""Running but cut off."""
