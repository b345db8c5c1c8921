"""The front door: the command line, which runs queries and pipelines on files and draws traces."""
