"""Servers of language models: the one in use, those that run, and the choice of another without a restart."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from api.http.accepted_requests import require_json
from api.http.security import keys_mode
from api.schemas.operations.model_servers import (
    CurrentModels,
    FoundServerList,
    ModelChoose,
    ModelTrial,
    ModelTrialCreate,
    ServedModels,
    ServerGiven,
)
from config.settings import settings
from services.operations import model_servers
from services.operations.model_servers import Place

router = APIRouter(prefix="/v1/model-servers", tags=["models"])

_JSON = [Depends(require_json)]


@router.get("", name="list_model_servers", response_model=FoundServerList)
def list_servers() -> object:
    """Look for Ollama, llama.cpp and LM Studio at their usual addresses on this machine, and for servers at the
    addresses of `models.servers`. It takes three seconds at most."""
    return {"servers": model_servers.find_servers(is_home=_is_home())}


@router.get("/current", name="get_current_models", response_model=CurrentModels)
def get_current() -> object:
    """The models that answer and judge now, and how they were chosen."""
    return model_servers.read_current(is_home=_is_home())


@router.post("/models", name="list_served_models", response_model=ServedModels, dependencies=_JSON)
def list_models(given: ServerGiven) -> object:
    """Ask a server for its models. If it refuses the key, the response is 422 in the server's words."""
    return model_servers.list_models(_place(given))


@router.post("/trials", name="try_models", status_code=202, response_model=ModelTrial, dependencies=_JSON)
def try_models(new: ModelTrialCreate, response: Response) -> object:
    """Begin to try everything that a question needs from a model, with known right answers; `Location` shows the
    progress. Nothing changes yet. A slow model takes minutes; after ten minutes the trial has failed."""
    begun = model_servers.begin_trial(_place(new), new.model, new.preset)
    response.headers["Location"] = f"{router.prefix}/trials/{begun['id']}"
    return begun


@router.get("/trials/{trial_id}", name="get_model_trial", response_model=ModelTrial)
def get_trial(trial_id: Annotated[int, Path(ge=1, lt=2**63, description="The `id` of the trial.")]) -> object:
    """A trial, ended or not."""
    return model_servers.read_trial(trial_id, is_home=_is_home())


@router.put("/current", name="choose_models", response_model=CurrentModels, dependencies=_JSON)
def choose(chosen: ModelChoose) -> object:
    """Use a tried model for answers: every process does so within two seconds. Questions in progress keep the models
    that they began with."""
    return model_servers.use_trial(chosen.trial_id, is_home=_is_home())


@router.delete("/current", name="drop_models", status_code=204)
def drop() -> None:
    """Answer without a language model again."""
    model_servers.use_no_model(is_home=_is_home())


def _place(given: ServerGiven) -> Place:
    return Place(given.provider, given.address, given.key, _is_home())


def _is_home() -> bool:
    # An API that requires no keys serves only this machine (api.http.security).
    return keys_mode(settings()) != "required"
