"""Creates the configured Reranker."""

import httpx

from clients.reranking.cross_encoder import open_cross_encoder
from clients.reranking.endpoint import RerankEndpoint
from clients.reranking.protocol import Reranker
from config.models import RerankSettings
from config.settings import ConfigurationInvalid


def make_reranker(settings: RerankSettings) -> Reranker | None:
    """The reranker of `rerank.provider`; None for the language model, which needs no client of its own.

    Call it after fork, once per process. Raises ConfigurationInvalid, with advice, when the reranker cannot be used.
    """
    match settings.provider:
        case "llm":
            return None
        case "cross_encoder":
            if not settings.model:
                raise ConfigurationInvalid(
                    "rerank.provider is 'cross_encoder' but rerank.model is not set: name a folder with the model, or "
                    "its id on the hub (see docs/reranking.md)"
                )
            return open_cross_encoder(settings.model, download=settings.download, timeout_s=settings.timeout_s)
        case "endpoint":
            return RerankEndpoint(
                _address(settings.base_url),
                model=settings.model,
                api_key=_key(settings),
                scale=settings.scores,
                timeout_s=settings.timeout_s,
            )


def _address(base_url: str | None) -> str:
    if not base_url:
        raise ConfigurationInvalid(
            "rerank.provider is 'endpoint' but rerank.base_url is not set: name the address before /rerank, like "
            "https://api.jina.ai/v1"
        )
    try:
        url = httpx.URL(base_url)
        usable = url.scheme in {"http", "https"} and bool(url.host) and not url.query
    except httpx.InvalidURL:
        usable = False
    if not usable:
        raise ConfigurationInvalid(f"rerank.base_url is {base_url!r}; it must be like https://api.jina.ai/v1")
    return base_url


def _key(settings: RerankSettings) -> str | None:
    key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
    if not key.isascii() or not key.isprintable():
        raise ConfigurationInvalid("rerank.api_key has characters that no key has")
    return key or None
