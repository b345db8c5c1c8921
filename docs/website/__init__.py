"""The site: docs/ as static pages, made by `make site`."""
