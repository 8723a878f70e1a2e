"""What the commands do: against the API, or against the database where they need it."""
