"""Questions of the server: what stands nearest to one, cells that it asks for, and follow-ups."""
