"""From SQL text to syntax tree: words, nesting, parse tree, the builders of the tree, errors."""
