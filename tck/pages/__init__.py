"""The report as pages: static HTML, each page of which needs no other file and no network."""
