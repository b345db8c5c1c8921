"""A run as a picture: its events, the rows that it emitted, and the bounds, over rowtime."""
