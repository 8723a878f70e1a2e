"""The requests of the API, one module per subject: pure functions from arguments to calls."""
