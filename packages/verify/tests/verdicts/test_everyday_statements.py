"""Statements that readers try first, about policies, contracts, manuals, leaflets, reports and timetables (V1-V3).

They were written before any verdict on them was seen, half of them with one small change that makes them untrue. Those
are here that the rules judge rightly without a model; the others were only ever judged by rules that fitted them alone.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.verdicts.ruling import Grounds
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status
from verify_material.rows import for_all_rows

PASSAGES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("everyday.json").read_text(encoding="utf-8"))
MOST_CONTRADICTED = {"en": 0.01, "ko": 0.01}  # of the statements that the passages do say


def status(statement: str, source: str) -> SentenceStatus:
    reply = check_statement(statement, Sources([Source(1, "manual.md", source, "")]), Meaning(None))
    ruled = Grounds.of(statement, [source]).rule(reply)
    verdict = PairVerdict(1, "checked", ruled.is_accurate, ruled.relation, ruled.confidence, "")
    return sentence_status(True, [verdict])


@for_all_rows("passage", PASSAGES)
def test_what_a_passage_does_not_say_is_not_supported(passage: dict[str, Any]) -> None:
    supported = [each for each in passage["not_said"] if status(each, passage["source"]) is SentenceStatus.SUPPORTED]
    assert supported == []


@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_passages_say_is_rarely_contradicted(language: str) -> None:
    found = [
        status(statement, passage["source"])
        for passage in PASSAGES
        if passage["language"] == language
        for statement in passage["said"]
    ]
    assert len(found) > 100
    assert found.count(SentenceStatus.CONTRADICTED) / len(found) <= MOST_CONTRADICTED[language]
