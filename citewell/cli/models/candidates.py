"""Finds a server of models for `citewell models use`, and tries its models before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import httpx

from citewell.cli.console import err
from citewell.cli.errors import FAILED, CommandFailed
from clients.llm.servers import LOCAL_SERVERS, LocalServer, ServerAnswer, ask_provider, ask_server, find_local_servers
from clients.llm.trial import Trial, try_model
from config.models import ModelInfo, ModelSettings
from config.settings import Settings, settings

_TRY_FOR_S = 300.0
"""A model that is not loaded yet has to be read from the disk first."""
_LISTED = 20

Preset = Literal["standard", "cheap", "small"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be used, as asked for. `key_env` names the variable of the key, unless it is the usual one."""

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


def find_groq(key_env: str | None, preset: Preset | None) -> Chosen:
    chosen = Chosen("groq", None, (), key_env, preset or "standard")
    asked = ask_provider(_candidate(settings(), chosen, ModelSettings().main, ModelSettings().fast, strict=True))
    name = key_env or "GROQ_API_KEY"
    if asked is None or not _key_of(settings(), chosen):
        raise CommandFailed(
            f"set {name} first, in the environment of `citewell up`: it stays out of the file. For example: "
            f"export {name}=…"
        )
    return Chosen("groq", None, _models_of(asked), key_env, chosen.preset)


def find_compatible(target: str | None, key_env: str | None, preset: Preset | None) -> Chosen:
    server, address = _local(target) if target is None or _is_local(target) else (None, target)
    key = _key_of(settings(), Chosen("openai_compatible", address, (), key_env, "standard"))
    address, answer = _answer(address, key, key_env or "CITEWELL_MODELS__API_KEY", server)
    small: Preset = "small" if server else "standard"
    return Chosen("openai_compatible", address, _models_of(answer), key_env, preset or small)


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
    found = list(find_local_servers())
    if len(found) == 1:
        return found[0], found[0].address
    if found:
        raise CommandFailed(f"several servers run: name one of {', '.join(server.name for server in found)}")
    looked = ", ".join(f"{server.name} at {server.address}" for server in LOCAL_SERVERS)
    raise CommandFailed(f"no server of models runs on this machine ({looked}); start one, or name groq or an address")


def _answer(address: str, key: str, key_name: str, server: LocalServer | None) -> tuple[str, ServerAnswer]:
    given = address.rstrip("/").removesuffix("/chat/completions")
    if without_login(given) != given:
        raise CommandFailed("a login in the address would be written into the file; put the key into the environment")
    answer = ServerAnswer("unreachable")
    for tried in (given, f"{given}/v1"):
        answer = ask_server(f"{tried}/models", key, key_name)
        if answer.state == "ok":
            return tried, answer
        if answer.state != "unclear":
            break
    hint = f"; `{server.start}` starts it" if server and answer.state == "unreachable" else ""
    raise CommandFailed(f"{answer.detail}{hint}")


def _models_of(answer: ServerAnswer) -> tuple[str, ...]:
    if answer.state == "key_refused":
        raise CommandFailed(answer.detail)
    if answer.state != "ok":
        raise CommandFailed(answer.detail, FAILED)
    return answer.models


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
    trials = [_asked(_candidate(before, chosen, main, fast, strict=True), each) for each in dict.fromkeys((main, fast))]
    if problem := next((trial for trial in trials if trial.problem), None):
        raise CommandFailed(f"{problem.model}: {problem.problem}; nothing was changed", FAILED)
    return Tried(main, fast, trials, info.strict_schema)


def try_compatible(before: Settings, chosen: Chosen, name: str) -> Tried:
    """Ask for a judgement in its schema, enforced or not; where the model only writes, for an answer as well."""
    judging = Chosen(chosen.provider, chosen.base_url, chosen.models, chosen.key_env, "standard")
    strict = _asked(_candidate(before, judging, name, name, strict=True), name)
    loose = strict if strict.problem is None else _asked(_candidate(before, judging, name, name, strict=False), name)
    trials = [strict if strict.problem is None else loose]
    if chosen.preset == "small":
        written = _asked(_candidate(before, chosen, name, name, strict=False), name)
        trials = [written]
    if trials[0].problem:
        raise CommandFailed(f"{name}: {trials[0].problem}; nothing was changed", FAILED)
    return Tried(name, name, trials, strict.problem is None)


def _asked(candidate: Settings, name: str) -> Trial:
    with err.status(f"asking {name} a short question; a model that is not loaded yet takes a while …"):
        return try_model(candidate, name, timeout_s=_TRY_FOR_S)


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
    }
    return before.model_copy(update={"preset": chosen.preset, "models": before.models.model_copy(update=own)})


def _key_of(before: Settings, chosen: Chosen) -> str:
    return _candidate(before, chosen, "", "", strict=False).provider_key


def without_login(address: str) -> str:
    try:
        return str(httpx.URL(address).copy_with(userinfo=b""))
    except (httpx.InvalidURL, UnicodeError):
        raise CommandFailed(f"{address!r} is not an address") from None
