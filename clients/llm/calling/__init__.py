"""One question to a model: attempts, retries, hedging, the circuit breaker, stored replies, and records of calls.

`clients.llm.gateway` puts these together.
"""
