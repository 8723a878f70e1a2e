"""The checks of `citewell doctor` on this machine: versions, settings, home, servers, port, the running instance."""

import os
import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import httpx

from citewell.cli.database import database
from citewell.supervisor.apps import reachable_url
from citewell.supervisor.errors import PortBusy, ServersMissing, SupervisorError
from citewell.supervisor.home import MIN_FREE_BYTES, closed_folder, home_at
from citewell.supervisor.servers.binaries import installed_servers
from citewell.supervisor.servers.endpoints import reserved_port
from citewell.supervisor.state import running_server
from citewell_client import key_of_environment
from citewell_verify.errors import CitewellError
from clients.embeddings.factory import configured_embedder
from config.file import config_file
from config.names import PREFIX
from config.settings import ConfigurationInvalid, Settings
from domain.errors.service import OriginalUnavailable
from services.core.model_choice import unserved_spaces
from services.documents.files import check_place
from services.operations.administration import read_processes
from services.operations.readiness import check_readiness

_COMFORTABLE_BYTES = 2_000_000_000
_TIMEOUT_S = 10.0
_GB = 1_000_000_000


State = Literal["ok", "warn", "error"]


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; `advice` says what to do, unless the state is `ok`."""

    name: str
    state: State
    found: str
    advice: str = ""


def versions() -> Iterator[Check]:
    yield Check(
        "version",
        "ok",
        f"Citewell {version('citewell')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    )


def sources_of_settings(settings: Settings) -> Iterator[Check]:
    """Yield a check that names the file and the variables that settings come from, without values, which may be
    secrets."""
    file = config_file()
    variables = sorted(name for name in os.environ if name.upper().startswith((PREFIX, "GROQ_")))
    read = f"{file.absolute()}" if file else "no config.yaml here"
    given = f"; from the environment: {', '.join(variables)}" if variables else ""
    if settings.unknown_settings == "ignore":
        advice = "unset CITEWELL_UNKNOWN_SETTINGS when the roll-back is over"
        yield Check("settings", "warn", f"{read}{given}; unknown names are ignored", advice)
    else:
        yield Check("settings", "ok", f"{read}{given}")


def origins(settings: Settings) -> Iterator[Check]:
    """Yield a check of the origins whose pages may use the API; none when only this server's own page may."""
    named = settings.access.origins
    if "*" in named:
        advice = "name the pages in `access.origins`, unless everybody's may use it with a key"
        yield Check("origins", "warn", "pages of all origins may use the API with a key", advice)
    elif named:
        yield Check("origins", "ok", f"pages of {', '.join(named)} may use the API with a key")


def originals(settings: Settings) -> Iterator[Check]:
    """Yield a check of the place of large files, if that is outside of the database."""
    if settings.originals.store == "database":
        return
    kept = f"files of more than {settings.originals.above_bytes:,} bytes: {settings.originals.store}"
    try:
        check_place()
    except OriginalUnavailable as error:
        yield Check("originals", "error", kept, error.message)
    else:
        yield Check("originals", "ok", kept)


def home(settings: Settings) -> Iterator[Check]:
    try:
        place = home_at(settings.home)
    except SupervisorError as error:
        yield Check("home", "error", str(error), "run Citewell as an ordinary user")
        return
    existing = next(parent for parent in (place.root, *place.root.parents) if parent.exists())
    elsewhere = "set CITEWELL_HOME to a folder that you can write to"
    if not os.access(existing, os.W_OK):
        yield Check("home", "error", f"{existing} cannot be written to", elsewhere)
    elif place.account and (closed := closed_folder(existing, place.account)):
        problem = f"as root the database runs as the user nobody, who cannot enter {closed}"
        yield Check("home", "error", problem, "set CITEWELL_HOME to a folder that everybody can enter")
    else:
        made = "" if existing == place.root else ", made by the first start"
        yield Check("home", "ok", f"{place.root}{made}")
    yield _disk(existing)


def servers() -> Iterator[Check]:
    try:
        yield Check("servers", "ok", installed_servers())
    except ServersMissing as error:
        yield Check("servers", "error", str(error), "or set CITEWELL_DATABASE_URL and CITEWELL_REDIS_URL to your own")


def distributed(settings: Settings) -> Iterator[Check]:
    readiness = check_readiness(settings)
    said = f"postgres {readiness.postgres}, schema {readiness.schema}, role {readiness.role}"
    yield Check("database", "ok", said) if readiness.ready else Check("database", "error", said, readiness.advice)
    if readiness.broker == "ok":
        yield Check("broker", "ok", "it answers")
    else:
        yield Check("broker", "error", "no answer", "start it, or correct CITEWELL_REDIS_URL")


def port(settings: Settings) -> Iterator[Check]:
    if not settings.api_port:
        yield Check("port", "ok", "any free one")
        return
    try:
        with reserved_port(settings.api_host, settings.api_port):
            yield Check("port", "ok", f"{settings.api_port} on {settings.api_host} is free")
    except PortBusy as error:
        yield Check("port", "error", str(error), "`citewell up --port 0` takes a free one")


def instance(settings: Settings) -> Iterator[Check]:
    if url := os.environ.get("CITEWELL_URL", "").strip():
        yield from _answers(url, settings)
    elif _is_distributed(settings):
        # Each service has a container of its own, and the API is in one of them.
        yield from _answers(reachable_url(settings.api_host, settings.api_port), settings, absent="warn")
        yield from _workers()
        yield from vectors()
    elif running := running_server(settings.home):
        yield from _answers(running.url, settings)
        yield from _workers()
        yield from vectors()
    else:
        yield Check("instance", "ok", "none runs on this home; `citewell up` starts one")
        yield from port(settings)


def _is_distributed(settings: Settings) -> bool:
    return "database_url" in settings.model_fields_set


def _disk(existing: Path) -> Check:
    free = shutil.disk_usage(existing).free
    room = f"{free / _GB:.1f} GB free"
    if free < MIN_FREE_BYTES:
        return Check("disk", "error", room, "make room, or set CITEWELL_HOME to a folder on another disk")
    if free < _COMFORTABLE_BYTES:
        return Check("disk", "warn", room, "documents and their history need more soon")
    return Check("disk", "ok", room)


def _answers(url: str, settings: Settings, absent: State = "error") -> Iterator[Check]:
    key = key_of_environment()
    try:
        with httpx.Client(base_url=url, timeout=_TIMEOUT_S) as http:
            ready, health = http.get("/readyz"), http.get("/healthz").json()
            asked = http.get("/v1/documents", params={"limit": 1}, headers={"X-API-Key": key} if key else {})
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        yield Check("instance", absent, f"{url} does not answer ({error})", "start it, or correct CITEWELL_URL")
        return
    yield _state(url, ready, health, settings)
    if asked.status_code == httpx.codes.UNAUTHORIZED:  # pyright: ignore[reportUnnecessaryComparison]
        problem = "CITEWELL_API_KEY is refused" if key else "the server wants a key, and CITEWELL_API_KEY is not set"
        advice = "`citewell keys create --name me --scope admin` makes one"
        yield Check("API key", "error" if key else "warn", problem, advice)
    elif key:
        yield Check("API key", "ok", "CITEWELL_API_KEY is accepted")


def _state(url: str, ready: httpx.Response, health: dict[str, str], settings: Settings) -> Check:
    if not ready.is_success:
        return Check("instance", "error", f"{url} is not ready", str(ready.json().get("detail", "look at its logs")))
    server_version, provider = health.get("version"), health.get("provider")
    state = f"{url} is ready, version {server_version}, provider {provider}"
    if server_version != version("citewell"):
        return Check("instance", "warn", state, f"this command is {version('citewell')}: restart the older one")
    if provider != settings.provider:
        return Check("instance", "warn", state, f"the settings here say {settings.provider}: restart it to use them")
    return Check("instance", "ok", state)


def _workers() -> Iterator[Check]:
    try:
        with database():
            alive = [process for process in read_processes() if process["alive"]]
    except CitewellError as error:
        yield Check("workers", "error", error.message, "look at the logs of the database")
        return
    if alive:
        yield Check("workers", "ok", f"{len(alive)} processes are alive")
    else:
        yield Check("workers", "error", "no process is alive", "look at their logs, and start them again")


def vectors() -> Iterator[Check]:
    """Yield a check for each embedding model of a workspace that is not available any more."""
    try:
        with database():
            embedder = configured_embedder()
            unserved = unserved_spaces(embedder)
    except (CitewellError, ConfigurationInvalid) as error:
        yield Check("vectors", "error", str(error), "correct it, then look again")
        return
    for space, count in unserved:
        problem = (
            f"no available model makes those of {space.model} ({space.dimension}); workspaces that hold them: {count}"
        )
        advice = f"`citewell reembed --all` makes those of {embedder.name} instead; until then they answer nothing"
        yield Check("vectors", "error", problem, advice)


Examination = Callable[[], Iterator[Check]]


def of_this_machine(settings: Settings) -> list[Examination]:
    its_own = [lambda: home(settings), servers]
    return [
        lambda: sources_of_settings(settings),
        lambda: origins(settings),
        lambda: originals(settings),
        *([lambda: distributed(settings)] if _is_distributed(settings) else its_own),
        lambda: instance(settings),
    ]
