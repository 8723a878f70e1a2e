"""Creates the configured ChatModel."""

from collections.abc import AsyncIterator

import httpx

from citewell_verify.embeddings.wheel import default_embedder
from clients.llm.completions.providers import CompatibleModel, GroqModel, extra_headers
from clients.llm.neural import NeuralJudge, open_classifier
from clients.llm.offline import OfflineModel
from clients.llm.protocol import ChatModel, ModelReply, ModelRequest, StreamPart
from clients.llm.server_addresses import judge_of_dialled
from config.settings import ConfigurationInvalid, Settings


def make_model(settings: Settings) -> ChatModel:
    """The model of `settings.provider`, behind the judge of `models.judge` if there is one.

    Call it after fork, once per process. Raises ConfigurationInvalid when Groq is selected without its key, when the
    provider's address is invalid or carries a second login, and when the judge cannot be used.
    """
    models = settings.models
    if not models.judge:
        return _divided(settings)
    # The judge comes before the provider, which may hold connections.
    classifier = open_classifier(models.judge, models.judge_label, download=models.judge_download)
    return NeuralJudge(_divided(settings), classifier, models.judge_languages)


def _divided(settings: Settings) -> ChatModel:
    if settings.provider == "offline" or not settings.judges_offline:
        return _provider(settings)
    return DividedModel(_provider(settings), OfflineModel(default_embedder()))


def check_provider(settings: Settings) -> None:
    """Raise ConfigurationInvalid when the provider lacks its key or a model's header, or its address is invalid or
    carries a second login.

    Nothing is sent.
    """
    if settings.provider == "offline":
        return
    url, key = settings.provider_url, settings.provider_key
    if settings.provider == "openai_compatible":
        url_setting, example, key_setting = "models.base_url", "http://127.0.0.1:11434/v1", "models.api_key"
    else:
        url_setting, example, key_setting = "GROQ_BASE_URL", "https://api.groq.com", "GROQ_API_KEY"
        if not key:
            raise ConfigurationInvalid(f"models.provider is 'groq' but {settings.provider_key_name} is not set")
    key_setting = settings.models.api_key_env or key_setting
    if not key.isascii() or (key and not key.isprintable()):
        raise ConfigurationInvalid(f"{key_setting} has characters that no key has")
    _require_address(url, url_setting, example)
    if key and httpx.URL(url).userinfo:
        raise ConfigurationInvalid(
            f"{url_setting} has a user name in it and {key_setting} is set; a request carries one of them; remove one"
        )
    extra_headers(settings.models.catalogue)


def _provider(settings: Settings) -> ChatModel:
    check_provider(settings)
    models, url, key = settings.models, settings.provider_url, settings.provider_key
    redis_url = settings.redis_url.get_secret_value()
    if settings.provider == "offline":
        return OfflineModel(default_embedder())
    if settings.provider == "openai_compatible":
        # The operator's own address may be anywhere.
        judge = None if settings.model_choice is None else judge_of_dialled(url, models.servers)
        return CompatibleModel(key, url, catalogue=models.catalogue, redis_url=redis_url, may_dial=judge)
    return GroqModel(
        key,
        url,
        catalogue=models.catalogue,
        client=models.client,
        redis_url=redis_url,
    )


def _require_address(base_url: str, setting: str, example: str) -> None:
    try:
        url = httpx.URL(base_url)
        usable = url.scheme in {"http", "https"} and bool(url.host)
    except httpx.InvalidURL:
        usable = False
    if not usable:
        raise ConfigurationInvalid(f"{setting} is {base_url!r}; it must be like {example}")


_WRITTEN = frozenset({"fill_fields", "check_fields"})
"""Work that only a language model can do: the offline provider does not know the fields of other people's forms."""


class DividedModel:
    """Asks `writer` for prose and `judge` for everything that has a schema.

    A small model writes well from three passages, and judges badly: it denies what it has just copied, takes one
    thing's figure for another's, and needs a call of a minute for each (docs/models.md).
    """

    def __init__(self, writer: ChatModel, judge: ChatModel) -> None:
        self._writer, self._judge = writer, judge

    @property
    def provider(self) -> str:
        return self._writer.provider

    def reserves(self, request: ModelRequest) -> int:
        return self._of(request).reserves(request)

    async def complete(self, request: ModelRequest) -> ModelReply:
        return await self._of(request).complete(request)

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        return self._writer.stream(request)

    async def aclose(self) -> None:
        await self._writer.aclose()
        await self._judge.aclose()

    def _of(self, request: ModelRequest) -> ChatModel:
        return self._writer if request.reply is None or request.prompt in _WRITTEN else self._judge
