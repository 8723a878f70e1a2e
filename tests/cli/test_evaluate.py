"""`citewell evaluate`: tables for people, one JSON object for machines, and a record of every run."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from citewell.cli.database import database as command_database
from citewell.cli.main import run
from citewell.supervisor.home import home_at, temporary_home
from citewell.supervisor.servers.endpoints import running_database
from citewell.supervisor.servers.pair import EmbeddedServers
from config.settings import settings
from db.models import Evaluation, Workspace
from db.queries.verifications.feedback import add_feedback
from db.session import dispose, reading, transaction
from tests.cli.conftest import Citewell
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.simulators.rerank import RerankServer
from tests.stored import store_answered_query
from verify_material.rows import for_all_rows

POLICY = "Returns are accepted within 30 days of the purchase date."
PAIRS = [
    {"dataset": "policy", "source": POLICY, "claim": POLICY, "label": 1},
    {"dataset": "policy", "source": POLICY, "claim": POLICY.replace("30", "90"), "label": 0},
    {"dataset": "whales", "source": "The blue whale lives in the sea.", "claim": "Paris is in France.", "label": 0},
]
CALLS = {"standard": 3, "cheap": 1}
PASSAGES = [{"id": "p1", "text": POLICY}, {"id": "p2", "text": "Shipping takes five business days."}]
QUESTIONS: list[dict[str, Any]] = [
    {"question": "Within how many days are returns accepted?", "gold": ["p1"], "answerable": True},
    {"question": "Who painted the ceiling of the chapel?", "gold": [], "answerable": False},
]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    return write(tmp_path / "labelled.jsonl", PAIRS)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    write(tmp_path / "small_passages.jsonl", PASSAGES)
    write(tmp_path / "small_questions.jsonl", QUESTIONS)
    return tmp_path


@pytest.fixture
def provider(database: str, monkeypatch: pytest.MonkeyPatch) -> Generator[GroqSimulator]:
    """The configured provider is the simulated one."""
    assert database
    with GroqSimulator() as simulator:
        monkeypatch.setenv("GROQ_API_KEY", KEY)
        monkeypatch.setenv("GROQ_BASE_URL", simulator.base_url)
        settings.cache_clear()
        yield simulator


def stored() -> list[Evaluation]:
    with reading() as session:
        return list(session.scalars(select(Evaluation).order_by(Evaluation.created_at)))


def test_verification_is_shown_for_each_set_and_on_average(citewell: Citewell, labelled: Path) -> None:  # N8
    outcome = citewell("evaluate", "--provider", "offline", str(labelled))
    assert outcome.code == 0
    rows = [line.split() for line in outcome.out.splitlines()]
    assert ["policy", "2", "100.0%", "1.000"] in [row[:4] for row in rows]
    # With one label only there is neither balance nor ranking.
    assert ["whales", "1", "–", "–"] in [row[:4] for row in rows]
    assert ["macro", "average", "100.0%", "1.000"] in [row[:4] for row in rows]
    assert ["worst", "set", "100.0%", "1.000"] in [row[:4] for row in rows]
    assert "offline/0.1.0+" in outcome.err


@pytest.mark.usefixtures("provider")
def test_with_the_cheap_preset_pairs_share_calls(citewell: Citewell, labelled: Path) -> None:  # N8
    told = {preset: citewell("evaluate", "--preset", preset, "--no-store", str(labelled)) for preset in CALLS}
    for preset, calls in CALLS.items():
        assert told[preset].code == 0
        assert f"model calls: {calls} ·" in told[preset].err
    assert told["standard"].out == told["cheap"].out
    assert citewell("evaluate", "--preset", "free", str(labelled)).code == 2


def test_as_json_the_last_line_is_one_object(citewell: Citewell, labelled: Path) -> None:  # N8
    outcome = citewell("evaluate", "--provider", "offline", "--json", str(labelled))
    result = json.loads(outcome.out.splitlines()[-1])
    measures = {"balanced_accuracy", "auc", "ece", "false_pass", "false_strip"}
    assert (outcome.code, outcome.err) == (0, "")
    assert set(result) == {"macro", "worst", "sets", "verifier"}
    assert set(result["macro"]) == set(result["worst"]) == measures
    assert result["sets"]["policy"].keys() > measures
    assert result["macro"]["false_pass"] == 0.0
    assert result["sets"]["whales"]["auc"] is None


def test_each_verdict_is_written_with_all_its_digits(citewell: Citewell, labelled: Path, tmp_path: Path) -> None:  # N8
    files = [tmp_path / "before.jsonl", tmp_path / "after.jsonl"]
    for file in files:
        assert citewell("evaluate", "--provider", "offline", "--verdicts", str(file), str(labelled)).code == 0
    before, after = (file.read_text(encoding="utf-8") for file in files)
    lines = [json.loads(line) for line in before.splitlines()]
    assert [{name: line[name] for name in ("dataset", "claim", "label")} for line in lines] == [
        {name: pair[name] for name in ("dataset", "claim", "label")} for pair in PAIRS
    ]
    assert [line["score"] > 0.5 for line in lines] == [True, False, False]
    assert {(line["uncertain"], line["reason"]) for line in lines[:2]} == {(False, "")}
    assert before == after


def test_what_cannot_be_written_is_refused_before_a_model_is_asked(
    citewell: Citewell, labelled: Path, tmp_path: Path, provider: GroqSimulator
) -> None:  # N8, A8
    nowhere = tmp_path / "nowhere" / "verdicts.jsonl"
    outcome = citewell("evaluate", "--provider", "groq", "--verdicts", str(nowhere), str(labelled))
    assert outcome.code == 2
    assert f"{nowhere} cannot be written (No such file or directory)" in outcome.complaint
    assert provider.ledger.entries == []


def test_every_run_is_kept_with_its_files_and_listed(citewell: Citewell, labelled: Path, questions: Path) -> None:  # N8
    assert "no evaluations yet" in citewell("evaluate", "--list").out
    printed = json.loads(citewell("evaluate", "--json", str(labelled)).out)
    citewell("evaluate", "--retrieval", str(questions))
    citewell("evaluate", "--no-store", str(labelled))
    first, second = stored()
    assert (first.kind, first.provider, first.n, first.verifier) == ("verification", "offline", 3, printed["verifier"])
    assert first.results["sets"] == printed["sets"]
    assert [file["name"] for file in second.files] == ["small_passages.jsonl", "small_questions.jsonl"]
    listed = [json.loads(line) for line in citewell("evaluate", "--list", "--json").out.splitlines()]
    assert [each["id"] for each in listed] == [str(second.id), str(first.id)]
    table = citewell("evaluate", "--list").out
    assert str(first.id) in table
    assert "recall@5: small 100.0%" in table
    assert str(first.id) not in citewell("evaluate", "--list", "--limit", "1").out


def test_retrieval_is_measured_and_its_workspace_removed(citewell: Citewell, questions: Path) -> None:  # N8
    outcome = citewell("evaluate", "--provider", "offline", "--retrieval", str(questions), "--json")
    result = json.loads(outcome.out.splitlines()[-1])["sets"]["small"]
    assert (outcome.code, outcome.err) == (0, "")
    assert (result["recall@1"], result["recall@10"], result["mrr"], result["answerability_auc"]) == (1.0,) * 4
    assert result["before_reranking"].keys() == {"recall@1", "recall@5", "recall@10", "mrr"}
    with reading() as session:
        assert session.scalar(select(func.count(Workspace.id))) == 0
    assert "before reranking" in citewell("evaluate", "--retrieval", str(questions)).out


def test_retrieval_is_measured_with_the_reranker_that_is_configured(
    citewell: Citewell, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # S1.1, N8
    with RerankServer() as server:
        monkeypatch.setenv("CITEWELL_RERANK__PROVIDER", "endpoint")
        monkeypatch.setenv("CITEWELL_RERANK__BASE_URL", server.url)
        monkeypatch.setenv("CITEWELL_RERANK__MODEL", "rerank-3")
        settings.cache_clear()
        outcome = citewell("evaluate", "--provider", "offline", "--retrieval", str(questions), "--json")
    result = json.loads(outcome.out.splitlines()[-1])["sets"]["small"]
    assert (outcome.code, outcome.err, result["recall@1"]) == (0, "", 1.0)
    assert {body["query"] for body in server.bodies} == {each["question"] for each in QUESTIONS}
    (run,) = stored()
    assert (run.verifier, run.results["usage"]["calls"]) == ("endpoint/rerank-3", {})


def test_without_storing_verification_needs_no_database(
    citewell: Citewell, labelled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N8
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    with monkeypatch.context() as patched:
        patched.setenv("CITEWELL_DATABASE_URL", nowhere)
        settings.cache_clear()
        dispose()
        unstored, kept = citewell("evaluate", "--no-store", str(labelled)), citewell("evaluate", str(labelled))
    settings.cache_clear()
    dispose()
    assert (unstored.code, kept.code) == (0, 2)
    assert "CITEWELL_DATABASE_URL" in kept.complaint


def test_another_provider_is_measured_the_same_way(
    citewell: Citewell, labelled: Path, provider: GroqSimulator
) -> None:  # N8
    outcome = citewell("evaluate", "--provider", "groq", "--limit", "1", "--json", str(labelled))
    result = json.loads(outcome.out.splitlines()[-1])
    assert outcome.code == 0
    assert result["verifier"].startswith("groq/openai/gpt-oss-20b/")
    assert {name: measures["n"] for name, measures in result["sets"].items()} == {"policy": 1, "whales": 1}
    assert len(provider.ledger.entries) == 2
    (row,) = stored()
    assert row.provider == "groq"
    assert row.results["usage"]["calls"] == {"openai/gpt-oss-20b": 2}


def test_when_every_check_fails_the_command_fails_and_nothing_passes(
    citewell: Citewell, labelled: Path, provider: GroqSimulator
) -> None:  # N4, N8
    provider.fail(Fault(kind=FaultKind.FORBIDDEN, times=None))
    outcome = citewell("evaluate", "--provider", "groq", "--json", str(labelled))
    result = json.loads(outcome.out.splitlines()[-1])
    assert outcome.code == 1
    assert "3 of 3 checks could not be judged" in outcome.err
    assert [measures["not_checked"] for measures in result["sets"].values()] == [1.0, 1.0]
    assert result["macro"]["false_pass"] == 0.0
    assert result["macro"]["balanced_accuracy"] == 0.0


def test_when_some_checks_fail_that_is_said(citewell: Citewell, labelled: Path, provider: GroqSimulator) -> None:  # N4
    provider.fail(Fault(kind=FaultKind.FORBIDDEN, times=1))
    outcome = citewell("evaluate", "--provider", "groq", "--json", str(labelled))
    assert outcome.code == 0
    assert "1 of 3 checks could not be judged" in outcome.err
    assert [row.n for row in stored()] == [3]


def test_bad_data_is_refused_as_a_whole(citewell: Citewell, tmp_path: Path) -> None:  # A8
    path = write(tmp_path / "bad.jsonl", [*PAIRS, {"source": "s", "claim": "c"}])
    outcome = citewell("evaluate", str(path))
    assert outcome.code == 2
    assert f'{path}:4: "label" must be 1 (supported) or 0 (not supported)' in outcome.complaint
    assert stored() == []


@for_all_rows(
    ("arguments", "told"),
    [
        ([], "name labelled files"),
        (["a.jsonl", "--list"], "one of them at a time"),
        (["a.jsonl", "--retrieval", "."], "one of them at a time"),
        (["nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["--retrieval", "nowhere"], "nowhere is not a folder"),
        (["--retrieval", ".", "--verdicts", "v.jsonl"], "--verdicts is for labelled pairs"),
        (["--provider", "groq", "--no-store", "{labelled}"], "GROQ_API_KEY is not set"),
        (
            ["--provider", "other", "{labelled}"],
            "'--provider': 'other' is not one of 'offline', 'groq', 'openai_compat",
        ),
        (["--provider", "openai_compatible", "--no-store", "{labelled}"], "models.base_url is ''"),
        (["--preset", "dear", "{labelled}"], "'--preset': 'dear' is not one of 'standard', 'cheap'"),
        (["--limit", "0", "{labelled}"], "'--limit': Input should be greater"),
    ],
)
def test_a_wrong_command_line_says_what_to_do(
    citewell: Citewell, labelled: Path, arguments: list[str], told: str
) -> None:  # A8
    outcome = citewell("evaluate", *(each.format(labelled=labelled) for each in arguments))
    assert outcome.code == 2
    assert told in outcome.complaint


def test_a_database_without_the_tables_is_refused_with_a_way_out(
    servers: EmbeddedServers, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, labelled: Path
) -> None:
    monkeypatch.setenv("CITEWELL_DATABASE_URL", servers.database_url.rsplit("/", 1)[0] + "/postgres")
    settings.cache_clear()
    dispose()
    assert run(["evaluate", str(labelled)]) == 2
    settings.cache_clear()
    dispose()
    assert "alembic upgrade head" in capsys.readouterr().err


def test_the_database_of_a_running_server_is_found_by_its_home(servers: EmbeddedServers) -> None:
    assert running_database(servers.home) == servers.database_url
    with temporary_home() as empty:
        assert running_database(home_at(empty)) is None


@pytest.mark.slow
@pytest.mark.xdist_group("commands with servers")
def test_without_a_server_the_command_starts_the_database_and_stops_it(
    labelled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N8
    foreign = ("GROQ_API_KEY", "CITEWELL_URL", "CITEWELL_DATABASE_URL", "CITEWELL_REDIS_URL")
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    program = [sys.executable, "-m", "citewell.cli.main", "evaluate"]
    with temporary_home() as home:
        env = {**kept, "CITEWELL_HOME": str(home)}
        done = subprocess.run([*program, str(labelled)], env=env, capture_output=True, text=True, check=True)
        assert "starting a database for this command" in done.stderr
        assert "policy" in done.stdout
        # It stopped what it started: another start takes the home.
        for name in foreign:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("CITEWELL_HOME", str(home))
        settings.cache_clear()
        with command_database():
            assert [row.n for row in stored()] == [3]
        assert "CITEWELL_DATABASE_URL" not in os.environ
    settings.cache_clear()
    dispose()


def test_peoples_verdicts_are_labelled_data(citewell: Citewell) -> None:
    assert "No feedback has a verdict" in citewell("evaluate", "--from-feedback").complaint
    with transaction() as session:
        query_id = store_answered_query(session).id
    with transaction() as session:
        add_feedback(session, query_id, place="sentence", position=0, verdict="supported")
        add_feedback(session, query_id, place="citation", position=0, verdict="unsupported")
    outcome = citewell("evaluate", "--from-feedback", "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out)["sets"]["feedback"]["n"] == 2
    with reading() as session:
        (kept,) = session.scalars(select(Evaluation))
        assert (kept.kind, kept.n, kept.files[0]["name"]) == ("verification", 2, "feedback")
    assert "There is no tenant 'nobody'" in citewell("evaluate", "--from-feedback", "-t", "nobody").complaint
    assert "one of them at a time" in citewell("evaluate", "--from-feedback", "--list").complaint
