"""People: they sign in at their company's provider, have sessions, roles and personal keys, and leave traces."""
