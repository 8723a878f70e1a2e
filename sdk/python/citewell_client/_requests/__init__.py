"""The requests about documents, questions and verifications: pure functions from arguments to calls."""
