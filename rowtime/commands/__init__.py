"""The commands of `rowtime`, one module each; `rowtime.cli` registers them."""
