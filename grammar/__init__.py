"""The language: grammar, parser, syntax tree, and its printing."""
