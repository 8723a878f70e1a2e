"""Addresses of OpenAI-compatible servers, and how a key is sent to them. Azure has a query and a header of its own."""

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit


def endpoint(base_url: str, name: str) -> str:
    """The address of `name`, such as `chat/completions`, below `base_url`, whose query is kept."""
    base, mark, query = base_url.partition("?")
    return f"{base.rstrip('/')}/{name}{mark}{query}"


def key_headers(base_url: str, key: str) -> Mapping[str, str]:
    """The headers that carry the key. Azure's deployments take a bearer token for a key of another kind, so there the
    key has a header of its own; Azure's newer addresses take either header.
    """
    if not key:
        return {}
    parts = urlsplit(base_url)
    if "api-version" in parse_qs(parts.query):
        return {"api-key": key}
    bearer = {"authorization": f"Bearer {key}"}
    return bearer | {"api-key": key} if f"{parts.path}/".count("/openai/v1/") else bearer
