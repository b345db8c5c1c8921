"""The meaning of each operator over finite tables."""
