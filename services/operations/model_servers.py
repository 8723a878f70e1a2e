"""The dashboard's choice of models: the models in use, the servers that run, a trial, and the switch, which needs no
restart.

A choice belongs to the installation. Its key is stored encrypted, only system transactions see it, and no result of
these functions contains it.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal

import httpx
import structlog
from pydantic import SecretStr

from citewell_verify.errors import CitewellError
from clients.llm.server_addresses import check_server_address, is_loopback, judge_of_dialled
from clients.llm.servers import LOCAL_SERVERS, LocalServer, ServerAnswer, ask_server, find_local_servers, models_address
from clients.llm.trial import Trial
from clients.stored_secrets import encrypted
from config import ConfigurationInvalid
from config.models import ModelSettings
from config.settings import Settings, settings
from db.models import DEFAULT_TENANT, ModelChoice
from db.queries.access import model_choices as rows
from db.session import current_tenant, system_transaction
from domain.errors.access import ModelChoiceForbidden
from domain.errors.missing import ModelTrialNotFound
from domain.errors.requests import ModelServerUnusable
from domain.errors.service import Overloaded
from services.core.model_choice import can_count, chosen_settings, forget
from services.operations.model_candidates import (
    Chosen,
    Preset,
    TrialFailed,
    candidate,
    look_at,
    preset_at,
    settings_for,
    try_compatible,
    try_groq,
    without_login,
)

log = structlog.get_logger()

_RETRY_AFTER_S = 10
_TRY_FOR_S = 600.0
"""The longest time for a whole trial: meanwhile nobody else can try a model with this process."""
_LOST_AFTER_S = 60.0
"""A trial that has not ended this long after its time has no process any more."""
_WITHOUT_LIST = ("unclear", "forbidden")
_one_at_a_time = threading.BoundedSemaphore()

Provider = Literal["groq", "openai_compatible"]


@dataclass(frozen=True, slots=True)
class Place:
    """A server of models, and the key for it. `is_home`: the caller is a user of the machine that Citewell runs on."""

    provider: Provider
    address: str | None
    key: SecretStr
    is_home: bool


def check_may_choose(*, is_home: bool) -> None:
    """Raise ModelChoiceForbidden, with the reason, where models are not chosen on the dashboard."""
    if reason := _reason_against(is_home=is_home):
        raise ModelChoiceForbidden(reason)


def read_current(*, is_home: bool) -> dict[str, Any]:
    """Return the models in use, whether they may be changed here, and the trial before their choice, as JSON."""
    forget()
    configured, row = settings(), None
    if can_count(configured):
        with system_transaction() as session:
            row = rows.find_current(session)
    current = configured if row is None else chosen_settings(row, with_key=False)
    reason = _reason_against(is_home=is_home)
    # People of other tenants may learn which model answers, but not where the installation's server is.
    is_own = current_tenant() == DEFAULT_TENANT
    return {
        **_models_of(current),
        **({} if is_own else {"address": None}),
        "chosen_by": "page" if row else "configuration" if configured.model_setting else "default",
        "since": row and row.chosen_at,
        "trials": row.trials if row and is_own else [],
        "may_choose": reason is None,
        "reason": reason,
    }


def find_servers(*, is_home: bool) -> list[dict[str, Any]]:
    """Return the servers at the usual addresses of this machine and those of `models.servers`, with their models."""
    check_may_choose(is_home=is_home)
    usual = LOCAL_SERVERS if is_home else ()
    listed = [LocalServer("", address, "") for address in settings().models.servers]
    return [
        {
            "name": server.name or None,
            "address": server.address,
            "state": answer.state,
            "models": list(answer.models),
            "detail": answer.detail or None,
            "start": server.start or None,
        }
        for server, answer in find_local_servers([*usual, *listed]).items()
    ]


def list_models(place: Place) -> dict[str, Any]:
    """Return the names of a server's models, or why it lists none. Raises ModelServerUnusable."""
    chosen, answer = _looked_at(place, None)
    return {"address": chosen.base_url, "models": list(chosen.models), "detail": answer.detail or None}


def begin_trial(place: Place, model: str | None, preset: Preset | None) -> dict[str, Any]:
    """Try a model as `citewell models use` does, in the background, and store the result for `use_trial`. Returns the
    trial.

    Raises ModelChoiceForbidden, ModelServerUnusable, SecretUnstorable, Overloaded.
    """
    chosen, answer = _looked_at(place, preset)
    if answer.state != "ok" and model is None:
        raise ModelServerUnusable(answer.detail)
    if place.provider != "groq":
        _picked(chosen, model)
    key = place.key.get_secret_value().strip()
    stored_key = encrypted(key, settings()) if key else None
    if not _one_at_a_time.acquire(blocking=False):
        raise Overloaded("A model is being tried already; try again when that has ended.", _RETRY_AFTER_S)
    try:
        with system_transaction() as session:
            rows.forget_keys(session)
            row = rows.begin_trial(session)
        aside = threading.Thread(target=_run, args=(row.id, chosen, model, stored_key), name="model-trial", daemon=True)
        aside.start()
    except BaseException:
        _one_at_a_time.release()
        raise
    return _trial_json(row)


def read_trial(trial_id: int, *, is_home: bool) -> dict[str, Any]:
    """Return a trial, ended or not. Raises ModelChoiceForbidden, ModelTrialNotFound."""
    if current_tenant() != DEFAULT_TENANT:
        raise ModelTrialNotFound
    check_may_choose(is_home=is_home)
    with system_transaction() as session:
        row = rows.find_choice(session, trial_id)
        if row is None:
            raise ModelTrialNotFound
        return _trial_json(row)


def _run(trial_id: int, chosen: Chosen, model: str | None, stored_key: str | None) -> None:
    """Run the trial, in a thread of its own. Whatever happens, its end is stored."""
    end = partial(rows.end_trial, trials=(), problem="The trial broke; the log of the API says where.")
    try:
        end = _tried(chosen, model, stored_key)
    except TrialFailed as failed:
        end = partial(rows.end_trial, trials=_table(failed.trials), problem=failed.message)
    except (ConfigurationInvalid, CitewellError) as error:
        end = partial(rows.end_trial, trials=(), problem=str(error))
    except Exception:
        log.exception("model_trial_broke")
    finally:
        try:
            with system_transaction() as session:
                end(session, trial_id)
        finally:
            _one_at_a_time.release()


def _tried(chosen: Chosen, model: str | None, stored_key: str | None) -> "partial[None]":
    """Return a function that stores the successful trial. Raises TrialFailed, ConfigurationInvalid,
    ModelServerUnusable."""
    until = time.monotonic() + _TRY_FOR_S
    if chosen.provider == "groq":
        tried = try_groq(settings(), chosen, model, _silent, until)
    else:
        tried = try_compatible(settings(), chosen, _picked(chosen, model), _silent, until)
    flat = settings_for(chosen, tried, named=model is not None)
    told = [{"name": ".".join(path), "value": value} for path, value in flat.items()]
    trials = _table(tried.trials)
    return partial(rows.end_trial, trials=trials, settings=_nested(flat), api_key=stored_key, told=told)


def use_trial(trial_id: int, *, is_home: bool) -> dict[str, Any]:
    """Use the models of a trial for answers from now on. Raises ModelChoiceForbidden, ModelTrialNotFound."""
    check_may_choose(is_home=is_home)
    with system_transaction() as session:
        row = rows.mark_chosen(session, trial_id)
        rows.forget_keys(session)
        log.info("model_chosen", choice=row.id, models=row.settings["models"])
    return read_current(is_home=is_home)


def use_no_model(*, is_home: bool) -> None:
    """Answer without a language model from now on."""
    check_may_choose(is_home=is_home)
    with system_transaction() as session:
        rows.mark_ended(session)
        log.info("model_dropped")
    forget()


def _reason_against(*, is_home: bool) -> str | None:
    configured = settings()
    if configured.model_setting is not None:
        return (
            f"The configuration names the model ({configured.model_setting}), and goes first; change it there, or take "
            "it out to choose here."
        )
    if configured.models.from_page == "forbidden" or (configured.models.from_page == "auto" and not is_home):
        return (
            "Models are not chosen on the page here; the operator of this server does so with `citewell models use`, "
            "or allows it with CITEWELL_MODELS__FROM_PAGE=allowed."
        )
    if current_tenant() != DEFAULT_TENANT:
        return "Models belong to the whole installation; only a key of the tenant `default` chooses them."
    return None


def _looked_at(place: Place, preset: Preset | None) -> tuple[Chosen, ServerAnswer]:
    """Return the server with its models; some servers list none. Raises ModelChoiceForbidden, ModelServerUnusable."""
    check_may_choose(is_home=place.is_home)
    key = place.key.get_secret_value().strip()
    if not key.isascii() or (key and not key.isprintable()):
        raise ModelServerUnusable("The key has characters that no key has; copy it again.")
    secret = SecretStr(key)
    if place.provider == "groq":
        return _groq(Chosen("groq", None, (), None, preset or "standard", secret, is_operators=False))
    if not place.address:
        raise ModelServerUnusable("Give the address of the server, such as https://example.com/v1.")
    named = settings().models.servers
    check_server_address(place.address, named, may_be_loopback=place.is_home)
    address, answer = look_at(place.address, key, "", may_dial=judge_of_dialled(place.address, named))
    if answer.state not in ("ok", *_WITHOUT_LIST):
        raise ModelServerUnusable(answer.detail)
    usual = preset or preset_at(address)
    return Chosen("openai_compatible", address, answer.models, None, usual, secret, is_operators=False), answer


def _groq(chosen: Chosen) -> tuple[Chosen, ServerAnswer]:
    known = ModelSettings()
    if chosen.key is None or not chosen.key.get_secret_value():
        raise ModelServerUnusable("Give the key of Groq; it begins with gsk_.")
    address = models_address(candidate(settings(), chosen, known.main, known.fast, strict=True))
    answer = ask_server(address, chosen.key.get_secret_value(), "")
    if answer.state != "ok":
        raise ModelServerUnusable(answer.detail)
    return replace(chosen, models=answer.models), answer


def _picked(chosen: Chosen, model: str | None) -> str:
    if model is not None:
        return model
    if len(chosen.models) != 1:
        raise ModelServerUnusable("Name one of the server's models.")
    return chosen.models[0]


def _nested(flat: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for (*groups, name), value in flat.items():
        within = nested
        for group in groups:
            within = within.setdefault(group, {})
        within[name] = value
    return nested


def _trial_json(row: ModelChoice) -> dict[str, Any]:
    problem, has_passed = row.problem, row.tried_at is not None and row.problem is None
    is_lost = datetime.now(UTC) - row.created_at > timedelta(seconds=_TRY_FOR_S + _LOST_AFTER_S)
    if row.tried_at is None and is_lost:
        problem = "The trial was broken off, because its process ended; try the model again."
    return {
        "id": row.id,
        "status": "passed" if has_passed else "failed" if problem else "running",
        "problem": problem,
        "trials": row.trials,
        "settings": row.told or [],
        "models": _models_of(chosen_settings(row, with_key=False)) if has_passed else None,
    }


def _models_of(current: Settings) -> dict[str, Any]:
    models = current.models
    is_asked = current.provider != "offline"
    known = models.catalogue.get(models.main)
    return {
        "provider": current.provider,
        "address": without_login(current.provider_url) if is_asked else None,
        "main": models.main if is_asked else None,
        "fast": models.fast if is_asked else None,
        "judge": "rules" if current.judges_offline else "model",
        "is_remote": is_asked and not is_loopback(httpx.URL(current.provider_url).host),
        "has_price": not is_asked or (known is not None and known.price_out > 0),
    }


def _table(trials: Sequence[Trial]) -> list[Mapping[str, object]]:
    return [
        {
            "model": trial.model,
            "tried": trial.tried,
            "found": trial.found,
            "passed": trial.problem is None,
            "seconds": round(trial.seconds, 2),
        }
        for trial in trials
    ]


def _silent(_: str) -> None: ...
