"""JSON Schemas: configuration, inventory, report, and the structure of the manifest kinds that are read."""
