"""Formats that others defined: OpenAI's APIs, gateways, and the endpoints of the seeds. Citewell's own clients do not
use them."""
