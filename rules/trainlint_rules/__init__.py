"""The built-in rules: one file each, found through the entry point group ``trainlint.rules``."""
