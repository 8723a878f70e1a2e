"""Resolves the argument of `citewell models use`: a server of this machine, Groq, or an address."""

from citewell.cli.console import err, plain
from citewell.cli.errors import FAILED, USAGE, CommandFailed
from clients.llm.servers import LOCAL_SERVERS, LocalServer, ServerAnswer, ask_provider, find_local_servers
from config.models import ModelSettings
from config.settings import settings
from services.operations.model_candidates import LISTED, Chosen, Preset, candidate, look_at, preset_at

_WITHOUT_LIST = ("unclear", "forbidden")


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
