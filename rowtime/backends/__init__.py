"""The backends of this distribution by their public names, where entry points find them."""
