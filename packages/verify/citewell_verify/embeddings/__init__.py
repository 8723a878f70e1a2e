"""The built-in embedding model, and the Protocols of embedding models: the cosine of two vectors measures how alike the
meanings of their texts are.
"""
