"""The stages of parsing: tokens, nesting, parse tree, builders of the syntax tree, errors."""
