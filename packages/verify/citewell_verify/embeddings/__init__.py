"""The built-in embedding model, and the Protocols of all: vectors whose cosine measures likeness of meaning."""
