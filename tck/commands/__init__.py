"""The commands of the kit, one module each."""
