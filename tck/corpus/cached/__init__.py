"""A cache of the cases that were read, so that no process reads the same files twice."""
