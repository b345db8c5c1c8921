"""Other people's engines under the kit: how each is driven, and what its failures mean."""
