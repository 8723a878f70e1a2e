"""Terminal views of the API's JSON."""
