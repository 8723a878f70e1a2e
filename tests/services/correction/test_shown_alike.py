"""Calls of one question that show the same content show it in the same words and order, so that a provider reads it
once."""

from collections.abc import Generator
from pathlib import Path

import pytest

from services.correction.repair_steps import repair_statements
from tests.clients.groq_stage import GroqStage
from tests.services.retrieval.test_agentic_steps import FIVE, research
from tests.services.story import Play, Story, no
from tests.simulators.groq.ledger import Entry

pytestmark = pytest.mark.usefixtures("database")

MOST = 0.8
"""The share of a prompt that matches the beginning of an earlier one."""
CORPUS = Path("api/dashboard/example")


@pytest.fixture(scope="module")
def kept() -> Generator[GroqStage]:
    with GroqStage(cached_tokens=True) as stage:
        yield stage


def share(entry: Entry) -> float:
    """The share of a prompt that was served from the cache."""
    return entry.cached_tokens / entry.prompt_tokens


def test_statements_that_cite_other_sources_are_mended_from_the_same_list(stage: GroqStage, groq: Play) -> None:
    story = Story(play=groq)
    texts = [(CORPUS / name).read_text(encoding="utf-8") for name in ("authentication-guide.md", "nrvx-10q-2024-q3.md")]
    keys = [story.add(f"{n}.md", text[:3_000]) for n, text in enumerate(texts)]
    story.selected(*keys).drafted(
        "Moles dig tunnels [†1]. Swifts sleep in flight [†2].", no("no moles"), no("no swifts")
    )
    story.assess()
    for item in ("s0", "s1"):
        story.run("repair_statements", repair_statements, item)
    first, second = stage.sim.ledger.of("rewrite_statement")
    assert share(first) < MOST < share(second)


def test_a_turn_of_the_research_is_shown_what_the_last_one_was_and_then_the_rest(stage: GroqStage, groq: Play) -> None:
    story = Story(FIVE, play=groq, run="agentic", max_searches=8)
    for name in ("alpha", "beta", "gamma", "delta", "epsilon"):
        story.add(f"{name}.md", f"Of {name}. " + f"The {name} is described at some length here. " * 12)
    research(story)
    _, second, third = stage.sim.ledger.of("decide_search")
    assert third.prompt_tokens > second.prompt_tokens
    assert share(third) > MOST
