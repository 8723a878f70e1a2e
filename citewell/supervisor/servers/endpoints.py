"""Passwords and ports of the two servers: chosen once, stored in the home, reused."""

import errno
import secrets
import socket
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, ValidationError

from citewell.supervisor.errors import HomeUnusable, PortBusy
from citewell.supervisor.home import Home, write_private

# Below Linux's range for outgoing connections. Within it, a client that reconnects to the port of a restarting server
# can be given that very port as its own, connect to itself and keep the server out.
_PORTS = range(20_000, 32_000)


class Secrets(BaseModel):
    postgres: str
    valkey: str


class Ports(BaseModel):
    postgres: int
    valkey: int


def database_url(secrets: Secrets, ports: Ports) -> str:
    """For SQLAlchemy with psycopg 3, as the role that owns the database."""
    return f"postgresql+psycopg://citewell:{secrets.postgres}@127.0.0.1:{ports.postgres}/citewell"


def broker_url(secrets: Secrets, ports: Ports) -> str:
    return f"redis://:{secrets.valkey}@127.0.0.1:{ports.valkey}/0"


def running_database(home: Home) -> str | None:
    """The address of the database that was last started on this home; None if there was none."""
    ports = _last_ports(home.run / "ports.json")
    return None if ports is None else database_url(load_secrets(home, data_exists=True), ports)


def running_broker(home: Home) -> str | None:
    """The address of the broker that was last started on this home; None if there was none."""
    ports = _last_ports(home.run / "ports.json")
    return None if ports is None else broker_url(load_secrets(home, data_exists=True), ports)


def load_secrets(home: Home, *, data_exists: bool) -> Secrets:
    """The passwords of this home, created on its first start. Raises HomeUnusable for data without its password."""
    path = home.root / "secrets.json"
    try:
        return Secrets.model_validate_json(path.read_text())
    except FileNotFoundError:
        if data_exists:
            raise HomeUnusable(
                f"{path} with the database's password is missing; restore it, or remove {home.root} to start anew"
            ) from None
    except ValidationError:
        raise HomeUnusable(f"{path} is damaged; restore it, or remove {home.root} to start anew") from None
    made = Secrets(postgres=secrets.token_urlsafe(24), valkey=secrets.token_urlsafe(24))
    write_private(path, made.model_dump_json())
    return made


def choose_ports(home: Home) -> Ports:
    """The ports of the last start where they are free, so that a client configured by hand keeps working."""
    path = home.run / "ports.json"
    last = _last_ports(path)
    postgres = free_port(last.postgres if last else None)
    ports = Ports(postgres=postgres, valkey=free_port(last.valkey if last else None, other_than=postgres))
    write_private(path, ports.model_dump_json())
    return ports


def free_port(wanted: int | None = None, *, other_than: int | None = None) -> int:
    """A free port at 127.0.0.1: the wanted one if possible."""
    first = secrets.randbelow(len(_PORTS))
    candidates = chain(() if wanted is None else (wanted,), _PORTS[first:], _PORTS[:first])
    return next(p for p in candidates if p != other_than and _refusal("127.0.0.1", p) is None)


def claim_port(host: str, port: int) -> int:
    """The port for the API, any free one for 0. Raises PortBusy with what to do."""
    refusal = _refusal(host, port)
    if refusal is None:
        return port or free_port()
    if refusal.errno == errno.EADDRINUSE:
        raise PortBusy(f"port {port} on {host} is in use; stop the other program or choose another port with --port")
    if refusal.errno == errno.EACCES:
        raise PortBusy(f"port {port} needs an administrator; choose one from 1024 on with --port")
    raise PortBusy(f"cannot listen on {host} ({refusal.strerror}); set CITEWELL_API_HOST to an address of this machine")


def _last_ports(path: Path) -> Ports | None:
    try:
        return Ports.model_validate_json(path.read_text())
    except (FileNotFoundError, ValidationError):
        return None


def _refusal(host: str, port: int) -> OSError | None:
    """Why a server could not listen there, found by trying."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do: ignore TIME_WAIT
            trial.bind(address)
    except OSError as error:
        return error
    return None
