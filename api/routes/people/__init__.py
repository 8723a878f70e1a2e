"""Routes of people: their sign-in, their own data and keys, and the members of workspaces."""
