"""`citewell quality`: the metrics as a table and as JSON, and labels from a file (S2.7, S3.7)."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Citewell
from verify_material.rows import for_all_rows


def labels(folder: Path, *lines: object) -> str:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return str(path)


def row(shown: str, name: str) -> str:
    (found,) = (line for line in shown.splitlines() if line.strip().startswith(name))
    return " ".join(found.split())


def test_the_metrics_are_shown_with_what_is_aimed_at(citewell: Citewell, query_id: str) -> None:  # S2.7
    assert query_id
    outcome = citewell("quality")
    assert outcome.code == 0
    assert "Who copies cannot invent, so these say nothing" in outcome.err
    assert "1 verified questions" in outcome.out
    assert row(outcome.out, "hallucination rate") == "hallucination rate 0.000 1 < 0.05 copies only"
    assert row(outcome.out, "crag trigger rate") == "crag trigger rate 0.000 1 < 0.2 ✓ met"
    assert row(outcome.out, "confidence accuracy") == "confidence accuracy – 0 > 0.8"
    assert row(outcome.out, "citation accuracy") == "citation accuracy 1.000 1 copies only"


def test_labels_add_what_people_say(citewell: Citewell, query_id: str, tmp_path: Path) -> None:  # S2.7
    path = labels(tmp_path, {"query_id": query_id, "grounded": False, "note": "invented"}, "", "  ")
    outcome = citewell("quality", "--labels", path, "--json")
    assert outcome.code == 0
    told = json.loads(outcome.out)["metrics"]["confidence_accuracy"]
    assert (told["value"], told["count"], told["met"]) == (0.0, 1, False)
    assert row(citewell("quality", "--labels", path).out, "confidence accuracy").endswith("0.000 1 > 0.8 ✗ missed")


def test_json_is_what_the_api_says(citewell: Citewell, query_id: str) -> None:  # S2.7
    assert query_id
    told = json.loads(citewell("quality", "--json", "-w", "w", "--limit", "1").out)
    assert told["queries"] == 1
    assert len(told["metrics"]) == 13
    assert json.loads(citewell("quality", "--json", "-w", "elsewhere").out)["queries"] == 0


@for_all_rows(
    "line", ["{", "[]", "7", '"text"', "null", '{"query_id": "x"}', '{"grounded": true}', "query_id,grounded"]
)
def test_a_line_that_is_no_label_is_named_by_file_and_line(citewell: Citewell, tmp_path: Path, line: str) -> None:  # A8
    path = labels(tmp_path, {"query_id": "00000000-0000-0000-0000-000000000000", "grounded": True}, "", line)
    outcome = citewell("quality", "--labels", path)
    assert outcome.code == 2
    assert "labels.jsonl:3 is no label" in outcome.complaint


@pytest.mark.parametrize("content", [b"caf\xe9", b"[" * 100_000])
def test_a_file_that_cannot_be_read_is_refused_in_one_line(
    citewell: Citewell, tmp_path: Path, content: bytes
) -> None:  # A8
    path = tmp_path / "labels.jsonl"
    path.write_bytes(content)
    outcome = citewell("quality", "--labels", str(path))
    assert outcome.code == 2
    assert "labels.jsonl" in outcome.complaint


def test_a_label_with_a_value_that_cannot_be_used_is_refused(citewell: Citewell, tmp_path: Path) -> None:  # A8
    outcome = citewell("quality", "--labels", labels(tmp_path, {"query_id": "x", "grounded": True}))
    assert outcome.code == 2
    assert "labels.0.query_id" in outcome.complaint


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--limit", "0"], "--limit"),
        (["--limit", "10001"], "--limit"),
        (["--labels", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--labels", "."], "--labels"),
        (["-w", "w" * 101], "workspace"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(citewell: Citewell, arguments: list[str], says: str) -> None:  # A8
    outcome = citewell("quality", *arguments)
    assert outcome.code == 2
    assert says in outcome.complaint
