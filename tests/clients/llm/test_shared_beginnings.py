"""The common text of two calls of a kind is at the beginning of both, where a provider's prefix cache finds it.

Asked over HTTP: the provider reports how much of the second prompt it had read with the first.
"""

from collections.abc import Generator
from pathlib import Path

import pytest

from citewell_verify.prompting.batched_items import Chunks, Statements
from citewell_verify.prompting.judgements import GENERATE_ANSWER, REGENERATE_ANSWER, SYNTHESIZE_ANSWER, Composition
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.protocol import ModelRequest, Usage
from config.models import ModelSettings
from domain.query.workspace_rules import PLAIN
from services.generation.answer import common_prefix_length
from tests.clients.groq_questions import ASKED, IDK, Task
from tests.clients.groq_stage import GroqStage

MODELS = ModelSettings()
BLOCK = 128
"""Tokens that a cache serves as one unit."""
FRAME = 32
"""Tokens of tags and roles, which are not in the texts of fields."""
MOST = 0.85
"""The share of the shorter of two prompts with the same passages that is served at least."""
CORPUS = Path("api/dashboard/example")
TEXT = (CORPUS / "authentication-guide.md").read_text(encoding="utf-8")
PASSAGES = [TEXT[start : start + 1_000] for start in range(0, 4_000, 1_000)]
OTHER = (CORPUS / "nrvx-10q-2024-q3.md").read_text(encoding="utf-8")[:1_000]
SOURCES = Sources.numbered([("authentication-guide.md", passage) for passage in PASSAGES])
MORE = Sources.numbered(
    [("authentication-guide.md", passage) for passage in PASSAGES] + [("nrvx-10q-2024-q3.md", OTHER)]
)
QUESTION = "How long are access tokens of the Gridline API valid, and what happens when a refresh token is used twice?"
ANOTHER = "Which scopes may a client of the Gridline API ask for?"
ANSWER = "Access tokens are valid for 30 minutes[†1]. A refresh token that is used twice ends the session[†2]."
STATEMENT = "Access tokens of the Gridline API are valid for 30 minutes."
WRONG = "A refresh token of the Gridline API can be used as often as one likes."
KNOWN: dict[str, object] = {"sources": SOURCES, "question": QUESTION}


def together(*statements: str) -> dict[str, object]:
    asked, sources = Statements.of([(statement, SOURCES) for statement in statements])
    return {"sources": sources, "statements": asked}


def doubted(*statements: str) -> dict[str, object]:
    pairs = [(statement, SOURCES) for statement in statements]
    asked, sources = Statements.of(pairs, ["the figure differs"] * len(pairs))
    return {"sources": sources, "statements": asked}


# For each prompt what two calls have in common, and what each has of its own. Calls about the passages of one question
# are sent at once, so that none finds what another begins with: what comes back later is a passage.
CALLS: dict[str, tuple[dict[str, object], dict[str, object], dict[str, object]]] = {
    "rerank_chunk": ({"chunk": PASSAGES[0]}, {"question": QUESTION}, {"question": ANOTHER}),
    "rerank_chunks": ({"chunks": Chunks.of(PASSAGES)}, {"question": QUESTION}, {"question": ANOTHER}),
    "extract_citations": (
        {"sources": SOURCES, "min_chars": 50, "max_chars": 200},
        {"question": QUESTION},
        {"question": ANOTHER},
    ),
    "check_alignment": (KNOWN, {"answer": ANSWER}, {"answer": STATEMENT}),
    "check_answerability": (KNOWN, {"answer": ANSWER}, {"answer": STATEMENT}),
    "check_statement": ({"sources": Sources(SOURCES[:1])}, {"statement": STATEMENT}, {"statement": WRONG}),
    "check_statements": ({}, together(STATEMENT, WRONG), together(WRONG, ANSWER)),
    "recheck_statements": ({}, doubted(STATEMENT, WRONG), doubted(WRONG, ANSWER)),
    "plan_queries": ({"question": QUESTION, "count": 4}, {"claims": f"- {STATEMENT}"}, {"claims": f"- {WRONG}"}),
    "restate_question": (
        {"conversation": f"user: {QUESTION}\nassistant: {ANSWER}"},
        {"question": "And for how long is a refresh token valid?"},
        {"question": ANOTHER},
    ),
    "rewrite_question": ({"count": 3}, {"question": QUESTION}, {"question": ANOTHER}),
    "decide_search": (
        {"question": QUESTION},
        {"sources": SOURCES, "searches": "- access tokens", "left": 3},
        {"sources": MORE, "searches": "- access tokens\n- refresh tokens", "left": 2},
    ),
    "research_notes": ({"sources": SOURCES, "max_chars": 200}, {"question": QUESTION}, {"question": ANOTHER}),
    "rewrite_statement": (
        {"sources": SOURCES},
        {"statement": STATEMENT, "reason": "the source does not support it"},
        {"statement": WRONG, "reason": "the source says otherwise"},
    ),
    "extract_graph": ({}, {"chunk": PASSAGES[0]}, {"chunk": PASSAGES[1]}),
    "extract_keywords": ({}, {"question": QUESTION}, {"question": ANOTHER}),
    "fill_fields": (
        {"sentences": f"1. {STATEMENT}", "form": "/minutes (integer): how long access tokens are valid"},
        {"question": QUESTION},
        {"question": ANOTHER},
    ),
    "check_fields": (
        {"form": "/minutes (integer): how long access tokens are valid", "question": QUESTION},
        {"entries": f'<entry id="e1">/minutes: 30\n{STATEMENT}</entry>'},
        {"entries": f'<entry id="e1">/minutes: 60\n{WRONG}</entry>'},
    ),
    # Whoever writes reads the question last.
    "regenerate_answer": (
        {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN},
        {"gaps": f"- {STATEMENT}"},
        {"gaps": f"- {WRONG}"},
    ),
    "synthesize_answer": (
        {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN},
        {"notes": f"- [1] {STATEMENT}"},
        {"notes": f"- [2] {WRONG}"},
    ),
    "generate_answer": (
        {"sources": SOURCES, "idk": IDK, "style": PLAIN},
        {"question": QUESTION},
        {"question": ANOTHER},
    ),
}


@pytest.fixture(scope="module")
def stage() -> Generator[GroqStage]:
    with GroqStage(client="lean", unlimited=True, cached_tokens=True) as stage:
        yield stage


def billed(stage: GroqStage, task: Task, fields: dict[str, object]) -> Usage:
    model = MODELS.main if task.role == "main" else MODELS.fast
    reply = None if isinstance(task, Composition) else task.reply
    request = ModelRequest(task.name, fields, model, 2_000, 10.0, task.temperature, reply)
    return stage.run(lambda client: client.complete(request)).usage


def tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)


def without_beginning(first: str, second: str) -> str:
    return second[common_prefix_length(first, second) :]


def test_every_prompt_is_asked_twice() -> None:
    assert CALLS.keys() == {task.name for task, _ in ASKED}


@pytest.mark.parametrize("task", [task for task, _ in ASKED], ids=lambda task: task.name)
def test_a_second_call_is_read_from_where_it_differs(stage: GroqStage, task: Task) -> None:
    stage.sim.reset()
    known, first, second = CALLS[task.name]
    before, after = billed(stage, task, known | first), billed(stage, task, known | second)
    own = sum(tokens(without_beginning(str(first[name]), str(second[name]))) for name in second)
    assert before.cached_tokens == 0
    assert after.prompt_tokens - after.cached_tokens <= own + BLOCK + FRAME
    if known.keys() & {"sources", "chunk", "chunks"}:
        # Whole units alone are served, so that a short prompt ends up to one unit before its own text.
        assert after.cached_tokens + BLOCK > MOST * min(before.prompt_tokens, after.prompt_tokens)


def test_an_answer_that_is_written_again_is_asked_for_as_the_first_one(stage: GroqStage) -> None:
    stage.sim.reset()
    first: dict[str, object] = {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN}
    billed(stage, GENERATE_ANSWER, first)
    for task, own in (
        (REGENERATE_ANSWER, {"gaps": f"- {WRONG}"}),
        (SYNTHESIZE_ANSWER, {"notes": f"- [1] {STATEMENT}"}),
    ):
        # Also with another source after those of the first call.
        usage = billed(stage, task, {**first, **own, "sources": MORE})
        assert usage.cached_tokens >= tokens(str(SOURCES))
