"""Formats that others defined: OpenAI's completions, and the endpoints of the seeds. The client does not speak them."""
