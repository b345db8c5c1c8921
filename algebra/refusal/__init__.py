"""Which plans cannot be streamed, and the suggestions that come with a refusal."""
