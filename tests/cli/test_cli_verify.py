"""`citewell verify`: an answer and its sources from files (N2)."""

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Citewell
from tests.services.given_story import verifying

SOURCE = "# Returns\n\nReturns are accepted within 30 days of the purchase date.\n"
ANSWER = "Returns are accepted within 60 days of the purchase date [1]. A receipt is needed [4]."
PDF = Path(__file__).resolve().parents[2] / "api" / "dashboard" / "example" / "refund-policy.pdf"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "answer.md").write_text(ANSWER, encoding="utf-8")
    (tmp_path / "policy.md").write_text(SOURCE, encoding="utf-8")
    return str(tmp_path / "answer.md"), str(tmp_path / "policy.md")


def test_sentences_citations_and_the_repaired_text_are_shown(citewell: Citewell, files: tuple[str, str]) -> None:  # N2
    answer, policy = files
    with verifying():
        outcome = citewell("verify", answer, "--source", policy, "--source", str(PDF), "--question", "How long?")
    assert (outcome.code, outcome.err) == (0, "")
    shown = " ".join(outcome.out.split())
    for part in ("How long?", "✗ contradicted", "✗ inaccurate [1] policy.md", "✗ no such source [4]", "within 30 days"):
        assert part in shown, part


def test_for_programs_it_is_the_result_as_the_api_gives_it(
    citewell: Citewell, files: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:  # N2, N3
    answer = b"Customers may return a product within 30 days [2]."
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answer)))
    with verifying():
        outcome = citewell("verify", "-", "-s", files[1], "-s", str(PDF), "--repair", "off", "--json")
    assert (outcome.code, outcome.err, outcome.out.count("\n")) == (0, "", 1)
    result = json.loads(outcome.out)
    assert result["changed"] is False
    assert [source["title"] for source in result["sources"]] == ["policy.md", "refund-policy.pdf"]
    assert result["citations"][0]["page_number"] is not None


def test_a_file_that_cannot_be_read_is_named(citewell: Citewell, files: tuple[str, str], tmp_path: Path) -> None:
    missing = citewell("verify", files[0], "-s", str(tmp_path / "missing.md"))
    assert (missing.code, "missing.md: No such file" in missing.complaint) == (2, True)
    unknown = citewell("verify", files[0], "-s", str(tmp_path / "answer.md"), "--repair", "all")
    assert (unknown.code, "repair" in unknown.complaint) == (2, True)


def test_as_a_gate_it_ends_with_1_and_writes_what_pipelines_read(
    citewell: Citewell, files: tuple[str, str], tmp_path: Path
) -> None:
    answer, policy = files
    with verifying():
        shut = citewell("verify", answer, "-s", policy, "--fail-on", "contradicted", "--github")
        opened = citewell(
            "verify", answer, "-s", policy, "--fail-on", "unsupported", "--sarif", str(tmp_path / "s.sarif")
        )
    assert (shut.code, opened.code) == (1, 0)
    assert f"::error file={answer},line=1,title=contradicted::" in shut.out
    assert json.loads((tmp_path / "s.sarif").read_text())["version"] == "2.1.0"


def test_an_answer_that_does_not_end_is_an_error_in_every_report(
    citewell: Citewell, files: tuple[str, str], tmp_path: Path
) -> None:  # issue 43
    answer, policy = files
    report = tmp_path / "report.xml"
    # Nothing verifies here.
    late = citewell("verify", answer, "-s", policy, "--wait", "0", "--junit", str(report))
    assert (late.code, "could not be verified" in late.err) == (2, True)
    written = report.read_text(encoding="utf-8")
    assert 'errors="1"' in written
    assert "no result after 0 s" in written
    alone = citewell("verify", answer, "-s", policy, "--wait", "0")
    assert (alone.code, "no result after 0 s" in alone.err) == (2, True)


@pytest.mark.parametrize(
    "arguments", [[], ["answer.md"], ["answer.md", "-s", "a.md", "--cases", "c.jsonl"], ["-s", "a"]]
)
def test_an_answer_and_its_sources_belong_together(citewell: Citewell, arguments: list[str]) -> None:
    outcome = citewell("verify", *arguments)
    assert (outcome.code, "give an answer with at least one --source, or --cases" in outcome.complaint) == (2, True)
