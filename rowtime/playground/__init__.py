"""The playground: the reference in a browser, as a folder of static files."""
