"""Passwords and ports of the two servers: chosen once, stored in the home, reused."""

import errno
import secrets
import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, ValidationError

from citewell.supervisor.errors import HomeUnusable, PortBusy
from citewell.supervisor.home import Home, write_private

# Below Linux's range for outgoing connections. Within that range, a client that reconnects to the port of a restarting
# server can be given that very port as its own, connect to itself and keep the server out.
_PORTS = range(20_000, 32_000)


class Secrets(BaseModel):
    postgres: str
    valkey: str


class Ports(BaseModel):
    postgres: int
    valkey: int


def database_url(secrets: Secrets, ports: Ports) -> str:
    """Return the URL for SQLAlchemy with psycopg 3, as the role that owns the database."""
    return f"postgresql+psycopg://citewell:{secrets.postgres}@127.0.0.1:{ports.postgres}/citewell"


def broker_url(secrets: Secrets, ports: Ports) -> str:
    return f"redis://:{secrets.valkey}@127.0.0.1:{ports.valkey}/0"


def running_database(home: Home) -> str | None:
    ports = _last_ports(home.run / "ports.json")
    return None if ports is None else database_url(load_secrets(home, data_exists=True), ports)


def running_broker(home: Home) -> str | None:
    ports = _last_ports(home.run / "ports.json")
    return None if ports is None else broker_url(load_secrets(home, data_exists=True), ports)


def load_secrets(home: Home, *, data_exists: bool) -> Secrets:
    """Return the passwords of this home, created on its first start. Raises HomeUnusable for data without its
    password."""
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
    """Return the ports of the last start where they are free, so that a client configured by hand continues to work."""
    path = home.run / "ports.json"
    last = _last_ports(path)
    postgres = free_port(last.postgres if last else None)
    ports = Ports(postgres=postgres, valkey=free_port(last.valkey if last else None, other_than=postgres))
    write_private(path, ports.model_dump_json())
    return ports


def free_port(wanted: int | None = None, *, other_than: int | None = None) -> int:
    if wanted is not None and wanted != other_than and _is_free(wanted, patient=True):
        return wanted
    first = secrets.randbelow(len(_PORTS))
    return next(p for p in chain(_PORTS[first:], _PORTS[:first]) if p != other_than and _is_free(p, patient=False))


@contextmanager
def reserved_port(host: str, port: int) -> Generator[int]:
    """Yield the port for the API, any free one for 0; until the end of the block `free_port` gives it to no server
    here.

    Raises PortBusy with what to do.
    """
    with ExitStack() as stack:
        try:
            bound = stack.enter_context(_bound(host, port or free_port(), patient=True))
        except OSError as error:
            raise _busy(host, port, error) from None
        yield bound.getsockname()[1]


def _busy(host: str, port: int, error: OSError) -> PortBusy:
    if error.errno == errno.EADDRINUSE:
        return PortBusy(f"port {port} on {host} is in use; stop the other program or choose another port with --port")
    if error.errno == errno.EACCES:
        return PortBusy(f"port {port} needs an administrator; choose one from 1024 on with --port")
    return PortBusy(f"cannot listen on {host} ({error.strerror}); set CITEWELL_API_HOST to an address of this machine")


def _last_ports(path: Path) -> Ports | None:
    try:
        return Ports.model_validate_json(path.read_text())
    except (FileNotFoundError, ValidationError):
        return None


def _is_free(port: int, *, patient: bool) -> bool:
    try:
        with _bound("127.0.0.1", port, patient=patient):
            return True
    except OSError:
        return False


@contextmanager
def _bound(host: str, port: int, *, patient: bool) -> Generator[socket.socket]:
    """Yield a socket that has the port and does not listen. `patient` also takes ports of connections that just ended,
    as servers do, and ports that another such socket reserves."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(patient))
        held.bind(address)
        yield held
