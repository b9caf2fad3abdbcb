"""Groups that cannot be, or need not be, in one domain."""
