"""Standing statements at work, and the streams that they feed."""
