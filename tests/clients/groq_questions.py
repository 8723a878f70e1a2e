"""Questions for the simulated provider: two passages, and fields for every prompt."""

from citewell_verify.prompting.batched_items import Chunks, Entries, Statements
from citewell_verify.prompting.judgements import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_FIELDS,
    CHECK_STATEMENT,
    CHECK_STATEMENTS,
    DECIDE_SEARCH,
    EXTRACT_CITATIONS,
    EXTRACT_GRAPH,
    EXTRACT_KEYWORDS,
    FILL_FIELDS,
    GENERATE_ANSWER,
    PLAN_QUERIES,
    RECHECK_STATEMENTS,
    REGENERATE_ANSWER,
    RERANK_CHUNK,
    RERANK_CHUNKS,
    RESEARCH_NOTES,
    RESTATE_QUESTION,
    REWRITE_QUESTION,
    REWRITE_STATEMENT,
    SYNTHESIZE_ANSWER,
    Composition,
    Judgement,
    Reply,
)
from citewell_verify.prompting.numbered_sources import Sources
from domain.query.workspace_rules import PLAIN

POLICY = (
    "Refund policy\n\nRefunds are paid within 14 days of the return. A receipt is required for every refund.\n\n"
    "Items that were opened cannot be returned."
)
GUIDE = "# Signing in\n\nAccess tokens expire after 30 minutes. Every client signs in with OAuth 2.0."
FIRM = "Acme Corp is owned by Beta AG. Its factory is in Leipzig."
FIRM_QUESTION = "Who leads the company that owns Acme Corp?"
SOURCES = Sources.numbered([("policy.pdf, p.2", POLICY), ("guide.md, Signing in", GUIDE)])
IDK = "I don't know based on the documents."
QUESTION = "Within how many days are refunds paid?"
ANSWER = "Refunds are paid within 14 days of the return[†1]."
STATEMENT = "Refunds are paid within 14 days of the return."
STATEMENTS, CITED = Statements.of(
    [(STATEMENT, SOURCES), ("Access tokens expire after 90 minutes.", Sources([SOURCES[1]]))]
)
DOUBTED, DOUBTED_SOURCES = Statements.of(
    [(STATEMENT, Sources([SOURCES[0]]))], ["the statement says “14”, the source says “30”"]
)

FORM = "/days: integer - Within how many days refunds are paid"
ENTRIES = Entries.of([f"field: /days\nvalue: 14\nsentences:\n{STATEMENT}"])

Task = Judgement[Reply] | Composition

ASKED: tuple[tuple[Task, dict[str, object]], ...] = (
    (RERANK_CHUNK, {"chunk": POLICY, "question": QUESTION}),
    (RERANK_CHUNKS.for_items(2), {"chunks": Chunks.of([POLICY, GUIDE]), "question": QUESTION}),
    (EXTRACT_CITATIONS, {"sources": SOURCES, "question": QUESTION, "min_chars": 50, "max_chars": 200}),
    (CHECK_ALIGNMENT, {"sources": SOURCES, "question": QUESTION, "answer": ANSWER}),
    (CHECK_ANSWERABILITY, {"sources": SOURCES, "question": QUESTION, "answer": ANSWER}),
    (CHECK_STATEMENT, {"sources": SOURCES, "statement": STATEMENT}),
    (CHECK_STATEMENTS.for_items(2), {"sources": CITED, "statements": STATEMENTS}),
    (RECHECK_STATEMENTS.for_items(1), {"sources": DOUBTED_SOURCES, "statements": DOUBTED}),
    (PLAN_QUERIES, {"question": QUESTION, "claims": f"- {STATEMENT}", "count": 4}),
    (RESTATE_QUESTION, {"conversation": f"user: {QUESTION}\nassistant: {ANSWER}", "question": "And opened items?"}),
    (REWRITE_QUESTION, {"question": QUESTION, "count": 3}),
    (DECIDE_SEARCH, {"sources": SOURCES, "question": QUESTION, "searches": "- refunds", "left": 3}),
    (FILL_FIELDS, {"sentences": f"0. {STATEMENT}", "form": FORM, "question": QUESTION}),
    (CHECK_FIELDS.for_items(1), {"form": FORM, "question": QUESTION, "entries": ENTRIES}),
    (RESEARCH_NOTES, {"sources": SOURCES, "question": QUESTION, "max_chars": 200}),
    (REWRITE_STATEMENT, {"sources": SOURCES, "statement": STATEMENT, "reason": "the source does not support it"}),
    (EXTRACT_GRAPH, {"chunk": FIRM}),
    (EXTRACT_KEYWORDS, {"question": FIRM_QUESTION}),
    (
        REGENERATE_ANSWER,
        {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN, "gaps": f"- {STATEMENT}"},
    ),
    (
        SYNTHESIZE_ANSWER,
        {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN, "notes": f"- [1] {STATEMENT}"},
    ),
    (GENERATE_ANSWER, {"sources": SOURCES, "question": QUESTION, "idk": IDK, "style": PLAIN}),
)
