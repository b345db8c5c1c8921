"""The formatter of SQL text: words and comments are unchanged, lines and indents follow rules."""
