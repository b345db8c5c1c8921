"""Running standing statements, and the streams that they feed."""
