"""Documents to pools: one module per source."""
