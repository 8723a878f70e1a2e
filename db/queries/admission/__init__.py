"""Statements about what waits and what may start: admission, the backlog, worker processes and their leader."""
