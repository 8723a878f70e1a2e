"""The built-in embedding model, and the Protocols of all: texts as vectors whose cosine measures likeness of meaning."""
