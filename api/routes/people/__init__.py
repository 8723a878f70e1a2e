"""People: their sign-in, what they are told of themselves, and who is a member of which workspace."""
