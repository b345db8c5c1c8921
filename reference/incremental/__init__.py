"""The streaming reference: plans as networks of operators over rows and bounds."""
