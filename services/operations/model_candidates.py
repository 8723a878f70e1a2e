"""A choice of a server and its models: tried with everything that a question needs, and turned into settings.

`citewell models use` writes these settings into config.yaml; the dashboard stores them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import httpx
from pydantic import SecretStr

from clients.addresses import endpoint
from clients.llm.completions.aiohttp_transport import MayDial
from clients.llm.server_addresses import judge_of_dialled
from clients.llm.servers import LOCAL_SERVERS, ServerAnswer, ask_server, context_window
from clients.llm.trial import Trial, Trials, keeps_schema, try_model
from config.models import ModelInfo, ModelSettings, RerankSettings
from config.presets import SMALL
from config.serving import BudgetSettings
from config.settings import Settings
from domain.errors.requests import ModelServerUnusable

_TRY_FOR_S = 300.0
"""The longest time for one trial: a model that is not loaded yet has to be read from the disk first."""
LISTED = 20
"""The most names of models in a message."""
_MARGIN = 3
"""The factor by which a call may take longer than the slowest measured call."""
_CALLS_IN_SEQUENCE, _CALLS_OF_A_QUESTION = 10, 28
_BESIDE_PASSAGES, _SMALLEST_ROOM = 2_600, 100
"""The tokens of the other parts of a prompt and of the reply."""

Preset = Literal["standard", "cheap", "small"]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The server and models that a user has asked for.

    `key` was given with the choice. Where it is None, the key is that of the settings, or of the variable `key_env`.
    """

    provider: Literal["groq", "openai_compatible"]
    base_url: str | None
    models: tuple[str, ...]
    key_env: str | None
    preset: Preset
    key: SecretStr | None = None
    is_operators: bool = True
    """Whether the choice was made on Citewell's own machine, and may have any address. The address of a choice from the
    dashboard is checked when it is dialled."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A choice that works: the models, the trials, and whether the server keeps to a schema."""

    main: str
    fast: str
    trials: Sequence[Trial]
    strict: bool
    limits: Mapping[tuple[str, str], int]
    """Settings that follow from the measurements."""


class TrialFailed(ModelServerUnusable):
    """The model cannot do something that a question needs; `trials` says which tasks it can do."""

    def __init__(self, model: str, trials: Trials) -> None:
        super().__init__(f"{model}: {trials.problem}; nothing was changed")
        self.trials = trials.rows


def settings_for(chosen: Chosen, tried: Tried, *, named: bool) -> dict[tuple[str, ...], Any]:
    """Return the settings of the choice by their paths, without its key. `named`: the user chose the main model."""
    models: dict[str, Any] = {"provider": chosen.provider}
    if chosen.base_url:
        models["base_url"] = chosen.base_url
    if chosen.key_env:
        models["api_key_env"] = chosen.key_env
    if chosen.provider == "groq" and tried.main in ModelSettings().catalogue:
        models |= {"main": tried.main} if named else {}
    else:
        catalogue = {tried.main: {"strict_schema": tried.strict}}
        models |= {"main": tried.main, "fast": tried.fast, "fallbacks": {}, "catalogue": catalogue}
    preset = {} if chosen.preset == "standard" else {("preset",): chosen.preset}
    return {**preset, **{("models", name): value for name, value in models.items()}, **tried.limits}


def preset_at(address: str, *, on_this_machine: bool = False) -> Preset:
    """A server of this machine usually has a small model."""
    return "small" if on_this_machine or any(known.is_at(address) for known in LOCAL_SERVERS) else "standard"


def look_at(address: str, key: str, key_name: str, *, may_dial: MayDial | None = None) -> tuple[str, ServerAnswer]:
    """Ask the server for its models, also below `/v1`; return its base address, too. Raises ModelServerUnusable."""
    given = address.rstrip("/").removesuffix("/chat/completions")
    if without_login(given) != given:
        raise ModelServerUnusable("a login in the address would be stored with it; give the key in its own place")
    first = ask_server(endpoint(given, "models"), key, key_name, may_dial=may_dial)
    if first.state == "unclear":
        second = ask_server(f"{given}/v1/models", key, key_name, may_dial=may_dial)
        if second.state == "ok":
            return f"{given}/v1", second
    return given, first


def try_groq(before: Settings, chosen: Chosen, model: str | None, say: Say, until: float = math.inf) -> Tried:
    """Try the models of Groq, until this monotonic time at the latest. Raises ModelServerUnusable, TrialFailed."""
    main = model or ModelSettings().main
    fast = main if main not in ModelSettings().catalogue else ModelSettings().fast
    if chosen.models and not ServerAnswer("ok", chosen.models).serves(main):
        raise ModelServerUnusable(f"Groq does not have {main}; it has {', '.join(chosen.models[:LISTED])}")
    info = ModelSettings().catalogue.get(main)
    if info is None:
        return try_compatible(before, chosen, main, say, until)
    tried_with, rows = candidate(before, chosen, main, fast, strict=True), list[Trial]()
    for name in dict.fromkeys((main, fast)):
        trials = try_model(tried_with, name, writes=name == main, judges=name == fast, say=say, until=until)
        rows.extend(trials.rows)
        if trials.problem:
            raise TrialFailed(name, trials)
    return Tried(main, fast, rows, info.strict_schema, {})


def try_compatible(before: Settings, chosen: Chosen, name: str, say: Say, until: float = math.inf) -> Tried:
    """Try everything that a question needs, with a schema if the server enforces it, until this monotonic time at the
    latest. Raises TrialFailed."""
    judging = replace(chosen, preset="standard")
    strict = keeps_schema(candidate(before, judging, name, name, strict=True), name, say=say, until=until)
    keeps = strict.problem is None
    if not keeps and strict.rows[0].fits:
        raise TrialFailed(name, strict)
    tried_with = candidate(before, chosen, name, name, strict=keeps)
    judge = None if chosen.is_operators else judge_of_dialled(tried_with.provider_url, tried_with.models.servers)
    window = context_window(tried_with, name, judge)
    tokens = tried_with.rerank.context_tokens
    if window:
        tokens = min(tokens, max(_SMALLEST_ROOM, window // 4, window - _BESIDE_PASSAGES))
    judges = chosen.preset != "small"

    def tried(*, strict: bool) -> Trials:
        made = candidate(before, chosen, name, name, strict=strict)
        reading = made.model_copy(update={"rerank": made.rerank.model_copy(update={"context_tokens": tokens})})
        return try_model(reading, name, writes=True, judges=judges, say=say, until=until)

    trials = tried(strict=keeps)
    if keeps and any(not row.fits for row in trials.rows):
        # A server may enforce a simple schema and give up on another.
        loose = tried(strict=False)
        trials, keeps = (loose, False) if loose.problem is None else (trials, keeps)
    if trials.problem:
        raise TrialFailed(name, trials)
    limits = _limits(before, chosen, trials)
    if tokens < _preset_of(before, chosen).rerank.context_tokens:
        limits["rerank", "context_tokens"] = tokens
    return Tried(name, name, trials.rows, keeps, limits)


def candidate(before: Settings, chosen: Chosen, main: str, fast: str, *, strict: bool) -> Settings:
    known = ModelSettings().catalogue
    own: dict[str, Any] = {
        "provider": chosen.provider,
        "base_url": chosen.base_url,
        "main": main,
        "fast": fast,
        "catalogue": known if chosen.provider == "groq" and main in known else {main: ModelInfo(strict_schema=strict)},
        "api_key_env": chosen.key_env,
        "judgements": "offline" if chosen.preset == "small" else "provider",
        "call_timeout_s": _TRY_FOR_S,
        "deadline_s": _TRY_FOR_S,
        "fallbacks": {},
        "hedge_share": 0.0,
    }
    changed: dict[str, Any] = {"preset": chosen.preset, "rerank": _preset_of(before, chosen).rerank}
    if chosen.key is not None:
        # The key of the settings is never used here, because it may be meant for another server.
        own["api_key"] = changed["groq_api_key"] = chosen.key
    made = before.model_copy(update={**changed, "models": before.models.model_copy(update=own)})
    return made if chosen.is_operators else made.as_choice()


def without_login(address: str) -> str:
    try:
        return str(httpx.URL(address).copy_with(userinfo=b""))
    except (httpx.InvalidURL, UnicodeError):
        raise ModelServerUnusable(f"{address!r} is not an address") from None


def _limits(before: Settings, chosen: Chosen, trials: Trials) -> dict[tuple[str, str], int]:
    """Return the limits that the measured seconds require, where they are above the configured ones."""
    now, limits = _preset_of(before, chosen), dict[tuple[str, str], int]()
    timeout_s = math.ceil(_MARGIN * trials.slowest_s / 10) * 10
    if timeout_s > now.models.call_timeout_s:
        limits["models", "call_timeout_s"] = timeout_s
        if now.models.deadline_s < _MARGIN * timeout_s:
            limits["models", "deadline_s"] = _MARGIN * timeout_s
    in_sequence = _CALLS_IN_SEQUENCE if trials.at_once != 1 else _CALLS_OF_A_QUESTION
    question_s = math.ceil(trials.slowest_s * (_MARGIN if chosen.preset == "small" else in_sequence))
    if question_s > now.budget.deadline_s:
        limits["budget", "deadline_s"] = question_s
    if trials.at_once == 1:
        limits["models", "concurrency"] = 1
    return limits


def _preset_of(before: Settings, chosen: Chosen) -> Settings:
    """Return the current settings with the preset of the choice."""
    if before.preset == chosen.preset or "small" not in (before.preset, chosen.preset):
        return before
    groups: Mapping[str, Mapping[str, Any]] = SMALL if chosen.preset == "small" else {}
    own = {
        "models": ModelSettings().model_copy(update=groups.get("models")),
        "rerank": RerankSettings().model_copy(update=groups.get("rerank")),
        "budget": BudgetSettings().model_copy(update=groups.get("budget")),
    }
    return before.model_copy(update=own)
