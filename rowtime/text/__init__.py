"""`rowtime fmt` and `rowtime lint`: formatting and checking of scripts."""
