"""Documents that disagree, on a whole stack: the answer names both values with their places (N10)."""

from typing import Any

import pytest

from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

WORKSPACE = "disagreeing"
OLD = """# Rules for company bicycles

Version 1, in force from 1 May 2024.

## Deposit

The deposit for a company bicycle is EUR 150. It is paid back when the bicycle is returned.
"""
NEW = """# Rules for company bicycles

Version 2, in force from 1 March 2026. It replaces version 1.

## Deposit

The deposit for a company bicycle is EUR 200. It is paid back when the bicycle is returned.
"""
OTHER = """# Rules for company cars

In force from 1 June 2025.

The deposit for a company car is EUR 900. It is paid back when the car is returned.
"""


@pytest.fixture(scope="module")
def answer(offline: Stack) -> dict[str, Any]:
    for name, text in (("bicycles-old.md", OLD), ("bicycles.md", NEW), ("cars.md", OTHER)):
        offline.add_text(name, text, workspace=WORKSPACE)
    return offline.ask("What is the deposit for a company bicycle?", workspace=WORKSPACE)


def test_an_answer_names_the_other_value_its_place_and_the_document_in_force(
    answer: dict[str, Any], offline: Stack
) -> None:
    assert answer["error"] is None
    (conflict,) = answer["conflicts"]
    sides = {each["document"]: each for each in (conflict["stated"], conflict["other"])}
    assert {name: (each["value"], each["date"]) for name, each in sides.items()} == {
        "bicycles-old.md": ("EUR 150", "2024-05-01"),
        "bicycles.md": ("EUR 200", "2026-03-01"),
    }
    assert conflict[conflict["in_force"]]["document"] == "bicycles.md"
    assert conflict["statement"] in answer["answer"]
    for each in sides.values():
        assert offline.stored_text(each["document_id"])[each["source_start"] : each["source_end"]] == each["quote"]


def test_an_exported_answer_names_both_values(answer: dict[str, Any], offline: Stack) -> None:
    text = offline.http.get(f"/v1/queries/{answer['id']}/export", params={"format": "markdown"}).text
    assert "Your documents disagree" in text
    assert "EUR 200 (bicycles.md, 2026-03-01), in place of EUR 150" in text
    assert offline.http.get(f"/v1/queries/{answer['id']}/export", params={"format": "pdf"}).is_success


def test_an_answer_of_a_model_names_the_other_value_too(groq: Stack, provider: GroqSimulator) -> None:
    for name, text in (("bicycles-old.md", OLD), ("bicycles.md", NEW)):
        groq.add_text(name, text, workspace=WORKSPACE)
    question = "What is the deposit for a company bicycle?"
    sources = groq.ask(question, workspace=WORKSPACE, enable_verification=False)["sources"]
    old = next(number for number, each in enumerate(sources, start=1) if each["filename"] == "bicycles-old.md")
    said = f"For a company bicycle, one pays a deposit of EUR 150 [†{old}]."
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=said))
    provider.go_on()
    (conflict,) = groq.ask(question, workspace=WORKSPACE, verification={"max_crag_attempts": 0})["conflicts"]
    values = [(conflict[side]["value"], conflict[side]["document"]) for side in ("stated", "other")]
    assert values == [("EUR 150", "bicycles-old.md"), ("EUR 200", "bicycles.md")]
    assert conflict["in_force"] == "other"
