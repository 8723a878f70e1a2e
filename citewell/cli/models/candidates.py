"""Finds a server of models for `citewell models use`, and tries its models before anything is written."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from citewell.cli.console import err, plain
from citewell.cli.errors import FAILED, USAGE, CommandFailed
from clients.llm.servers import (
    LOCAL_SERVERS,
    LocalServer,
    ServerAnswer,
    ask_provider,
    ask_server,
    context_window,
    find_local_servers,
)
from clients.llm.trial import Trial, Trials, keeps_schema, try_model
from config.models import ModelInfo, ModelSettings, RerankSettings
from config.presets import SMALL
from config.serving import BudgetSettings
from config.settings import Settings, settings

_TRY_FOR_S = 300.0
"""The longest time for one trial: a model that is not loaded yet has to be read from the disk first."""
_LISTED = 20
_MARGIN = 3
"""A call may take this many times as long as the slowest that was measured."""
_CALLS_IN_SEQUENCE, _CALLS_OF_A_QUESTION = 10, 28
_BESIDE_PASSAGES, _SMALLEST_ROOM = 2_600, 100
"""Tokens of a prompt's other parts and of the reply."""
_WITHOUT_LIST = ("unclear", "forbidden")

Preset = Literal["standard", "cheap", "small"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The server and models that a user has asked for. `key_env` names the variable of the key, unless it is the usual
    one.
    """

    provider: Literal["groq", "openai_compatible"]
    base_url: str | None
    models: tuple[str, ...]
    key_env: str | None
    preset: Preset


@dataclass(frozen=True, slots=True)
class Tried:
    """A choice that works: the models, the trials, and whether the server keeps to a schema."""

    main: str
    fast: str
    trials: Sequence[Trial]
    strict: bool
    limits: Mapping[tuple[str, str], int]
    """Settings that follow from what was measured."""


class TrialFailed(CommandFailed):
    """The model cannot do what a question needs; `trials` says what it can do."""

    def __init__(self, model: str, trials: Trials) -> None:
        super().__init__(f"{model}: {trials.problem}; nothing was changed", FAILED)
        self.trials = trials.rows


def find_groq(key_env: str | None, preset: Preset | None) -> Chosen:
    chosen = Chosen("groq", None, (), key_env, preset or "standard")
    asked = ask_provider(_candidate(settings(), chosen, ModelSettings().main, ModelSettings().fast, strict=True))
    name = key_env or "GROQ_API_KEY"
    if asked is None or not _key_of(settings(), chosen):
        raise CommandFailed(
            f"set {name} first, in the environment of `citewell up`: it stays out of the file. For example: "
            f"export {name}=…"
        )
    if asked.state != "ok":
        raise CommandFailed(asked.detail, USAGE if asked.state == "key_refused" else FAILED)
    return Chosen("groq", None, asked.models, key_env, chosen.preset)


def find_compatible(target: str | None, key_env: str | None, preset: Preset | None, model: str | None = None) -> Chosen:
    """The server that `target` names, with its models; `model` need not be listed if the server lists none."""
    server, address = _local(target) if target is None or _is_local(target) else (None, target)
    key = _key_of(settings(), Chosen("openai_compatible", address, (), key_env, "standard"))
    address, answer = _answer(address, key, key_env or "CITEWELL_MODELS__API_KEY")
    if answer.state in _WITHOUT_LIST and model:
        err.print(plain(f"citewell: {answer.detail}; {model} is tried without a list of models"), soft_wrap=True)
    elif answer.state != "ok":
        hint = f"; `{server.start}` starts it" if server and answer.state == "unreachable" else ""
        named = "; name a model with --model to try it without a list" if answer.state in _WITHOUT_LIST else ""
        raise CommandFailed(f"{answer.detail}{hint}{named}")
    is_on_this_machine = server or any(known.is_at(address) for known in LOCAL_SERVERS)
    small: Preset = "small" if is_on_this_machine else "standard"
    return Chosen("openai_compatible", address, answer.models, key_env, preset or small)


def _is_local(target: str) -> bool:
    names = [server.name for server in LOCAL_SERVERS]
    if target not in names and "://" not in target:
        raise CommandFailed(
            f"{target!r} is neither groq, {', '.join(names)} nor an address such as http://host:8000/v1"
        )
    return target in names


def _local(target: str | None) -> tuple[LocalServer, str]:
    if target is not None:
        server = next(server for server in LOCAL_SERVERS if server.name == target)
        return server, server.address
    servers = list(find_local_servers())
    if len(servers) == 1:
        return servers[0], servers[0].address
    if servers:
        raise CommandFailed(f"several servers run: name one of {', '.join(server.name for server in servers)}")
    looked = ", ".join(f"{server.name} at {server.address}" for server in LOCAL_SERVERS)
    raise CommandFailed(f"no server of models runs on this machine ({looked}); start one, or name groq or an address")


def _answer(address: str, key: str, key_name: str) -> tuple[str, ServerAnswer]:
    given = address.rstrip("/").removesuffix("/chat/completions")
    if without_login(given) != given:
        raise CommandFailed("a login in the address would be written into the file; put the key into the environment")
    first = ask_server(f"{given}/models", key, key_name)
    if first.state == "unclear":
        second = ask_server(f"{given}/v1/models", key, key_name)
        if second.state == "ok":
            return f"{given}/v1", second
    return given, first


def picked_model(chosen: Chosen, model: str | None) -> str:
    if model is None and len(chosen.models) == 1:
        return chosen.models[0]
    listed = ", ".join(chosen.models[:_LISTED]) or "no models"
    if model is None:
        raise CommandFailed(f"name a model with --model; {chosen.base_url} has {listed}")
    if chosen.models and not ServerAnswer("ok", chosen.models).serves(model):
        raise CommandFailed(f"{chosen.base_url} does not have {model}; it has {listed}")
    return model


def try_groq(before: Settings, chosen: Chosen, model: str | None) -> Tried:
    main = model or ModelSettings().main
    fast = main if main not in ModelSettings().catalogue else ModelSettings().fast
    if chosen.models and not ServerAnswer("ok", chosen.models).serves(main):
        raise CommandFailed(f"Groq does not have {main}; it has {', '.join(chosen.models[:_LISTED])}")
    info = ModelSettings().catalogue.get(main)
    if info is None:
        return try_compatible(before, chosen, main)
    candidate, rows = _candidate(before, chosen, main, fast, strict=True), list[Trial]()
    for name in dict.fromkeys((main, fast)):
        trials = _tried(candidate, name, writes=name == main, judges=name == fast)
        rows.extend(trials.rows)
        if trials.problem:
            raise TrialFailed(name, trials)
    return Tried(main, fast, rows, info.strict_schema, {})


def try_compatible(before: Settings, chosen: Chosen, name: str) -> Tried:
    """Try all that a question needs, with a schema if the server enforces it. Raises TrialFailed."""
    judging = Chosen(chosen.provider, chosen.base_url, chosen.models, chosen.key_env, "standard")
    strict = _with_status(
        name, lambda say: keeps_schema(_candidate(before, judging, name, name, strict=True), name, say=say)
    )
    keeps = strict.problem is None
    if not keeps and strict.rows[0].fits:
        raise TrialFailed(name, strict)
    candidate = _candidate(before, chosen, name, name, strict=keeps)
    window = context_window(candidate, name)
    tokens = candidate.rerank.context_tokens
    if window:
        tokens = min(tokens, max(_SMALLEST_ROOM, window // 4, window - _BESIDE_PASSAGES))
    candidate = _reading(candidate, tokens)
    judges = chosen.preset != "small"
    trials = _tried(candidate, name, writes=True, judges=judges)
    if keeps and any(not row.fits for row in trials.rows):
        # A server may enforce a simple schema and give up on another.
        loose = _tried(_reading(_candidate(before, chosen, name, name, strict=False), tokens), name, judges=judges)
        trials, keeps = (loose, False) if loose.problem is None else (trials, keeps)
    if trials.problem:
        raise TrialFailed(name, trials)
    limits = _limits(before, chosen, trials)
    if tokens < _preset_of(before, chosen).rerank.context_tokens:
        limits["rerank", "context_tokens"] = tokens
    return Tried(name, name, trials.rows, keeps, limits)


def _limits(before: Settings, chosen: Chosen, trials: Trials) -> dict[tuple[str, str], int]:
    """The limits that the measured seconds require, where they are above the configured ones."""
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


def _tried(candidate: Settings, name: str, *, writes: bool = True, judges: bool) -> Trials:
    return _with_status(name, lambda say: try_model(candidate, name, writes=writes, judges=judges, say=say))


def _with_status(name: str, work: Callable[[Callable[[str], None]], Trials]) -> Trials:
    with err.status(f"trying {name} …") as status:
        return work(lambda text: status.update(plain(f"{text} …")))


def _preset_of(before: Settings, chosen: Chosen) -> Settings:
    """The current settings with the preset of the choice."""
    if before.preset == chosen.preset or "small" not in (before.preset, chosen.preset):
        return before
    groups: Mapping[str, Mapping[str, Any]] = SMALL if chosen.preset == "small" else {}
    own = {
        "models": ModelSettings().model_copy(update=groups.get("models")),
        "rerank": RerankSettings().model_copy(update=groups.get("rerank")),
        "budget": BudgetSettings().model_copy(update=groups.get("budget")),
    }
    return before.model_copy(update=own)


def _reading(candidate: Settings, tokens: int) -> Settings:
    return candidate.model_copy(update={"rerank": candidate.rerank.model_copy(update={"context_tokens": tokens})})


def _candidate(before: Settings, chosen: Chosen, main: str, fast: str, *, strict: bool) -> Settings:
    known = ModelSettings().catalogue
    own = {
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
    changed = {"preset": chosen.preset, "models": before.models.model_copy(update=own)}
    return before.model_copy(update={**changed, "rerank": _preset_of(before, chosen).rerank})


def _key_of(before: Settings, chosen: Chosen) -> str:
    return _candidate(before, chosen, "", "", strict=False).provider_key


def without_login(address: str) -> str:
    try:
        return str(httpx.URL(address).copy_with(userinfo=b""))
    except (httpx.InvalidURL, UnicodeError):
        raise CommandFailed(f"{address!r} is not an address") from None
