"""The three answers for every group: exists, for all, and why not (design, section 1)."""
