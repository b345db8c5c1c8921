"""`rowtime compare`: a user's query and rows on the reference and on another backend."""
