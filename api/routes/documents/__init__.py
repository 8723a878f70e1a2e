"""Documents, what they are made of, where they come from, and the workspaces that hold them."""
