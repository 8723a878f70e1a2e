"""The typed settings object.

Precedence: environment (`CITEWELL_RERANK__TOP_K=5`), then `config.yaml`, then the defaults here. CITEWELL_CONFIG names
the YAML file; without it, `config.yaml` in the current directory is used. The options of a request override all of
them.
"""

import os
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from config import ConfigurationInvalid
from config.access import AccessSettings, is_safe
from config.answers import AgenticSettings, GuardSettings, RetrievalSettings, VerificationSettings, VerifyingSettings
from config.documents import GraphSettings, IngestionSettings, OriginalsSettings, SourcesSettings
from config.file import read_config
from config.models import CHOICE, EmbeddingSettings, LimiterSettings, ModelSettings, RerankSettings
from config.names import DELIMITER, PREFIX, complaints, unknown_complaints, unreadable_variable, without_unknown
from config.presets import with_preset
from config.serving import (
    AdmissionSettings,
    AuditSettings,
    BudgetSettings,
    LangfuseSettings,
    MailSettings,
    MetricsSettings,
    PoolSettings,
    RecoverySettings,
    StandingSettings,
    StreamSettings,
    TracingSettings,
    WebhookSettings,
    WorkerSettings,
    default_pools,
)


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
        description="Address of the dashboard, for links in answers. Default: the address that the request came to",
    )
    preset: Literal["standard", "cheap", "small"] = Field(
        default="standard",
        description=(
            "`cheap` shares model calls between passages and between statements; `small` does so, too, and has other "
            "defaults, for a small model on this machine (docs/models.md)"
        ),
    )
    question_max_chars: int = Field(default=4000, ge=1, description="Longest accepted question")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="Level of Citewell's own log lines; libraries stay at INFO or above"
    )
    # `auto` is `console` on a terminal and `json` elsewhere.
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="`auto` is `console` on a terminal and `json` elsewhere"
    )
    # A program that was rolled back meets the settings of the newer version.
    unknown_settings: Literal["refuse", "ignore"] = Field(
        default="refuse",
        description="How unknown names are handled: they stop the start, or are ignored, which a roll-back may need",
    )

    groq_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="GROQ_API_KEY",
        description="API key for Groq; setting it selects the provider `groq`",
    )
    groq_base_url: str = Field(
        default="https://api.groq.com",
        validation_alias="GROQ_BASE_URL",
        description="Address of Groq, or of a gateway that speaks its protocol",
    )
    # S1.7: the seed's own variable; None leaves the decision to config.yaml.
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
        default_factory=default_pools,
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
        """Return the id of the choice of models on the dashboard that is part of these settings, if there is one."""
        return self._model_choice

    @property
    def model_setting(self) -> str | None:
        """Return the name of a setting that chooses a provider or model, or None: then the dashboard may choose."""
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
        """Return these settings as they would be if the file also had `values`, in place of its own.

        Settings that choose a model come from `values` alone: another process may have been started with a key or an
        address in its environment, which must never mix with those of the choice. Raises ValidationError.
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
        """Return these settings, within the limits of a choice on the dashboard, although none was made yet."""
        made = self.model_copy()
        made._model_choice = 0
        return made

    @property
    def is_keyless(self) -> bool:
        """Return whether requests need no key, because only this machine reaches the API and nobody signs in."""
        return self.access.keys == "auto" and is_loopback(self.api_host) and not self.has_people

    @property
    def has_people(self) -> bool:
        """Return whether people sign in."""
        return self.access.oidc.issuer is not None

    @property
    def sharing(self) -> Literal["standard", "cheap"]:
        # This is the preset of a question that names none.
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
        """Return the base URL of the provider in use; empty if it has none."""
        return self.groq_base_url if self.provider != "openai_compatible" else self.models.base_url or ""

    @property
    def provider_key(self) -> str:
        """Return the API key of the provider in use, or an empty string."""
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
    """Settings from the environment and, with lower precedence, the given values."""

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


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def default_home() -> Path:
    """Return the data directory unless CITEWELL_HOME is set.

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
