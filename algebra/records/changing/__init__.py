"""Records that say how rows have changed."""
