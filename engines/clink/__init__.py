"""clink: a program in an environment of its own, which speaks the kit's protocol."""
