"""Read unit tests of a user's own SQL as cases."""
