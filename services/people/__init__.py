"""People: they sign in at their company's provider, and have sessions, roles, personal keys and a record of their
requests."""
