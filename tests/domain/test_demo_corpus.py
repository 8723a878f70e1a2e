"""The demo corpus matches its list, its figures add up, and its questions have answers, except one."""

import json
import re
import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument, TextChunk
from citewell_documents.filings import filing_in
from citewell_documents.parsing import ParseLimits, parse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CORPUS = EXAMPLES.parent / "api" / "dashboard" / "example"
LISTED: list[dict[str, Any]] = json.loads((CORPUS / "corpus.json").read_text("utf-8"))["documents"]
QUESTIONS: list[dict[str, Any]] = json.loads((CORPUS / "questions.json").read_text("utf-8"))
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
FILINGS = ["nrvx-10q-2023-q3.md", "nrvx-10q-2024-q3.md"]


@cache
def parsed(filename: str) -> ParsedDocument:
    return parse((CORPUS / filename).read_bytes(), filename, ParseLimits(max_pages=50, max_chars=100_000))


@cache
def chunks(filename: str) -> list[TextChunk]:
    return split_document(parsed(filename), chunk_tokens=220, overlap_tokens=30)


def table(filename: str, heading: str) -> dict[str, list[float]]:
    section = next(section for section in parsed(filename).sections if section.title == heading)
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", parsed(filename).text[section.start : section.end], re.MULTILINE)
    return {name: [float(cell.replace(",", "").strip("$ ")) for cell in cells.split("|")] for name, cells in rows}


def test_the_list_names_every_document_with_a_title() -> None:
    assert sorted(entry["filename"] for entry in LISTED) == sorted(
        path.name for path in CORPUS.iterdir() if path.suffix != ".json"
    )
    assert all(entry["metadata"]["title"] for entry in LISTED)


def test_filings_carry_the_identifiers_that_citations_are_recognised_by() -> None:  # S1.3
    filings = [entry["metadata"] for entry in LISTED if entry["filename"] in FILINGS]
    assert [(f["ticker"], f["year"], f["filing_type"]) for f in filings] == [
        ("NRVX", 2023, "10-Q"),
        ("NRVX", 2024, "10-Q"),
    ]


@pytest.mark.parametrize("filename", FILINGS)
def test_the_identifiers_of_a_filing_are_found_in_it(filename: str) -> None:  # S1.3
    listed = next(entry["metadata"] for entry in LISTED if entry["filename"] == filename)
    found = filing_in(parsed(filename), filename)
    assert found == {name: str(listed[name]) for name in ("ticker", "year", "filing_type")}


def test_there_is_one_question_per_seed_one_of_them_korean_and_one_unanswerable() -> None:
    assert [question["seed"] for question in QUESTIONS] == ["S1", "S2", "S3", "S4", "S5"]
    assert [question["seed"] for question in QUESTIONS if not question["answerable"]] == ["S3"]
    assert re.search("[가-힣]", QUESTIONS[4]["question"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=lambda question: question["seed"])
def test_what_a_right_answer_says_stands_in_one_document_only(question: dict[str, Any]) -> None:
    holding = [
        entry["filename"]
        for entry in LISTED
        if all(text in parsed(entry["filename"]).text for text in question["expect"])
    ]
    assert len(holding) == 1
    for text in question["expect"]:
        assert any(text in chunk.text for chunk in chunks(holding[0]))


def test_no_document_tells_what_the_unanswerable_question_asks() -> None:
    leave = re.compile(r"parent|matern|patern|\bleave|\bweeks?\b|benefits|휴직", re.IGNORECASE)
    assert [entry["filename"] for entry in LISTED if leave.search(parsed(entry["filename"]).text)] == []


def test_the_policy_is_typeset_from_its_source_and_always_the_same() -> None:
    build: Callable[[str], bytes] = runpy.run_path(str(EXAMPLES / "build_refund_policy.py"))["build"]
    source = (EXAMPLES / "refund_policy.md").read_text("utf-8")
    fresh = build(source)
    assert fresh == build(source)
    assert parse(fresh, "fresh.pdf", ParseLimits(50, 100_000)) == parsed("refund-policy.pdf")


def test_the_policy_has_several_pages_and_its_source_s_sections() -> None:
    source = (EXAMPLES / "refund_policy.md").read_text("utf-8")
    document = parsed("refund-policy.pdf")
    assert 4 <= len(document.pages) <= 6
    assert [section.title for section in document.sections] == re.findall(r"^#+ (.+)$", source, re.MULTILINE)


def test_every_sentence_of_the_policy_survives_typesetting() -> None:
    text = " ".join(parsed("refund-policy.pdf").text.split())
    paragraphs = (EXAMPLES / "refund_policy.md").read_text("utf-8").split("\n\n")
    prose = [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph[0] not in "#|"]
    assert [paragraph for paragraph in prose if paragraph not in text] == []


@pytest.mark.parametrize("filename", FILINGS)
def test_the_figures_of_a_filing_add_up(filename: str) -> None:
    income = table(filename, "Statements of operations")
    none = [0.0] * 4

    def total(*signed: str) -> list[float]:
        columns = [income.get(name.lstrip("-"), none) for name in signed]
        signs = [-1 if name.startswith("-") else 1 for name in signed]
        return [round(sum(s * c[n] for s, c in zip(signs, columns, strict=True)), 1) for n in range(4)]

    expenses = ("-Research and development", "-Sales and marketing", "-General and administrative", "-Restructuring")
    assert total("Power Systems revenue", "Grid Software revenue", "Services revenue") == income["Total revenue"]
    assert total("Total revenue", "-Cost of revenue") == income["Gross profit"]
    assert total("Gross profit", *expenses) == income["Operating income"]
    taxed = total("Operating income", "-Interest expense, net", "-Provision for income taxes")
    assert taxed == income["Net income"]


def test_the_later_filing_repeats_the_figures_of_the_earlier_one() -> None:
    earlier, later = (table(name, "Statements of operations") for name in FILINGS)
    assert {name: row[1::2] for name, row in later.items() if name in earlier} == {
        name: row[::2] for name, row in earlier.items()
    }
