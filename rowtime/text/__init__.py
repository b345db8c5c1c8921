"""`rowtime fmt` and `rowtime lint`: scripts as texts, laid out anew or checked."""
