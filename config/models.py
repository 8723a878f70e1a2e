"""Which models answer, judge, embed and rerank."""

from typing import Literal

from pydantic import Field, SecretStr

from config.group import Group
from config.limits import DEVELOPER, ModelLimits


class ModelInfo(Group):
    """What is known of one model id. Prices are US dollars per million tokens, as published 2026-08."""

    price_in: float = 0.0
    price_cached: float | None = Field(
        default=None, description="of tokens that the provider's prefix cache served; null: as the others"
    )
    price_out: float = 0.0
    strict_schema: bool = False
    reasoning_effort: Literal["low", "medium", "high"] | None = None
    limits: ModelLimits = ModelLimits()


def _catalogue() -> dict[str, ModelInfo]:
    return {
        "openai/gpt-oss-120b": ModelInfo(
            price_in=0.15,
            price_cached=0.075,
            price_out=0.60,
            strict_schema=True,
            reasoning_effort="low",
            limits=DEVELOPER,
        ),
        "openai/gpt-oss-20b": ModelInfo(
            price_in=0.075,
            price_cached=0.0375,
            price_out=0.30,
            strict_schema=True,
            reasoning_effort="low",
            limits=DEVELOPER,
        ),
        "qwen/qwen3.6-27b": ModelInfo(price_in=0.60, price_cached=0.30, price_out=3.00),
        # S4's fast model: shut down for most accounts on 2026-08-16, still served to some.
        "llama-3.1-8b-instant": ModelInfo(price_in=0.05, price_out=0.08),
    }


class BreakerSettings(Group):
    """When a model that fails is left alone, per model and process. 429s and unusable replies are no failures."""

    share: float = Field(default=0.5, gt=0, le=1, description="of the last calls that failed")
    calls: int = Field(default=10, ge=1, description="that must have ended before it is judged")
    window_s: float = Field(default=10.0, gt=0, description="how far back calls count")
    open_s: float = Field(default=2.0, gt=0, description="until one call tries again; doubled each time it fails")
    longest_s: float = Field(default=10.0, gt=0, description="the longest such pause")


class ModelSettings(Group):
    """Which models answer and judge. `auto` is `groq` when GROQ_API_KEY is set and `offline` otherwise.

    `openai_compatible` is any server of OpenAI's chat completions; docs/models.md.
    """

    provider: Literal["auto", "groq", "openai_compatible", "offline"] = "auto"
    base_url: str | None = Field(default=None, description="of an openai_compatible server, without /chat/completions")
    api_key: SecretStr | None = Field(default=None, description="of an openai_compatible server, if it wants one")
    client: Literal["lean", "sdk"] = Field(
        default="lean", description="what speaks to Groq: our own client, or Groq's SDK, which takes twice the CPU"
    )
    main: str = "openai/gpt-oss-120b"
    fast: str = "openai/gpt-oss-20b"
    fallbacks: dict[str, tuple[str, ...]] = Field(
        default={
            "openai/gpt-oss-120b": ("openai/gpt-oss-20b",),
            "openai/gpt-oss-20b": ("openai/gpt-oss-120b",),
            "llama-3.1-8b-instant": ("openai/gpt-oss-20b",),
        }
    )
    catalogue: dict[str, ModelInfo] = Field(default_factory=_catalogue)
    attempts: int = Field(default=3, ge=1, le=10, description="tries per model call, the first included")
    call_timeout_s: float = Field(default=30.0, gt=0)
    deadline_s: float = Field(default=90.0, gt=0, description="per model call, all attempts and waits included")
    concurrency: int = Field(default=128, ge=1, description="model calls in flight per worker process")
    patience_s: float = Field(
        default=2.0, ge=0, description="a step that would wait longer for its allowance is put off and holds no worker"
    )
    # A classifier of (source, statement) pairs with a veto on what is called supported; docs/neural-judge.md.
    judge: str | None = Field(default=None, description="a folder, or the id of a model in the hub's cache")
    judge_label: str | None = Field(default=None, description="which of its labels means that the source supports")
    judge_languages: set[Literal["en", "ko"]] = Field(
        default={"en"}, min_length=1, description="of statements and sources that it was trained for; others it leaves"
    )
    judge_download: bool = Field(default=False, description="get it from the hub when it is not in the cache")
    keep_replies_s: float = Field(default=604_800.0, ge=0, description="how long paid replies are kept; 0 keeps none")
    share_replies: bool = Field(default=True, description="a judgement made for one query serves the tenant's others")
    share_answers: bool = Field(default=False, description="the same for what models write")
    hedge_share: float = Field(default=0.05, ge=0, le=1, description="extra calls for late judgements; 0: none")
    hedge_min_s: float = Field(default=0.4, ge=0, description="no judgement is late before that")
    breaker: BreakerSettings = BreakerSettings()


class RerankSettings(Group):
    """Who scores passages: `llm`, one model call for each, or a reranker, which scores a task's together (S1.1)."""

    provider: Literal["llm", "cross_encoder", "endpoint"] = "llm"
    model: str | None = Field(default=None, description="a folder or hub id; the endpoint's name for its model")
    download: bool = Field(default=False, description="get it from the hub when it is not in the cache")
    base_url: str | None = Field(default=None, description="of the endpoint, without /rerank")
    api_key: SecretStr | None = None
    scores: Literal["auto", "probabilities", "logits"] = Field(default="auto", description="what the endpoint gives")
    timeout_s: float = Field(default=30.0, gt=0, description="per task, all attempts and waits included")
    top_k: int = Field(default=3, ge=1, le=50)
    merged_top_k: int = Field(default=5, ge=1, le=50, description="the same, when several searches are merged")
    batch: int = Field(default=10, ge=1, description="chunks per task; every chunk has a model call of its own")
    context_tokens: int = Field(default=6000, ge=100, description="of all passages to write from, about (S4.5)")
    source_scoring: bool | None = Field(
        default=None, description="position, length and frequency choose the sources (S5.2); null: for /query/verified"
    )
    max_sources: int = Field(default=5, ge=1, le=50, description="with source scoring, instead of top_k")
    min_relevance: float = Field(default=0.4, ge=0, le=1, description="a source that scores lower is left out")
    min_excerpt_length: int = Field(default=20, ge=0, description="characters; a shorter passage is no source")


class EmbeddingModel(Group):
    """A model that makes vectors of texts: the one that comes with the program, or any OpenAI-compatible endpoint."""

    provider: Literal["wheel", "openai_compatible"] = "wheel"
    model: str = Field(default="", description="as the endpoint calls it")
    base_url: str = Field(default="https://api.openai.com/v1", description="without /embeddings")
    api_key: SecretStr | None = None
    dimension: int | None = Field(default=None, ge=1, le=4000, description="asked for; without it as the model is")
    batch: int = Field(default=64, ge=1, description="texts per request")
    concurrency: int = Field(default=4, ge=1, description="requests at a time, per document or search")
    timeout_s: float = Field(default=30.0, gt=0, description="of one request")
    query_prefix: str = Field(default="", description="before every question, as some models want: `query: `")
    document_prefix: str = Field(default="", description="before every text that is stored: `passage: `")


class EmbeddingSettings(EmbeddingModel):
    """The model of new workspaces. `earlier` are models whose workspaces are still served, until `citewell reembed`."""

    earlier: tuple[EmbeddingModel, ...] = ()
