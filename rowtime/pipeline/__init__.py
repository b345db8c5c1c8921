"""`rowtime run FILE.sql`: the engine that runs a script, and the display of its progress."""
