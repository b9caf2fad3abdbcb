"""Everything that is said about causes, in one place: for rules, explanations, tables, pictures and Markdown."""
