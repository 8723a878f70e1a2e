"""Creates the configured embedders, one of each per process."""

from threading import Lock

import httpx

from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.embeddings.wheel import WHEEL_MODEL, default_embedder
from clients.embeddings.openai_compatible import EndpointEmbedder
from config.models import EmbeddingModel
from config.settings import ConfigurationInvalid, settings

_made: list[tuple[EmbeddingModel, EndpointEmbedder]] = []
_making = Lock()


def configured_embedder() -> Embedder:
    """The embedder for new workspaces. Raises ConfigurationInvalid.

    Call it after fork: an endpoint's connections must not be shared between processes.
    """
    return make_embedder(settings().embeddings)


def embedder_of(name: str, dimension: int) -> Embedder | None:
    """The embedder for vectors of this model; None if it is no longer available.

    The installed built-in model is always available; another one is as long as the configuration names it (`earlier`).
    """
    # The built-in model is not loaded to learn its name when the vectors are those of an endpoint.
    if name.startswith(WHEEL_MODEL) and (wheel := default_embedder()).dimension == dimension and wheel.name == name:
        return wheel
    embeddings = settings().embeddings
    known = map(make_embedder, (embeddings, *embeddings.earlier))
    return next((embedder for embedder in known if embedder.name == name and embedder.dimension == dimension), None)


def make_embedder(model: EmbeddingModel) -> Embedder:
    """The embedder of these settings, always the same instance.

    Raises ConfigurationInvalid when an endpoint has no usable address or its model no name.
    """
    if model.provider == "wheel":
        return default_embedder()
    with _making:
        if (embedder := next((made for key, made in _made if key == model), None)) is None:
            embedder = _endpoint(model)
            _made.append((model, embedder))
    return embedder


def _endpoint(model: EmbeddingModel) -> EndpointEmbedder:
    try:
        url = httpx.URL(model.base_url)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationInvalid(
            f"embeddings.base_url is {model.base_url!r}; it must be like https://api.openai.com/v1"
        )
    if not model.model:
        raise ConfigurationInvalid("embeddings.provider is 'openai_compatible' but embeddings.model is not set")
    return EndpointEmbedder(model)
