"""From syntax tree to SQL text."""
