"""The protocol on the wire: messages, their schemas and checks, and child processes."""
