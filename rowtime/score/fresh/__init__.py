"""Fresh mutants: mistakes that a tool makes everywhere in the reference, drawn by a new seed."""
