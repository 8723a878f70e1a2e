"""Requests to the Langfuse of the settings, by its public API."""

import base64

from config.serving import LangfuseSettings


def score_request(langfuse: LangfuseSettings) -> tuple[str, dict[str, str]]:
    """The URL that takes a score, and the header that authenticates."""
    pair = f"{langfuse.public_key}:{langfuse.secret_key.get_secret_value()}"
    headers = {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return f"{langfuse.host.rstrip('/')}/api/public/scores", headers
