"""Documents to groups: one module per API group, and the Services that join them."""
