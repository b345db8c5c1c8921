"""`rowtime tck fuzz`: random queries and histories, by which a backend is held to the rules."""
