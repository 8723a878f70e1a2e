"""Addresses of model servers, and how a key is sent to them. Azure has a query and a header of its own, and an address
that ends in `/messages` takes Anthropic's Messages instead of chat completions.
"""

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit


def endpoint(base_url: str, name: str) -> str:
    """The address of `name`, such as `chat/completions`, below `base_url`, whose query is kept."""
    base, mark, query = base_url.partition("?")
    base = base.rstrip("/")
    if takes_messages(base_url):
        base, name = base.removesuffix("/messages"), "messages" if name == "chat/completions" else name
    return f"{base}/{name}{mark}{query}"


def takes_messages(base_url: str) -> bool:
    return base_url.partition("?")[0].rstrip("/").endswith("/messages")


def key_headers(base_url: str, key: str) -> Mapping[str, str]:
    """The headers that carry the key. Azure's deployments take a bearer token for a key of another kind, so there the
    key has a header of its own; Azure's newer addresses take either header.
    """
    if takes_messages(base_url):
        return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})
    if not key:
        return {}
    parts = urlsplit(base_url)
    if "api-version" in parse_qs(parts.query):
        return {"api-key": key}
    bearer = {"authorization": f"Bearer {key}"}
    return bearer | {"api-key": key} if f"{parts.path}/".count("/openai/v1/") else bearer
