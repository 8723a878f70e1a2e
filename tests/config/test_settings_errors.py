"""What is wrong with the configuration is refused before anything runs, with its place and the likely name."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from citewell.cli.main import run
from config.file import config_for_children
from config.names import unknown_variables
from config.settings import ConfigurationInvalid, Settings, settings
from verify_material.rows import for_all_rows

# A command line of every command that does something.
COMMAND_LINES = {
    "up": (),
    "ingest": ("a.txt", "--url", "http://127.0.0.1:1"),
    "ask": ("Why?", "--url", "http://127.0.0.1:1"),
    "verify": ("a.md", "--source", "b.md"),
    "search": ("Why?",),
    "history": ("--url", "http://127.0.0.1:1"),
    "cancel": ("00000000-0000-0000-0000-000000000000",),
    "export": ("00000000-0000-0000-0000-000000000000",),
    "documents": ("list",),
    "webhooks": ("list",),
    "replay": ("00000000-0000-0000-0000-000000000000",),
    "audit": ("show", "00000000-0000-0000-0000-000000000000"),
    "quality": (),
    "evaluate": ("--list",),
    "reembed": ("--all",),
    "models": ("judge", "/nowhere"),
    "parked": (),
    "mcp": ("--http",),
    "keys": ("list",),
    "tenants": ("list",),
    "workers": (),
    "backup": ("a.backup",),
    "demo": (),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A current directory without a config.yaml, and an environment without settings."""
    for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path / "home"))
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


def refused() -> str:
    with pytest.raises(ConfigurationInvalid) as caught:
        settings()
    return str(caught.value)


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("CITEWELL_API__PORT", "CITEWELL_API_PORT"),
        ("CITEWELL_RERANK_TOP_K", "CITEWELL_RERANK__TOP_K"),
        ("CITEWELL_RETREIVAL__K", "CITEWELL_RETRIEVAL__K"),
        ("CITEWELL_MODELS__MIAN", "CITEWELL_MODELS__MAIN"),
        ("CITEWELL_HOEM", "CITEWELL_HOME"),
        ("citewell_presets", "CITEWELL_PRESET"),
    ],
)
def test_a_misspelled_variable_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, meant: str) -> None:
    monkeypatch.setenv(variable, "1")
    assert refused() == f"{variable} is not a setting (did you mean {meant}?)"


def test_a_variable_that_resembles_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_ZZZZZZ", "1")
    assert refused() == "CITEWELL_ZZZZZZ is not a setting (docs/settings.md lists all)"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CITEWELL_CONFIG", "config.yaml"),
        ("CITEWELL_URL", "http://127.0.0.1:8000"),
        ("CITEWELL_API_KEY", "cw_key"),
        ("CITEWELL_PORT", "8000"),  # of docker-compose.yml
        ("CITEWELL_POOLS__MINE__CONCURRENCY", "3"),
        ("CITEWELL_MODELS__FALLBACKS__MINE", "[]"),
        ("CITEWELL_GROQ_API_KEY", "key"),
        # Kubernetes sets these for every Service in the namespace.
        ("CITEWELL_API_SERVICE_HOST", "10.0.0.1"),
        ("CITEWELL_API_SERVICE_PORT_HTTP", "80"),
        ("CITEWELL_WEB_PORT", "tcp://10.0.0.1:80"),
        ("CITEWELL_API_PORT_80_TCP_ADDR", "10.0.0.1"),
    ],
)
def test_variables_with_a_purpose_are_accepted(variable: str, value: str) -> None:
    assert unknown_variables(Settings, {variable: value}) == []


@for_all_rows("name", Settings.model_fields)
def test_every_setting_is_known(name: str) -> None:
    assert unknown_variables(Settings, {f"CITEWELL_{name.upper()}": "x"}) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("retreival:\n  k: 3\n", "config.yaml, line 1: `retreival` is not a setting (did you mean `retrieval`?)"),
        (
            "rerank:\n\n  topk: 3\n",
            "config.yaml, line 3: `rerank.topk` is not a setting (did you mean `rerank.top_k`?)",
        ),
        ("top_k: 3\n", "config.yaml, line 1: `top_k` is not a setting (did you mean `rerank.top_k`?)"),
        (
            "models:\n  catalogue:\n    mine: {strict: true, strict_shema: true}\n",
            "config.yaml, line 3: `models.catalogue.mine.strict_shema` is not a setting"
            " (did you mean `models.catalogue.mine.strict_schema`?)",
        ),
        (
            "embeddings:\n  earlier:\n  - modl: x\n",
            "line 2: `embeddings.earlier.0.modl` is not a setting (did you mean `embeddings.earlier.model`?)",
        ),
        ("# mine\nrerank:\n  top_k: none\n", "config.yaml, line 3: rerank.top_k: Input should be a valid integer"),
        ("a: b: c\n", "config.yaml, line 1, column 5: this is not YAML"),
        ("rerank:\n  top_k: 5\n k: [\n", "config.yaml, line 3, column 2: this is not YAML"),
        ("\x00", "config.yaml: this is not YAML"),
        ("- rerank\n", "config.yaml: it must be a mapping"),
        ("rerank: {}\nk: 1\nrerank: {}\n", "config.yaml, line 3: `rerank` is already set in line 1"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(folder: Path, text: str, says: str) -> None:
    (folder / "config.yaml").write_text(text)
    assert says in refused()


def test_all_faults_of_a_file_are_told_in_its_order(folder: Path) -> None:
    (folder / "config.yaml").write_text("rerank:\n  topk: 3\napi_prot: 3\nmodels:\n  attempts: 99\n")
    told = refused()
    assert [told.index(f"line {line}") for line in (2, 3, 5)] == sorted(
        told.index(f"line {line}") for line in (2, 3, 5)
    )


def test_a_wrong_value_of_the_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "config.yaml").write_text("api_port: 80\n")
    monkeypatch.setenv("CITEWELL_API_PORT", "eighty")
    assert refused().startswith("CITEWELL_API_PORT: api_port: Input should be a valid integer")
    monkeypatch.delenv("CITEWELL_API_PORT")
    monkeypatch.setenv("CITEWELL_POOLS", "{")
    assert refused().startswith("CITEWELL_POOLS: it must be JSON")


def test_a_file_of_other_bytes_is_refused(folder: Path) -> None:
    (folder / "config.yaml").write_bytes(b"home: \xff\n")
    assert refused() == "config.yaml is not text in UTF-8"


def test_a_missing_file_is_refused_with_the_likely_one(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "config.yml").write_text("")
    monkeypatch.setenv("CITEWELL_CONFIG", "config.yaml")
    assert refused() == "CITEWELL_CONFIG is 'config.yaml', and there is no such file; did you mean config.yml?"
    monkeypatch.setenv("CITEWELL_CONFIG", str(folder))
    assert "cannot be read: Is a directory" in refused()


def test_an_alias_within_itself_ends(folder: Path) -> None:
    (folder / "config.yaml").write_text("pools: &a\n  mine: *a\n")
    assert "config.yaml, line 2: pools.mine.queues" in refused()


def test_a_file_may_repeat_itself_by_aliases(folder: Path) -> None:
    (folder / "config.yaml").write_text(
        "models:\n  catalogue:\n    one: &one {strict_schema: true}\n    two:\n      <<: *one\n      price_in: 1\n"
    )
    catalogue = settings().models.catalogue
    assert (catalogue["two"].strict_schema, catalogue["two"].price_in) == (True, 1)


def test_a_program_that_was_rolled_back_can_ignore_newer_settings(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    (folder / "config.yaml").write_text(
        "newer: {a: 1}\nrerank: {newer: 2, top_k: 7}\npools: {mine: {queues: [a], b: 1}}\n"
    )
    monkeypatch.setenv("CITEWELL_NEWER", "1")
    monkeypatch.setenv("CITEWELL_RERANK__NEWEST", "1")
    monkeypatch.setenv("CITEWELL_UNKNOWN_SETTINGS", "ignore")
    assert (settings().rerank.top_k, settings().pools["mine"].queues) == (7, ("a",))


def test_children_get_the_same_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    assert config_for_children() == os.devnull
    monkeypatch.setenv("CITEWELL_CONFIG", os.devnull)
    assert settings().rerank.top_k == 3
    monkeypatch.setenv("CITEWELL_CONFIG", "")
    (folder / "config.yaml").write_text("")
    assert config_for_children() == str(folder / "config.yaml")


@pytest.mark.parametrize(("name", "options"), COMMAND_LINES.items())
def test_every_command_refuses_it(
    name: str, options: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "config.yaml").write_text("retreival:\n  k: 3\n")
    for file in ("a.txt", "a.md", "b.md"):
        (folder / file).write_text("Text.")
    assert run([name, *options]) == 2
    assert capsys.readouterr().err.endswith(
        "config.yaml, line 1: `retreival` is not a setting (did you mean `retrieval`?)\n"
    )


@pytest.mark.parametrize("number", ["inf", "-inf", "nan"])
@pytest.mark.parametrize("name", ["BUDGET__MAX_COST_USD", "RECOVERY__LEASE_S", "MODELS__CALL_TIMEOUT_S"])
def test_a_number_that_is_not_finite_is_no_setting(monkeypatch: pytest.MonkeyPatch, name: str, number: str) -> None:
    monkeypatch.setenv(f"CITEWELL_{name}", number)
    assert "finite number" in refused()
