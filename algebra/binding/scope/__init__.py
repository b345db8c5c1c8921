"""The names and rules that are in scope where a text is bound."""
