"""The work of `citewell models use` and `list`: writes a tried choice into config.yaml, and shows it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from citewell.cli.connection import provider_chosen_on_page
from citewell.cli.console import emit, err, out, plain, say
from citewell.cli.errors import FAILED, USAGE, CommandFailed
from citewell.cli.models.config_editing import REMOVED, Changes, difference, edited, write
from clients.llm.servers import LOCAL_SERVERS, LocalServer, ServerAnswer, ask_provider, find_local_servers
from clients.llm.trial import Trial
from config.file import CONFIG_VARIABLE, DEFAULT_FILE, config_file
from config.models import ModelSettings
from config.settings import Settings, settings
from services.operations.model_candidates import (
    LISTED,
    Chosen,
    Preset,
    TrialFailed,
    Tried,
    candidate,
    look_at,
    preset_at,
    settings_for,
    try_compatible,
    try_groq,
    without_login,
)

_WITHOUT_LIST = ("unclear", "forbidden")

_OWN = ("provider", "base_url", "main", "fast", "fallbacks", "catalogue", "api_key_env")
"""The settings of `models` that a choice replaces: all but the key, which belongs in the environment."""


def use(target: str | None, model: str | None, key_env: str | None, preset: Preset | None, as_json: bool) -> None:
    """Choose a server and its models, try them and write them into the file. Raises CommandFailed, before anything is
    written, when there is no such server or the model does not work."""
    before = settings()  # invalid settings are reported first
    path = config_file() or Path(DEFAULT_FILE)
    if path.exists() and not path.is_file():
        raise CommandFailed(f"{path} is not a file that could be written; unset {CONFIG_VARIABLE} or name another")
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    chosen = find_groq(key_env, preset) if target == "groq" else find_compatible(target, key_env, preset, model)
    try:
        with err.status("trying …") as status:

            def tell(text: str) -> None:
                status.update(plain(f"{text} …"))

            if target == "groq":
                tried = try_groq(before, chosen, model, tell)
            else:
                tried = try_compatible(before, chosen, picked_model(chosen, model), tell)
    except TrialFailed as failed:
        if as_json:
            emit({"file": str(path.absolute()), "written": {}, "trials": _rows(failed.trials)})
        else:
            out.print(_table(failed.trials))
        raise CommandFailed(failed.message, FAILED) from None
    after = edited(text, _changes(chosen, tried, named=model is not None))
    try:
        backup = write(path, after) if after != text else None
    except OSError as error:
        raise CommandFailed(f"{path.absolute()} cannot be written ({error.strerror}: {error.filename})") from None
    if as_json:
        emit(_as_json(path, backup, chosen, tried))
    else:
        _show(path, backup, difference(text, after), tried)
    # The environment takes precedence over the file, so settings that it has are without effect in the file.
    for name in ("CITEWELL_PRESET", "CITEWELL_MODELS", *(f"CITEWELL_MODELS__{name.upper()}" for name in _OWN)):
        if name in os.environ:
            say(f"citewell: {name} in the environment overrides the file; unset it")


def show(as_json: bool) -> None:
    configured = settings()
    servers = {server: answer for server, answer in find_local_servers().items() if answer.state == "ok"}
    rows = dict(_configured(configured))
    if as_json:
        emit(rows | {"on_this_machine": {server.name: list(answer.models) for server, answer in servers.items()}})
        return
    for name, value in rows.items():
        out.print(plain(f"{name:<12}{value if value is not None else '-'}"), soft_wrap=True)
    for server, answer in servers.items():
        out.print(
            plain(f"{server.name} runs at {server.address}: {', '.join(answer.models) or 'no models'}"), soft_wrap=True
        )


def _configured(configured: Settings) -> Iterator[tuple[str, str | None]]:
    file, models = config_file(), configured.models
    yield "file", str(file.absolute()) if file else None
    yield "provider", configured.provider
    if chosen := provider_chosen_on_page():
        yield "page", f"{chosen}, chosen there (#/models)"
    if configured.provider != "offline":
        yield "address", without_login(configured.provider_url)
        yield "key", f"{configured.provider_key_name} is {'set' if configured.provider_key else 'not set'}"
        yield "main", models.main
        yield "fast", models.fast
    yield "judgements", "offline" if configured.judges_offline else "provider"
    yield "preset", configured.preset
    yield "embeddings", configured.embeddings.model or configured.embeddings.provider
    yield "reranker", configured.rerank.model or configured.rerank.provider
    yield "judge", models.judge


def _changes(chosen: Chosen, tried: Tried, *, named: bool) -> Changes:
    before = {("preset",): REMOVED, **{("models", name): REMOVED for name in _OWN}}
    return {**before, **settings_for(chosen, tried, named=named)}


def _as_json(path: Path, backup: Path | None, chosen: Chosen, tried: Tried) -> dict[str, Any]:
    seconds: dict[str, list[float]] = {}
    for trial in tried.trials:
        seconds.setdefault(trial.model, []).append(trial.seconds)
    return {
        "file": str(path.absolute()),
        "backup": str(backup) if backup else None,
        "provider": chosen.provider,
        "main": tried.main,
        "fast": tried.fast,
        "preset": chosen.preset,
        "strict_schema": tried.strict,
        "seconds": {name: round(max(measured), 2) for name, measured in seconds.items()},
        "trials": _rows(tried.trials),
        "limits": {".".join(place): value for place, value in tried.limits.items()},
    }


def _rows(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    return [
        {"model": trial.model, "tried": trial.tried, "found": trial.found, "seconds": round(trial.seconds, 2)}
        for trial in trials
    ]


def _table(trials: Sequence[Trial]) -> Table:
    table = Table("model", "tried", "found", "seconds", box=None)
    for trial in trials:
        table.add_row(plain(trial.model), trial.tried, plain(trial.found), f"{trial.seconds:.1f}")
    return table


def _show(path: Path, backup: Path | None, lines: Sequence[str], tried: Tried) -> None:
    out.print(_table(tried.trials))
    if not lines:
        out.print(plain(f"{path.absolute()} says so already"), soft_wrap=True)
        return
    out.print(plain(f"{path.absolute()}:"), soft_wrap=True)
    for line in lines:
        out.print(plain(f"  {line}"), soft_wrap=True)
    undo = f"mv {backup} {path.absolute()}" if backup else f"rm {path.absolute()}"
    out.print(plain(f"To undo it: {undo}"), soft_wrap=True)
    named = "" if os.environ.get(CONFIG_VARIABLE) else " in this folder"
    out.print(f"Start `citewell up` again{named} to use it.")


def find_groq(key_env: str | None, preset: Preset | None) -> Chosen:
    chosen = Chosen("groq", None, (), key_env, preset or "standard")
    asked = ask_provider(candidate(settings(), chosen, ModelSettings().main, ModelSettings().fast, strict=True))
    name = key_env or "GROQ_API_KEY"
    if asked is None or not _key_of(chosen):
        raise CommandFailed(
            f"set {name} first, in the environment of `citewell up`: it stays out of the file. For example: "
            f"export {name}=…"
        )
    if asked.state != "ok":
        raise CommandFailed(asked.detail, USAGE if asked.state == "key_refused" else FAILED)
    return Chosen("groq", None, asked.models, key_env, chosen.preset)


def find_compatible(target: str | None, key_env: str | None, preset: Preset | None, model: str | None = None) -> Chosen:
    """Return the server that `target` names, with its models; `model` need not be listed if the server lists none."""
    server, address = _local(target) if target is None or _is_local(target) else (None, target)
    key = _key_of(Chosen("openai_compatible", address, (), key_env, "standard"))
    address, answer = look_at(address, key, key_env or "CITEWELL_MODELS__API_KEY")
    if answer.state in _WITHOUT_LIST and model:
        err.print(plain(f"citewell: {answer.detail}; {model} is tried without a list of models"), soft_wrap=True)
    elif answer.state != "ok":
        hint = f"; `{server.start}` starts it" if server and answer.state == "unreachable" else ""
        named = "; name a model with --model to try it without a list" if answer.state in _WITHOUT_LIST else ""
        raise CommandFailed(f"{answer.detail}{hint}{named}")
    usual = preset_at(address, on_this_machine=server is not None)
    return Chosen("openai_compatible", address, answer.models, key_env, preset or usual)


def picked_model(chosen: Chosen, model: str | None) -> str:
    if model is None and len(chosen.models) == 1:
        return chosen.models[0]
    listed = ", ".join(chosen.models[:LISTED]) or "no models"
    if model is None:
        raise CommandFailed(f"name a model with --model; {chosen.base_url} has {listed}")
    if chosen.models and not ServerAnswer("ok", chosen.models).serves(model):
        raise CommandFailed(f"{chosen.base_url} does not have {model}; it has {listed}")
    return model


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
    servers = [server for server, answer in find_local_servers(LOCAL_SERVERS).items() if answer.state == "ok"]
    if len(servers) == 1:
        return servers[0], servers[0].address
    if servers:
        raise CommandFailed(f"several servers run: name one of {', '.join(server.name for server in servers)}")
    looked = ", ".join(f"{server.name} at {server.address}" for server in LOCAL_SERVERS)
    raise CommandFailed(f"no server of models runs on this machine ({looked}); start one, or name groq or an address")


def _key_of(chosen: Chosen) -> str:
    return candidate(settings(), chosen, "", "", strict=False).provider_key
