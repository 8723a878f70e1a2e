"""The ChatModel that the configuration asks for."""

import httpx

from clients.embeddings import default_embedder
from clients.llm.groq import GroqModel
from clients.llm.neural import NeuralJudge, open_classifier
from clients.llm.offline import OfflineModel
from clients.llm.offline.meaning import Meaning
from clients.llm.protocol import ChatModel
from config.settings import ConfigurationInvalid, Settings


def make_model(settings: Settings) -> ChatModel:
    """Return the model of `settings.provider`, with `models.judge` before it if there is one.

    Call it after fork, once per process. Raises ConfigurationInvalid when Groq is wanted and its key is missing or its
    address is no address, and when the judge cannot be used.
    """
    models = settings.models
    if not models.judge:
        return _provider(settings)
    # Before the provider: that one may hold connections.
    classifier = open_classifier(models.judge, models.judge_label, download=models.judge_download)
    return NeuralJudge(_provider(settings), classifier, Meaning(default_embedder()), weight=models.judge_weight)


def _provider(settings: Settings) -> ChatModel:
    if settings.provider == "offline":
        return OfflineModel(default_embedder())
    key = settings.groq_api_key.get_secret_value().strip() if settings.groq_api_key else ""
    if not key:
        raise ConfigurationInvalid("models.provider is 'groq' but GROQ_API_KEY is not set")
    if not key.isascii() or not key.isprintable():
        raise ConfigurationInvalid("GROQ_API_KEY has characters that no key has")
    _require_address(settings.groq_base_url)
    models = settings.models
    return GroqModel(key, settings.groq_base_url, catalogue=models.catalogue, concurrency=models.concurrency)


def _require_address(base_url: str) -> None:
    try:
        url = httpx.URL(base_url)
        usable = url.scheme in {"http", "https"} and bool(url.host)
    except httpx.InvalidURL:
        usable = False
    if not usable:
        raise ConfigurationInvalid(f"GROQ_BASE_URL is {base_url!r}; it must be like https://api.groq.com")
