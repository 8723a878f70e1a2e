"""Servers of chat completions: the wire format, its transports, its errors, and the providers.

`clients.llm.factory` chooses the provider.
"""
