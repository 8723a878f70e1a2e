"""JSON of the API as people read it."""
