"""Statements about waiting work and its admission: admission, the backlog, worker processes and their leader."""
