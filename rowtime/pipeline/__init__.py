"""`rowtime run FILE.sql`: which engine runs a script, and how it is watched."""
