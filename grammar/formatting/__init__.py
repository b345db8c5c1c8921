"""SQL text laid out anew: the words and comments as they were, lines and indents by rule."""
