"""`rowtime sql`: a shell for the embedded engine."""
