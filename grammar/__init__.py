"""The language: its grammar, parser, syntax tree and printer."""
