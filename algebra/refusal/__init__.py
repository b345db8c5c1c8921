"""The rules that a streaming plan must obey, and the suggestions that come with a refusal."""
