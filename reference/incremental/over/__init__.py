"""OVER on streams: frames, and the functions over them."""
