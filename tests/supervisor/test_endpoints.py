import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from citewell.supervisor.errors import HomeUnusable, PortBusy
from citewell.supervisor.home import Home
from citewell.supervisor.servers import endpoints
from citewell.supervisor.servers.endpoints import choose_ports, free_port, load_secrets, reserved_port


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "run").mkdir()
    return Home(tmp_path, None)


@pytest.fixture
def busy_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", free_port())) as listener:
        yield listener.getsockname()[1]


def test_ports_are_kept_while_they_are_free_and_replaced_when_they_are_not(home: Home) -> None:
    first = choose_ports(home)
    assert choose_ports(home) == first
    with socket.create_server(("127.0.0.1", first.postgres)):
        second = choose_ports(home)
    assert second.postgres != first.postgres
    assert second.valkey == first.valkey


def test_a_damaged_port_file_is_written_anew(home: Home) -> None:
    (home.run / "ports.json").write_text("{")
    assert choose_ports(home) == choose_ports(home)


def test_free_ports_lie_below_those_of_outgoing_connections() -> None:
    assert all(20_000 <= free_port() < 32_000 for _ in range(20))


def test_a_busy_port_is_an_error_that_names_it_and_the_option(busy_port: int) -> None:
    with (
        pytest.raises(PortBusy, match=rf"port {busy_port} .* --port"),
        reserved_port("127.0.0.1", busy_port),
    ):
        pass


def test_port_zero_is_any_free_port(busy_port: int) -> None:
    with reserved_port("127.0.0.1", 0) as port:
        assert port not in (0, busy_port)


def test_a_reserved_port_is_given_to_no_server_until_it_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    with reserved_port("127.0.0.1", 0) as port:
        monkeypatch.setattr(endpoints, "_PORTS", range(port, port + 3))
        assert port not in {free_port() for _ in range(20)}
    monkeypatch.setattr(endpoints, "_PORTS", range(port, port + 1))
    assert free_port() == port


def test_an_address_of_another_machine_is_an_error_that_names_the_setting() -> None:
    with pytest.raises(PortBusy, match="CITEWELL_API_HOST"), reserved_port("192.0.2.1", 8000):
        pass


def test_passwords_are_made_once_and_kept(home: Home) -> None:
    made = load_secrets(home, data_exists=False)
    assert load_secrets(home, data_exists=True) == made
    assert len({made.postgres, made.valkey}) == 2


@pytest.mark.parametrize("content", [None, "", "{}"])
def test_lost_or_damaged_passwords_of_existing_data_are_an_error(home: Home, content: str | None) -> None:
    if content is not None:
        (home.root / "secrets.json").write_text(content)
    with pytest.raises(HomeUnusable, match=r"secrets\.json"):
        load_secrets(home, data_exists=True)
