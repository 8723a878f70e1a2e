"""Terminal views of the API's JSON that several commands print; each other view stands with its command."""
