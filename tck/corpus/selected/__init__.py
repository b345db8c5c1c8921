"""Select cases by options, by requirements and by the core; and export them."""
