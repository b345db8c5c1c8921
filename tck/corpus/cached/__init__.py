"""Cases that were read before, kept so that no process reads the same files twice."""
