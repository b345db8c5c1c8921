"""Output on a terminal: text without control characters, and a line of progress."""
