"""Citewell as a server of the Model Context Protocol: tools for a model, each a client of the HTTP API."""
