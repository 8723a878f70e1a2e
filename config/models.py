"""Settings of the models that answer, judge, embed and rerank, and the limits of calls to them."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, SecretStr, field_validator

from config import Group

CHOICE = frozenset({"provider", "base_url", "main", "fast", "fallbacks", "catalogue", "api_key", "api_key_env"})
"""The settings of `models` that make up a choice of models, as `citewell models use` and the dashboard make it."""
_OUR_OWN = ("model", "messages", "stream")


def _adds(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if taken := [name for name in _OUR_OWN if name in body]:
        raise ValueError(f"it may not replace {' or '.join(taken)}, which Citewell sets for each request")
    return body


class ModelLimits(Group):
    """Limits of one account for one model; None means unlimited or unknown.

    The server's responses override the tokens per minute and the requests per day.
    """

    requests_per_minute: int | None = Field(
        default=None, ge=1, description="Requests per minute; null: unlimited or unknown"
    )
    requests_per_day: int | None = Field(default=None, ge=1, description="Requests per day; null: unlimited or unknown")
    tokens_per_minute: int | None = Field(
        default=None, ge=1, description="Tokens per minute; null: unlimited or unknown"
    )
    tokens_per_day: int | None = Field(default=None, ge=1, description="Tokens per day; null: unlimited or unknown")


DEVELOPER = ModelLimits(requests_per_minute=1_000, requests_per_day=500_000, tokens_per_minute=250_000)
"""Limits of a paid Groq account for one gpt-oss model."""


class ModelInfo(Group):
    """The known facts of one model id. Prices are US dollars per million tokens, as published 2026-08."""

    price_in: float = Field(default=0.0, description="US dollars per million prompt tokens")
    price_cached: float | None = Field(
        default=None,
        description="US dollars per million prompt tokens from the provider's prefix cache; null: as `price_in`",
    )
    price_out: float = Field(default=0.0, description="US dollars per million completion tokens")
    strict_schema: bool = Field(
        default=False, description="Whether the server enforces a JSON schema (`response_format: json_schema`)"
    )
    reasoning_effort: str | None = Field(
        default=None,
        pattern=r"^[a-z][a-z0-9_-]{0,15}$",
        description="Effort sent to models that accept it, in their own terms: `none`, `minimal`, `low`, `medium`, "
        "`high`, …",
    )
    extra_body: Annotated[dict[str, JsonValue], AfterValidator(_adds)] = Field(
        default={},
        description="Parameters added to each request, such as `think` or `options`; null leaves a parameter out",
    )
    extra_headers: dict[str, str] = Field(
        default={},
        description="Headers sent with each request: the name of the header, and the environment variable with its "
        "value",
    )
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
        # S4's fast model was shut down for most accounts on 2026-08-16, and is still served to some.
        "llama-3.1-8b-instant": ModelInfo(price_in=0.05, price_out=0.08),
    }


class BreakerSettings(Group):
    """The circuit breaker: when a failing model is not called for a while, per model and process. Unusable replies are
    not failures."""

    calls: int = Field(
        default=10,
        ge=1,
        description="Calls that must have ended before the breaker decides; four failures in a row suffice",
    )
    open_s: float = Field(
        default=2.0, gt=0, description="First pause before a trial call; doubles each time the trial fails"
    )
    longest_s: float = Field(default=10.0, gt=0, description="Longest pause before a trial call")


class ModelSettings(Group):
    """The models that answer and judge. `auto` is `groq` when GROQ_API_KEY is set and `offline` otherwise.

    `openai_compatible` is any server of OpenAI's chat completions; docs/models.md.
    """

    provider: Literal["auto", "groq", "openai_compatible", "offline"] = Field(
        default="auto", description="`auto`: `groq` if `GROQ_API_KEY` is set, otherwise `offline`"
    )
    base_url: str | None = Field(
        default=None, description="Address of an OpenAI-compatible server, without `/chat/completions`"
    )
    api_key: SecretStr | None = Field(default=None, description="Key for an OpenAI-compatible server that requires one")
    api_key_env: str | None = Field(
        default=None, description="Name of another environment variable with the provider's key"
    )
    client: Literal["lean", "sdk"] = Field(
        default="lean",
        description="HTTP client for Groq: `lean` is Citewell's own; `sdk` is Groq's, which takes about twice the "
        "processor time",
    )
    main: str = Field(default="openai/gpt-oss-120b", description="Model that writes answers")
    fast: str = Field(default="openai/gpt-oss-20b", description="Model that scores passages and judges statements")
    fallbacks: dict[str, tuple[str, ...]] = Field(
        default={
            "openai/gpt-oss-120b": ("openai/gpt-oss-20b",),
            "openai/gpt-oss-20b": ("openai/gpt-oss-120b",),
            "llama-3.1-8b-instant": ("openai/gpt-oss-20b",),
        },
        description="Models to try, in this order, when a model is unavailable",
    )
    catalogue: dict[str, ModelInfo] = Field(
        default_factory=_catalogue,
        description="Known models; replaces the built-in catalogue, so name every model you use",
    )
    judgements: Literal["provider", "offline"] = Field(
        default="provider",
        description=("Judge of passages and statements: the provider's models, or the rules of the offline provider"),
    )
    attempts: int = Field(
        default=5, ge=1, le=10, description="Attempts per model call, including the first, before it waits"
    )
    outage_s: float = Field(
        default=60.0,
        ge=0,
        description=(
            "How long optional steps of a query wait for models that fail; their checks are then left out. The step "
            "that writes the answer waits until 90 % of the deadline"
        ),
    )
    call_timeout_s: float = Field(default=30.0, gt=0, description="Timeout of one attempt")
    deadline_s: float = Field(default=90.0, gt=0, description="Limit of one model call with all its attempts and waits")
    concurrency: int = Field(
        default=128,
        ge=1,
        description="Calls of each model in flight per worker process; fewer once its server lets calls time out",
    )
    from_page: Literal["auto", "allowed", "forbidden"] = Field(
        default="auto",
        description=(
            "Whether an administrator may choose the model on the dashboard while no setting here names one; `auto`: "
            "where no key is required. `forbidden` also disables an earlier choice"
        ),
    )
    encryption_key: SecretStr | None = Field(
        default=None,
        description=(
            "Key that encrypts provider keys typed on the dashboard: 32 bytes in URL-safe base64, the same for every "
            "process; after a comma earlier keys, which still decrypt. Default: the file `encryption.key` of the home"
        ),
    )
    servers: tuple[str, ...] = Field(
        default=(),
        description=(
            "Further addresses of model servers that the dashboard checks, in private networks, too: "
            "`http://10.0.0.5:8000/v1`"
        ),
    )
    # A classifier of (source, statement) pairs with a veto on statements called supported;
    # docs/internals/neural-judge.md.
    judge: str | None = Field(
        default=None,
        description='Classifier with a veto on "supported": a folder, or a model id in the local hub cache',
    )
    judge_label: str | None = Field(
        default=None, description='The classifier\'s label that means "supported", if its names do not tell'
    )
    judge_languages: set[Literal["en", "ko"]] = Field(
        default={"en"},
        min_length=1,
        description="Languages that the classifier was trained for; it is not asked about other languages",
    )
    judge_download: bool = Field(
        default=False, description="Download the classifier from the hub if it is not in the cache"
    )
    keep_replies_s: float = Field(
        default=604_800.0, ge=0, description="How long model replies are stored for reuse; 0 stores none"
    )
    share_replies: bool = Field(default=True, description="Reuse judgements across the queries of a tenant")
    share_answers: bool = Field(default=False, description="Reuse generated texts across the queries of a tenant")
    hedge_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Second attempts for late judgements, as a share of all calls; 0 disables them",
    )
    breaker: BreakerSettings = BreakerSettings()

    @field_validator("servers")
    @classmethod
    def _addresses(cls, servers: tuple[str, ...]) -> tuple[str, ...]:
        for server in servers:
            if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", server):
                raise ValueError(f"{server!r} is no address such as http://10.0.0.5:8000/v1")
        return servers

    @property
    def chosen(self) -> set[str]:
        """Return the names of the settings given here that choose a provider or model."""
        given = self.model_fields_set & CHOICE
        return given - {"provider"} if self.provider == "auto" else given


class LimiterSettings(Group):
    """The used share of an account's limits, and the longest time for which a server may block a model."""

    margin: float = Field(default=0.02, ge=0, lt=1, description="Share of every limit that is left unused")
    longest_wait_s: float = Field(
        default=60.0,
        gt=0,
        description="Longest wait that a server's announcement can impose on a model; then one call tries again",
    )


class RerankSettings(Group):
    """The scoring of passages: `llm`, one model call for each, or a reranker, which scores a task's passages together
    (S1.1)."""

    provider: Literal["llm", "cross_encoder", "endpoint"] = Field(
        default="llm",
        description="Scorer of passages: one model call per passage, a local cross-encoder, or a rerank endpoint",
    )
    model: str | None = Field(
        default=None, description="Folder or hub id of the cross-encoder, or the endpoint's model name"
    )
    download: bool = Field(
        default=False, description="Download the cross-encoder from the hub if it is not in the cache"
    )
    base_url: str | None = Field(default=None, description="Address of the endpoint, without `/rerank`")
    api_key: SecretStr | None = Field(default=None, description="Sent to the endpoint as a bearer token")
    scores: Literal["auto", "probabilities", "logits"] = Field(
        default="auto", description="Kind of scores that the endpoint returns; `auto` detects it from the values"
    )
    timeout_s: float = Field(default=30.0, gt=0, description="Limit of one task with all its attempts and waits")
    top_k: int = Field(default=3, ge=1, le=50, description="Passages an answer is written from")
    batch: int = Field(default=10, ge=1, description="Passages per task; also the size of a request to an endpoint")
    context_tokens: int = Field(
        default=6000, ge=100, description="Approximate token budget of all passages in the prompt (S4.5)"
    )
    source_scoring: bool | None = Field(
        default=None,
        description="Choose sources by position, length and frequency (S5.2); null: for `/query/verified` only",
    )
    max_sources: int = Field(default=5, ge=1, le=50, description="With source scoring, used instead of `top_k`")
    min_relevance: float = Field(
        default=0.4, ge=0, le=1, description="With source scoring, the lowest score of a source"
    )
    min_excerpt_length: int = Field(
        default=20, ge=0, description="With source scoring, the shortest source in characters"
    )


class EmbeddingModel(Group):
    """A model that makes vectors of texts: the one that comes with the program, or any OpenAI-compatible endpoint."""

    provider: Literal["wheel", "openai_compatible"] = Field(
        default="wheel", description="The built-in model, or an OpenAI-compatible endpoint"
    )
    model: str = Field(default="", description="The endpoint's name for the model")
    base_url: str = Field(
        default="https://api.openai.com/v1", description="Address of the endpoint, without `/embeddings`"
    )
    api_key: SecretStr | None = Field(default=None, description="Sent to the endpoint as a bearer token")
    dimension: int | None = Field(default=None, ge=1, le=4000, description="Requested dimension; null: the model's own")
    batch: int = Field(default=64, ge=1, description="Texts per request")
    concurrency: int = Field(default=4, ge=1, description="Concurrent requests per document or search")
    timeout_s: float = Field(default=30.0, gt=0, description="Timeout of one request")
    query_prefix: str = Field(default="", description="Text put before every question; E5 models need `query: `")
    document_prefix: str = Field(
        default="", description="Text put before every stored text; E5 models need `passage: `"
    )


class EmbeddingSettings(EmbeddingModel):
    """The model of new workspaces. `earlier` are models whose workspaces still work with them, until `citewell
    reembed`."""

    price: float = Field(
        default=0.0, ge=0, description="US dollars per million embedded tokens; reported for each document"
    )
    earlier: tuple[EmbeddingModel, ...] = Field(
        default=(),
        description="Previous models, so that their workspaces can still be searched until `citewell reembed`",
    )
