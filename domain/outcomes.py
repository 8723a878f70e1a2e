"""What each step leaves behind: small JSON values, stored once under (query, round, step, item).

Failure is a value here: `status` says how it went and `reason` why, in words a user can read.
"""

from typing import Any, Literal, NotRequired, TypedDict

from domain.rounds import Draft


class Planned(TypedDict):
    """S2.3: targeted searches for what a round left unsupported; `fallback`: the claims themselves are searched for."""

    status: Literal["planned", "fallback"]
    queries: list[str]
    reason: NotRequired[str]


class Restated(TypedDict):
    """N9: the question as it is understood without its conversation; `fallback`: as it was asked."""

    status: Literal["restated", "fallback"]
    question: str | None
    reason: NotRequired[str]


class Reworded(TypedDict):
    """S3.2: the question in other words; `fallback`: there are none, and the question is searched for alone."""

    status: Literal["reworded", "fallback"]
    queries: list[str]
    reason: NotRequired[str]


class Decided(TypedDict):
    """S3.6: one turn of a run whose model decides. `reason` is the model's; in a `fallback` it says what went wrong.

    `queries` are new ones only, and none for `answer`.
    """

    status: Literal["decided", "fallback"]
    action: Literal["search", "answer"]
    queries: list[str]
    reason: str


class FoundBy(TypedDict):
    """One search: the candidates as `Retrieved` has them, and the chunks as users know them."""

    query: str
    candidates: list[tuple[int, float | None]]
    chunk_ids: list[str]


class Searched(TypedDict):
    """S3.6: the searches of one turn, and why they were made."""

    status: Literal["searched", "failed"]
    searches: list[FoundBy]
    why: NotRequired[str]
    reason: NotRequired[str]


class Note(TypedDict):
    """A fact for whoever writes, and the words of source `source` that prove it, at `start:end` of the passage."""

    fact: str
    source: int
    quote: str
    chunk_id: str
    start: int
    end: int


class Noted(TypedDict):
    """S3.6: the notes of the research; `dropped` counts those whose quote stands in no source."""

    status: Literal["noted", "failed"]
    notes: list[Note]
    dropped: int
    reason: NotRequired[str]


class GraphPlanned(TypedDict):
    """S5.1: what to look for in the graph. `fallback`: the question's own words; `empty`: there is no graph yet."""

    status: Literal["planned", "fallback", "empty"]
    low_level: list[str]
    high_level: list[str]
    reason: NotRequired[str]


class Link(TypedDict):
    """S5.1: why a passage may matter although it has little of the question: over an entity that another one names.

    `bridge` is that other passage's chunk key, `connection` what it says, `names` the entities in between.
    """

    bridge: int
    connection: str
    names: list[str]


class Retrieved(TypedDict):
    """Candidates in retrieval order as [chunk key, cosine similarity or null].

    `new`: a corrective round found chunks besides those that the answer before it was written from. `merged`: they come
    from several searches. `issues` say what else was to be searched for.
    """

    status: Literal["found", "empty", "failed"]
    candidates: list[tuple[int, float | None]]
    new: NotRequired[bool]
    merged: NotRequired[bool]
    issues: NotRequired[list[str]]
    reason: NotRequired[str]
    links: NotRequired[dict[str, Link]]
    """S5.1: by chunk key (JSON keys are text): those that were found over a connection."""


class Scored(TypedDict):
    """S3.1: `score` is null when the model's reply could not be read. `reranker`: who scored, if not the model.

    `linked` (S5.1): the score together with the connection over which the passage was found.
    """

    status: Literal["scored", "unreadable"]
    score: float | None
    linked: NotRequired[float | None]
    reason: NotRequired[str]
    reranker: NotRequired[str]


class Selected(TypedDict):
    """`selected` are the chunk keys that the answer is written from, numbered 1..k by position; `ranked` all of them.

    `sources` is `selected` as users see it; given sources (N2) are told without their texts. `refused`: the evidence
    gate closed. `failed`: retrieval or reranking broke, which says nothing about the documents. `reason` says why.
    `reranker`: who scored, if not the model.
    """

    status: Literal["selected", "refused", "failed"]
    selected: list[int]
    ranked: list[int]
    sources: list[dict[str, Any]]
    issues: list[str]
    reason: NotRequired[str]
    reranker: NotRequired[str]


class Drafted(TypedDict):
    """The model's answer with its `[†N]` markers; `abstained` when it said that the sources do not tell."""

    status: Literal["complete", "abstained", "failed"]
    text: str
    model: str | None
    reason: NotRequired[str]
    code: NotRequired[str]
    """Why it failed, for machines: `model_refused`, `model_unavailable`, …"""
    early: NotRequired[list[str]]
    """N1: the keys (`citations.check_key`) of the checks that were handed out while it was written."""
    stopped: NotRequired[str]
    """N1: why it was not written to its end."""
    given: NotRequired[str]
    """N2: the answer as it was given; `text` is it with a marker for each of `citations`, which came beside it."""
    inserted: NotRequired[list[tuple[int, int]]]
    """N2: (place in `given`, length) of those markers."""
    citations: NotRequired[list[dict[str, Any]]]
    """N2: {start, end, source, number}: as given, and the number of that source, null when there is none."""


class Extracted(TypedDict):
    """S4.2: extracted citations as the model gave them, with their S4.4 scores and issues."""

    status: Literal["extracted", "failed"]
    citations: list[dict[str, Any]]
    reason: NotRequired[str]


class Checked(TypedDict):
    """One check. `fallback`: a simpler method stood in (S1.2); `not_checked`: it says nothing; `skipped`: by setting.

    `verdict` is the reply of the judgement as JSON, or null. `shown` says so when only excerpts of the sources were
    shown to the model.
    """

    status: Literal["checked", "fallback", "not_checked", "skipped"]
    verdict: dict[str, Any] | None
    reason: NotRequired[str]
    shown: NotRequired[str]


class ClosedSentence(TypedDict):
    """N1: a sentence of an answer that is still being written, at `start:end` of the draft so far.

    `numbers` are the sources to hold it against now, 0 for all of them. `whole`: its state needs no other check.
    """

    index: int
    start: int
    end: int
    text: str
    claim: bool
    numbers: list[int]
    whole: bool


class Closed(TypedDict):
    """N1: the sentences that are checked together while the answer is still being written."""

    sentences: list[ClosedSentence]


class CheckedEarly(TypedDict):
    """N1: their checks by key (`citations.check_key`), and the states that were told, by position in `sentences`."""

    status: Literal["checked", "not_checked"]
    checks: dict[str, Checked]
    told: list[tuple[int, str]]


class Assessed(TypedDict):
    """What one round came to. `confidence` is that of the draft (S2.2), null without claims.

    `gaps` are the claims without support, `failing` the statements (by index) whose verdicts are a sure no. `decision`
    says what follows: another round, or the answer of round `best`. `new_context`: a corrective round found passages.
    """

    status: Literal["assessed"]
    draft: Draft
    confidence: float | None
    gaps: list[str]
    failing: list[int]
    new_context: bool
    decision: Literal["correct", "finish"]
    best: int
    repairs: NotRequired[bool]
    """False: too little time or money was left to mend what fails."""
    degraded: NotRequired[str]
    """Why something was left out."""
    together: NotRequired[dict[str, dict[str, Any]]]
    """V7: rulings on what several cited sources say together, as {statement index: {source number: ruling}}."""


class EvidenceFound(TypedDict):
    """N5: what a search for each failing statement found, as {statement index: [chunk key, …]}; JSON keys are text."""

    status: Literal["searched", "failed"]
    found: dict[str, list[int]]
    reason: NotRequired[str]


class Repaired(TypedDict):
    """N5: what becomes of one failing statement. `keys` are the chunks that support it now, `text` its words then.

    `kept`: nothing helps, but a part of it is supported, or a model failed before anything could. `reason` says why,
    for the edit log; `verdict` is the ruling.
    """

    status: Literal["reattributed", "rewritten", "dropped", "kept"]
    keys: list[int]
    text: str | None
    verdict: dict[str, Any] | None
    reason: str
