"""What `citewell up` says of the language model before anything starts."""

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import SecretStr

from citewell.cli.errors import CommandFailed
from citewell.cli.installation.up import NO_MODEL, problem_of_provider
from config.models import ModelSettings
from config.settings import ConfigurationInvalid, Settings
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    for name in ("GROQ_API_KEY", "GROQ_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def groq(url: str, key: str, **models: object) -> Settings:
    return Settings(
        groq_api_key=SecretStr(key),
        groq_base_url=url,
        models=ModelSettings.model_validate({"provider": "groq"} | models),
    )


def compatible(url: str, **models: object) -> Settings:
    return Settings(models=ModelSettings.model_validate({"provider": "openai_compatible", "base_url": url} | models))


def test_without_a_model_it_says_how_to_have_one() -> None:
    said = problem_of_provider(Settings(models=ModelSettings(provider="offline")))
    assert said == NO_MODEL
    assert "citewell models use" in NO_MODEL


def test_a_right_key_is_not_worth_a_word() -> None:
    with GroqSimulator() as simulator:
        assert problem_of_provider(groq(simulator.base_url, KEY)) is None
        assert problem_of_provider(groq(f"{simulator.base_url}/openai/v1/", KEY)) is None


@pytest.mark.parametrize("name", ["GROQ_API_KEY", "MY_KEY"])
def test_a_wrong_key_is_an_error_that_names_its_variable(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with GroqSimulator() as simulator:
        settings = groq(simulator.base_url, "gsk_wrong")
        if name == "MY_KEY":
            monkeypatch.setenv(name, "gsk_wrong")
            settings = Settings(
                groq_base_url=simulator.base_url, models=ModelSettings(provider="groq", api_key_env=name)
            )
        with pytest.raises(CommandFailed) as refused:
            problem_of_provider(settings)
    assert str(refused.value).startswith(f"{name} is refused: HTTP 401 ")
    assert "gsk_wrong" not in str(refused.value)
    assert refused.value.exit_code == 2


def test_a_key_that_is_missing_is_an_error() -> None:
    with pytest.raises(ConfigurationInvalid, match="GROQ_API_KEY is not set"):
        problem_of_provider(Settings(models=ModelSettings(provider="groq")))
    with GroqSimulator() as simulator, pytest.raises(CommandFailed, match="wants a key; set CITEWELL_MODELS__API_KEY"):
        problem_of_provider(compatible(f"{simulator.base_url}/openai/v1"))


def test_a_key_from_another_variable_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with GroqSimulator() as simulator:
        settings = compatible(
            f"{simulator.base_url}/openai/v1",
            api_key_env="MY_KEY",
            main="openai/gpt-oss-120b",
            fast="openai/gpt-oss-20b",
        )
        assert problem_of_provider(settings) is None


def test_a_model_that_the_server_does_not_have_is_told() -> None:
    with GroqSimulator(accounts={"": Account("org")}) as simulator:
        said = problem_of_provider(
            compatible(f"{simulator.base_url}/openai/v1", main="qwen3:8b", fast="openai/gpt-oss-20b")
        )
    assert said is not None
    assert "does not have qwen3:8b; it has openai/gpt-oss-120b" in said


class _Forbidding(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(403)
        self.end_headers()
        self.wfile.write(b'{"error": {"message": "not for sk-mine"}}')

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: standard error is the command's."""


def test_a_list_that_is_forbidden_is_told_and_does_not_prevent_the_start() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Forbidding) as server:
        threading.Thread(target=server.serve_forever).start()
        said = problem_of_provider(
            compatible(f"http://127.0.0.1:{server.server_address[1]}/v1", api_key=SecretStr("sk-mine"))
        )
        server.shutdown()
    assert said is not None
    assert "CITEWELL_MODELS__API_KEY is refused: HTTP 403 not for ***" in said


def test_a_server_that_is_away_does_not_prevent_the_start() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        said = problem_of_provider(compatible(f"http://reader:secret@127.0.0.1:{port}/v1"))
    assert said is not None
    assert f"cannot reach http://127.0.0.1:{port}/v1/models" in said
    assert "secret" not in said


def test_a_server_without_a_list_is_no_problem() -> None:
    with GroqSimulator() as simulator:
        assert problem_of_provider(compatible(f"{simulator.base_url}/elsewhere")) is None
