"""The typed settings object.

Precedence: environment (`CITEWELL_RERANK__TOP_K=5`), then `config.yaml`, then the defaults here. CITEWELL_CONFIG names
the YAML file; without it, `config.yaml` in the current directory is used. The options of a request override all of
them.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from config import ConfigurationInvalid, Group
from config.complaints import complaints, unknown_complaints, unreadable_variable
from config.file import read_config
from config.guard import GuardSettings
from config.limits import LimiterSettings
from config.models import CHOICE, EmbeddingSettings, ModelSettings, RerankSettings
from config.names import DELIMITER, PREFIX, without_unknown
from config.people import OidcSettings, is_safe
from config.presets import with_preset
from config.serving import (
    AdmissionSettings,
    AuditSettings,
    BudgetSettings,
    LangfuseSettings,
    MailSettings,
    MetricsSettings,
    StandingSettings,
    StreamSettings,
    TracingSettings,
    WorkerSettings,
)
from config.sources import SourcesSettings
from config.stores import OriginalsSettings
from config.verification import VerificationSettings, VerifyingSettings


class RetrievalSettings(Group):
    """`vector` is similarity alone (S1.1); `hybrid` fuses it with lexical search by reciprocal rank."""

    method: Literal["vector", "hybrid"] = Field(
        default="hybrid", description="Vectors alone (S1.1), or vectors and words fused by reciprocal rank"
    )
    k: int = Field(default=10, ge=1, le=100, description="Passages retrieved per search")
    # 0.3 was measured for the built-in model, which is small; vectors of any other model weigh as much as words.
    dense_weight: float | None = Field(
        default=None,
        ge=0,
        description="Weight of vectors relative to words (1); null: 0.3 for the built-in model, 1 for any other",
    )
    multi_query: int = Field(
        default=0, ge=0, le=5, description="Rewritten questions that are searched as well (S3.2); 0 and 1 mean none"
    )
    graph: Literal["naive", "local", "global", "hybrid", "mix"] = Field(
        default="naive", description="How the knowledge graph takes part (S5.1); `naive`: not at all"
    )


class AgenticSettings(Group):
    """Runs in which the model decides what to search for (S3.6)."""

    max_searches: int = Field(default=4, ge=1, le=8, description="Searches per question at most")


class IngestionSettings(Group):
    max_bytes: int = Field(default=50_000_000, ge=1, description="Largest file")
    import_max_bytes: int = Field(default=500_000_000, ge=1, description="Largest archive as uploaded")
    import_max_unpacked_bytes: int = Field(
        default=2_000_000_000, ge=1, description="Total size of all files in an archive"
    )
    import_max_files: int = Field(default=10_000, ge=1, description="Files in one archive")
    max_pages: int = Field(default=5_000, ge=1, description="Pages of one document")
    max_chars: int = Field(default=20_000_000, ge=1, description="Characters of one document")
    parse_memory_mb: int = Field(default=1024, ge=128, description="Memory limit of the process that reads one file")
    parse_base_s: float = Field(default=8.0, gt=0, description="Time to read a file, regardless of its size")
    parse_max_s: float = Field(default=240.0, gt=0, description="Upper limit of the time to read a file")
    ocr_languages: str = Field(
        default="kor+eng",
        pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$",
        description="Languages of scans, by Tesseract's names; each page is read in the one that fits it best",
    )
    ocr_page_s: float = Field(default=60.0, gt=0, description="Additional time to recognise the text of a scanned page")
    ocr_max_s: float = Field(
        default=400.0,
        gt=0,
        description="Upper limit of the time for all pages of a scan that is read at once, as by `citewell verify`",
    )
    chunk_tokens: int = Field(default=220, ge=30, description="Length of a passage in model tokens")
    overlap_tokens: int = Field(default=30, ge=0, description="Tokens of whole sentences repeated in the next passage")


class GraphSettings(Group):
    """The knowledge graph (S5.1). With `auto` the fast model reads documents if its server takes several calls at once;
    otherwise local rules do: a question would wait behind a call for every passage of every document.
    """

    extractor: Literal["auto", "model", "local", "off"] = Field(
        default="auto",
        description=(
            "What reads documents into the graph; `auto`: `model` with a provider that takes more than one call at a "
            "time (`models.concurrency`), otherwise `local`"
        ),
    )
    max_chunks: int = Field(default=2_000, ge=1, description="Passages read per document; the rest is left out")


class RecoverySettings(Group):
    """How fast work of a dead process is detected and restarted; all in seconds."""

    heartbeat_s: float = Field(default=2.0, gt=0, description="How often a process renews its leases")
    lease_s: float = Field(
        default=10.0, gt=0, description="After this long without a heartbeat, a process counts as dead"
    )
    check_s: float = Field(default=2.0, gt=0, description="How often stopped work is looked for")
    stalled_s: float = Field(
        default=60.0, gt=0, description="Restart a query in which no step has run or ended for this long"
    )
    max_launches: int = Field(
        default=30, ge=1, description="Restarts after which a query fails; its deadline usually comes first"
    )
    max_attempts: int = Field(default=3, ge=1, description="Worker deaths after which a step is parked")
    drain_s: float = Field(
        default=25.0, ge=0, description="How long steps may continue after SIGTERM before they are handed back"
    )


SHARE_MAX_HOURS = 87_600
"""No setting and no request allows a link a longer life: ten years."""
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?")


class AccessSettings(Group):
    """Who may use the API (A8). `keys: auto` requires a key unless the API listens on loopback only."""

    keys: Literal["auto", "required"] = Field(
        default="auto", description="`auto` requires a key unless the API listens on loopback only"
    )
    requests_per_minute: int = Field(
        default=600, ge=1, description="`POST` requests per key; a key can have its own limit"
    )
    share_max_hours: int = Field(
        default=720,
        ge=0,
        le=SHARE_MAX_HOURS,
        description="Longest life of a link that opens an answer without a key; 0 allows none",
    )
    origins: tuple[str, ...] = Field(
        default=(),
        description="Origins of other pages that may use the API from a browser, with a key; `*` for all (CORS)",
    )
    keep_deeds_days: float | None = Field(
        default=None, gt=0, description="How long it is kept what people did; null: for good"
    )
    oidc: OidcSettings = OidcSettings()

    @field_validator("origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{origin!r} is no origin; write it as browsers send it, such as https://app.example.com or "
                    "http://localhost:5173: in small letters, without a path and without a slash at its end"
                )
        if "*" in origins and len(origins) > 1:
            raise ValueError("`*` allows all origins; give it alone")
        return origins


class WebhookSettings(Group):
    """Delivery to receivers (A6). `allowed_networks` may be private, use any port and do without TLS: for
    development.
    """

    allowed_networks: tuple[str, ...] = Field(
        default=(), description="Private networks that may be called, on any port and without TLS; for development"
    )
    allowed_ports: tuple[int, ...] = Field(default=(80, 443), description="Ports that may be called elsewhere")
    deadline_s: float = Field(
        default=15.0, gt=0, description="Limit of one attempt, from the DNS lookup to the last byte read"
    )
    schedule_s: tuple[Annotated[float, Field(ge=0)], ...] = Field(
        default=(0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400),
        min_length=1,
        description="Wait before each attempt",
    )
    in_flight: int = Field(default=2, ge=1, description="Concurrent deliveries to one receiver")

    @field_validator("allowed_networks")
    @classmethod
    def _networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            ip_network(network)
        return networks


class PoolSettings(Group):
    """One group of worker processes and the queues it consumes."""

    queues: tuple[str, ...] = Field(description="Queues the processes consume")
    pool: Literal["loop", "threads", "prefork"] = Field(
        default="loop", description="`loop`: one event loop per process; `prefork`: child processes, for ingestion"
    )
    concurrency: int = Field(default=8, ge=1, description="Messages a process handles at a time")
    processes: int = Field(default=1, ge=1, description="Number of processes")


def _pools() -> dict[str, PoolSettings]:
    # One process runs all steps of a question, which saves a message per step; machines with two cores get two.
    # Ingestion and webhooks have their own processes, so that neither a large document nor an unresponsive receiver
    # delays a question. Of several places that read one is kept for a tenant that has none (A7).
    return {
        "queries": PoolSettings(
            queues=("retrieval", "reranking", "citations", "generation", "verification", "graph", "maintenance"),
            concurrency=64,
            processes=min(2, os.cpu_count() or 1),
        ),
        "ingestion": PoolSettings(queues=("ingestion",), pool="prefork", concurrency=1),
        "webhooks": PoolSettings(queues=("webhooks",), concurrency=64),
    }


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Settings(BaseSettings):
    """All settings; see the groups for the meaning of each value."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter=DELIMITER, extra="forbid", frozen=True, populate_by_name=True
    )

    home: Path = Field(
        default_factory=lambda: default_home(),
        description=(
            "Data directory of `citewell up`. Default: `~/.local/share/citewell`, as root `/var/lib/citewell`"
        ),
    )
    pulse_file: Path | None = Field(
        default=None, description="File that a healthy worker touches every 2 s, for health checks"
    )
    database_url: SecretStr = Field(
        default=SecretStr("postgresql+psycopg://citewell@127.0.0.1:5432/citewell"),
        description="Postgres, as an SQLAlchemy URL",
    )
    redis_url: SecretStr = Field(
        default=SecretStr("redis://127.0.0.1:6379/0"),
        description="Redis or Valkey: broker, rate limits and notifications",
    )
    api_host: str = Field(
        default="127.0.0.1", description="Address the API listens on; anything beyond loopback requires keys"
    )
    api_port: int = Field(default=8000, ge=0, le=65535, description="Port the API listens on; 0 picks a free one")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s()]+$",
        description="Address of the page, for links in answers. Default: the one that the request came to",
    )
    preset: Literal["standard", "cheap", "small"] = Field(
        default="standard",
        description=(
            "`cheap` shares model calls between passages and between statements; `small` does, too, and has other "
            "defaults, for a small model on this machine (docs/models.md)"
        ),
    )
    question_max_chars: int = Field(default=4000, ge=1, description="Longest accepted question")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Of Citewell's own log lines; libraries stay at INFO or above"
    )
    # `auto` is `console` on a terminal and `json` elsewhere.
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="`auto` is `console` on a terminal and `json` elsewhere"
    )
    # A program that was rolled back meets the settings of the newer one.
    unknown_settings: Literal["refuse", "ignore"] = Field(
        default="refuse",
        description="What an unknown name does: stop the start, or nothing, which a roll-back may need",
    )

    groq_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="GROQ_API_KEY",
        description="API key for Groq; setting it selects the provider `groq`",
    )
    groq_base_url: str = Field(
        default="https://api.groq.com",
        validation_alias="GROQ_BASE_URL",
        description="Groq, or a gateway that speaks its protocol",
    )
    # S1.7: the seed's own variable; None leaves it to config.yaml.
    enable_verification: bool | None = Field(
        default=None,
        validation_alias="ENABLE_VERIFICATION",
        description="Overrides `verification.enable`; a request overrides both",
    )

    models: ModelSettings = ModelSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    agentic: AgenticSettings = AgenticSettings()
    rerank: RerankSettings = RerankSettings()
    verification: VerificationSettings = VerificationSettings()
    ingestion: IngestionSettings = IngestionSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    graph: GraphSettings = GraphSettings()
    recovery: RecoverySettings = RecoverySettings()
    access: AccessSettings = AccessSettings()
    stream: StreamSettings = StreamSettings()
    verifying: VerifyingSettings = VerifyingSettings()
    guard: GuardSettings = GuardSettings()
    webhooks: WebhookSettings = WebhookSettings()
    sources: SourcesSettings = SourcesSettings()
    originals: OriginalsSettings = OriginalsSettings()
    admission: AdmissionSettings = AdmissionSettings()
    pools: dict[str, PoolSettings] = Field(
        default_factory=_pools,
        description=(
            "Worker processes of `citewell up`; replaces the default list as a whole. Default: "
            "`queries` (one process, or two with two or more cores, for all steps of a question), "
            "`ingestion`, `webhooks`"
        ),
    )
    limiter: LimiterSettings = LimiterSettings()
    budget: BudgetSettings = BudgetSettings()
    metrics: MetricsSettings = MetricsSettings()
    tracing: TracingSettings = TracingSettings()
    langfuse: LangfuseSettings = LangfuseSettings()
    mail: MailSettings = MailSettings()
    workers: WorkerSettings = WorkerSettings()
    standing: StandingSettings = StandingSettings()
    audit: AuditSettings = AuditSettings()

    _file: dict[str, Any] = PrivateAttr(default_factory=dict)
    _model_choice: int | None = PrivateAttr(default=None)

    @property
    def model_choice(self) -> int | None:
        """The id of the choice of models that was made on the page and is part of these settings, if one is."""
        return self._model_choice

    @property
    def model_setting(self) -> str | None:
        """The name of a setting that chooses a provider or model, or None: then the page may choose."""
        if self.models.provider == "auto" and self.groq_api_key and self.groq_api_key.get_secret_value():
            return "GROQ_API_KEY"
        return next((f"models.{name}" for name in sorted(self.models.chosen, reverse=True)), None)

    @classmethod
    def read(cls) -> "Settings":
        """Read the environment and the file, and remember the file for `with_choice`. Raises ValidationError."""
        made = cls()
        made._file = read_config().values
        return made

    def with_choice(self, choice: int, values: Mapping[str, Any]) -> "Settings":
        """These settings as they are when the file has `values`, too, in place of its own.

        What chooses a model comes from `values` alone: another process may have been started with a key or an address
        in its environment, and they never mix with those of the choice. Raises ValidationError.
        """
        merged: dict[str, Any] = dict(self._file)
        for name, value in values.items():
            merged[name] = {**(merged.get(name) or {}), **value} if isinstance(value, Mapping) else value
        made = _Chosen(**merged)
        others = {name: getattr(made.models, name) for name in made.models.model_fields_set - CHOICE}
        own = {name: value for name, value in values["models"].items() if name in CHOICE}
        models = type(made.models).model_validate({**others, **own})
        groq_api_key = SecretStr(values.get("groq_api_key") or "")
        chosen = made.model_copy(update={"models": models, "groq_api_key": groq_api_key})
        chosen._model_choice = choice
        return chosen

    def as_choice(self) -> "Settings":
        """These settings, within the bounds of a choice that was made on the page, which none of them is yet."""
        made = self.model_copy()
        made._model_choice = 0
        return made

    @property
    def is_keyless(self) -> bool:
        """Whether requests need no key, because only this machine reaches the API and nobody signs in."""
        return self.access.keys == "auto" and is_loopback(self.api_host) and not self.has_people

    @property
    def has_people(self) -> bool:
        """Whether people sign in."""
        return self.access.oidc.issuer is not None

    @property
    def sharing(self) -> Literal["standard", "cheap"]:
        # Of a question that names none.
        return "standard" if self.preset == "standard" else "cheap"

    @property
    def provider(self) -> Literal["groq", "openai_compatible", "offline"]:
        if self.models.provider == "auto":
            return "groq" if self.groq_api_key and self.groq_api_key.get_secret_value() else "offline"
        return self.models.provider

    @property
    def judges_offline(self) -> bool:
        return self.provider == "offline" or self.models.judgements == "offline"

    @property
    def provider_url(self) -> str:
        """Base URL of the provider in use; empty if it has none."""
        return self.groq_base_url if self.provider != "openai_compatible" else self.models.base_url or ""

    @property
    def provider_key(self) -> str:
        """API key of the provider in use, or an empty string."""
        key = self.groq_api_key if self.provider != "openai_compatible" else self.models.api_key
        if key is None and self.models.api_key_env:
            return os.environ.get(self.models.api_key_env, "").strip()
        return key.get_secret_value().strip() if key else ""

    @property
    def provider_key_name(self) -> str:
        own = "GROQ_API_KEY" if self.provider != "openai_compatible" else "CITEWELL_MODELS__API_KEY"
        return self.models.api_key_env or own

    @property
    def graph_extractor(self) -> Literal["model", "local", "off"]:
        if self.graph.extractor == "auto":
            return "local" if self.provider == "offline" or self.models.concurrency == 1 else "model"
        return self.graph.extractor

    @property
    def verification_enabled(self) -> bool:
        """S1.7: the environment overrides the file; a request overrides both (services.queries.submission)."""
        return self.verification.enable if self.enable_verification is None else self.enable_verification

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment before file; no .env file, no secrets directory."""
        return init_settings, env_settings, InitSettingsSource(settings_cls, read_config().values)

    @model_validator(mode="before")
    @classmethod
    def _prepared(cls, values: dict[str, Any]) -> dict[str, Any]:
        known = without_unknown(cls, values) if values.get("unknown_settings") == "ignore" else values
        return with_preset(known)

    @model_validator(mode="after")
    def _reachable(self) -> "Settings":
        # The address that the provider sends people back to must not come from a request.
        if self.has_people and not (self.public_url and is_safe(self.public_url)):
            raise ValueError(
                "`access.oidc.issuer` needs `public_url`, the https address of the page; http is for this machine only"
            )
        return self


class _Chosen(Settings):
    """Settings made of the environment and, with less weight, the given values."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return env_settings, init_settings


def default_home() -> Path:
    """The data directory unless CITEWELL_HOME is set.

    For root it is a system directory: the servers then run as an unprivileged user, who cannot enter root's home.
    """
    if os.geteuid() == 0:
        return Path("/var/lib/citewell")
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "citewell"


@cache
def settings() -> Settings:
    """Read the configuration once per process.

    Raises ConfigurationInvalid with the place of every wrong setting, and the likely name of a misspelled one.
    """
    try:
        read = Settings.read()
    except ValidationError as error:
        raise ConfigurationInvalid("; ".join(complaints(Settings, error, read_config()))) from None
    except SettingsError as error:
        raise ConfigurationInvalid(unreadable_variable(error)) from None
    if read.unknown_settings == "refuse" and (unknown := list(unknown_complaints(Settings, os.environ))):
        raise ConfigurationInvalid("; ".join(unknown))
    return read
