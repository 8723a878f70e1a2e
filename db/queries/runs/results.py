"""Answers and verifications: written once per round, read for the API."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ScalarSelect, select, text
from sqlalchemy.orm import InstrumentedAttribute, Session

from db.models import Answer, Citation, CitationCheck, Verification, VerificationClaim, VerificationSentence
from db.queries.runs.steps import UNFINISHED
from db.round_trips import insert_with_parts
from domain.documents.cells import Cells, cells_of
from domain.documents.text_marks import TextMarks, restored

Part = TypeVar("Part", VerificationSentence, VerificationClaim, CitationCheck)


@dataclass(frozen=True, slots=True)
class StoredVerification:
    """One verification with everything below it, each in its own order."""

    verification: Verification
    sentences: list[VerificationSentence]
    claims: list[VerificationClaim]
    citation_checks: list[CitationCheck]


def add_answer(session: Session, answer: Answer, citations: list[Citation]) -> None:
    insert_with_parts(session, answer, "answer_id", citations)


def add_verification(session: Session, stored: StoredVerification) -> None:
    parts = [*stored.sentences, *stored.claims, *stored.citation_checks]
    insert_with_parts(session, stored.verification, "verification_id", parts)


StoredAnswer = tuple[Answer, list[Citation]]


def find_answer(session: Session, query_id: uuid.UUID) -> StoredAnswer | None:
    answer = session.scalar(select(Answer).where(Answer.query_id == query_id).order_by(Answer.round.desc()).limit(1))
    if answer is None:
        return None
    citations = session.scalars(select(Citation).where(Citation.answer_id == answer.id).order_by(Citation.position))
    return answer, list(citations)


def find_published_verification(session: Session, query_id: uuid.UUID) -> StoredVerification | None:
    verification = session.scalar(
        select(Verification)
        .where(Verification.query_id == query_id, Verification.kind == "published")
        .order_by(Verification.id.desc())
        .limit(1)
    )
    return _with_parts(session, verification)[0] if verification else None


def find_published_grounding(session: Session, query_id: uuid.UUID) -> bool | None:
    """Return whether every claim of the published answer is supported; None if none was published."""
    published = select(Verification.is_grounded).where(
        Verification.query_id == query_id, Verification.kind == "published"
    )
    return session.scalar(published.order_by(Verification.id.desc()).limit(1))


class Whole(NamedTuple):
    """Everything reported about a query besides its own row; `answer` and `published` are detached copies."""

    answer: StoredAnswer | None
    published: StoredVerification | None
    """The published verification without its citation checks."""
    sources: list[dict[str, Any]]
    added: dict[str, tuple[str, str]]
    """When each cited document or source was added, and the name of its workspace, by its id; deleted ones are left out
    (S3.3)."""
    marks: TextMarks
    """The marks on the text of the cited documents and sources."""
    usage: dict[str, Any]
    timings: dict[str, float]
    """Milliseconds from the first start to the last end of every step, in order of their start."""
    degraded: list[dict[str, str]]
    """{step, reason} of every step that left something out, or that a model failed, each once, in order."""
    audit: dict[str, Any] | None
    """{head, records} of its audit (N6)."""
    standing: dict[str, Any] | None
    """{state, reason, since, verification} of the answer, once a cited document has changed (N7)."""
    conversation_id: uuid.UUID | None = None
    filled: dict[str, Any] | None = None
    """The outcome of `fill_object`, if an object was requested."""
    cells: Mapping[int, Cells] = MappingProxyType({})
    """The cells that citations of spreadsheets point at, by the position of the citation."""
    review: dict[str, Any] | None = None
    """{reasons, note, decided_by, decided_at} of its review, if a rule of the workspace required one."""
    passages: Mapping[int, int] = MappingProxyType({})
    """The keys of the passages that are cited, by the position of the citation, while they are stored."""
    conflicts: Sequence[Mapping[str, Any]] = ()
    """The statements of other documents, found by `conclude`, that disagree with those that the answer cites."""


# One statement, because every fetched answer runs it: a dozen separate ones cost five times as much.
_WHOLE = text("""
WITH
answer AS MATERIALIZED (
    SELECT * FROM answers WHERE query_id = :q AND (:corrected OR round <= :round) ORDER BY round DESC LIMIT 1
),
published AS MATERIALIZED (
    SELECT * FROM verifications
    WHERE query_id = :q AND kind = 'published' AND (:corrected OR round <= :round) ORDER BY id DESC LIMIT 1
),
done AS MATERIALIZED (
    SELECT step, started_at, finished_at, value ->> 'degraded' AS degraded,
        CASE WHEN value ->> 'status' = ANY(:unfinished) THEN value ->> 'reason' END AS failure
    FROM step_outcomes
    WHERE query_id = :q AND value IS NOT NULL
),
timed AS (
    SELECT step, min(started_at) AS began, max(finished_at) AS ended FROM done GROUP BY step
),
chosen AS MATERIALIZED (
    SELECT value -> 'sources' AS sources FROM step_outcomes
    WHERE query_id = :q AND step = 'select' AND item = ''
        AND round = coalesce((SELECT round FROM answer), :round)
),
named AS MATERIALIZED (
    SELECT document_id AS id FROM citations WHERE answer_id = (SELECT id FROM answer)
    UNION
    SELECT (each ->> 'document_id')::uuid FROM chosen, jsonb_array_elements(chosen.sources) AS each
),
-- Only blocks of spreadsheets have a place, their sixth field; those of other documents are looked through once.
placed AS MATERIALIZED (
    SELECT documents.id AS document_id, (block ->> 1)::int AS start, (block ->> 2)::int AS until, block -> 5 AS place
    FROM documents CROSS JOIN jsonb_path_query(documents.blocks, 'strict $[*] ? (@.size() == 6)') AS block
    WHERE documents.id IN (
        SELECT document_id FROM citations WHERE answer_id = (SELECT id FROM answer) AND page_number IS NULL)
),
left_out AS (
    SELECT step, coalesce(degraded, min(failure)) AS reason, min(finished_at) AS ended FROM done
    WHERE degraded IS NOT NULL OR failure IS NOT NULL GROUP BY step, degraded
)
SELECT
    (SELECT row_to_json(answer) FROM answer) AS answer,
    (SELECT json_agg(row_to_json(each) ORDER BY each.position)
     FROM citations AS each JOIN answer ON each.answer_id = answer.id) AS citations,
    -- Lines are counted from the start of the block.
    (SELECT json_object_agg(cited.position, json_build_array(
         placed.place,
         length(regexp_replace(substr(documents.text, start + 1, cited.source_start - start), '[^\n]', '', 'g')),
         length(regexp_replace(substr(documents.text, cited.source_start + 1, cited.source_end - cited.source_start),
             '[^\n]', '', 'g'))))
     FROM citations AS cited
     JOIN answer ON cited.answer_id = answer.id
     JOIN placed ON placed.document_id = cited.document_id
         AND placed.start <= cited.source_start AND cited.source_start < placed.until
     JOIN documents ON documents.id = cited.document_id
     WHERE cited.page_number IS NULL) AS cells,
    (SELECT json_object_agg(cited.position, chunks.id)
     FROM citations AS cited
     JOIN answer ON cited.answer_id = answer.id
     JOIN chunks ON chunks.document_id = cited.document_id AND chunks.chunk_index = cited.chunk_index) AS passages,
    (SELECT row_to_json(published) FROM published) AS published,
    (SELECT json_agg(row_to_json(each) ORDER BY each.position)
     FROM verification_sentences AS each JOIN published ON each.verification_id = published.id) AS sentences,
    (SELECT json_agg(row_to_json(each) ORDER BY each.position)
     FROM verification_claims AS each JOIN published ON each.verification_id = published.id) AS claims,
    (SELECT sources FROM chosen) AS sources,
    (SELECT json_object_agg(documents.id, json_build_array(documents.created_at, workspaces.name))
     FROM documents JOIN workspaces ON workspaces.id = documents.workspace_id
     WHERE documents.id IN (SELECT id FROM named)) AS added,
    (SELECT json_agg(json_build_array(document_id, number, recognised)) FROM document_pages
     WHERE recognised IS NOT NULL AND (document_id, number) IN (
         SELECT document_id, page_number FROM citations WHERE answer_id = (SELECT id FROM answer)
         UNION
         SELECT (each ->> 'document_id')::uuid, (each ->> 'page_number')::int
         FROM chosen, jsonb_array_elements(chosen.sources) AS each)) AS recognised,
    (SELECT json_object_agg(id, figures) FROM documents WHERE figures IS NOT NULL AND id IN (SELECT id FROM named))
        AS figures,
    (SELECT json_object_agg(id, corrections) FROM documents
     WHERE corrections IS NOT NULL AND id IN (SELECT id FROM named)) AS corrected,
    (SELECT json_build_object(
         'llm_calls', count(*) FILTER (WHERE NOT kept),
         'unknown_calls', count(*) FILTER (WHERE unknown),
         'prompt_tokens', coalesce(sum(prompt_tokens), 0),
         'cached_tokens', coalesce(sum(cached_tokens), 0),
         'completion_tokens', coalesce(sum(completion_tokens), 0),
         'cost_usd', coalesce(sum(cost_usd), 0)::float)
     FROM model_calls WHERE query_id = :q) AS usage,
    (SELECT json_object_agg(step, round(extract(epoch FROM ended - began) * 1000, 1) ORDER BY began)
     FROM timed) AS timings,
    (SELECT json_agg(json_build_object('step', step, 'reason', reason) ORDER BY ended, step)
     FROM left_out) AS degraded,
    (SELECT json_build_object('head', head, 'records', length) FROM audit_chains WHERE query_id = :q) AS audit,
    (SELECT json_build_object('state', state, 'reason', reason, 'since', since, 'verification', reverification)
     FROM answer_standings WHERE query_id = :q) AS standing,
    (SELECT conversation_id FROM conversation_turns AS turns JOIN queries ON queries.id = turns.query_id
        WHERE query_id = :q AND (NOT is_thread OR NOT is_inherited) ORDER BY is_inherited, turns.id LIMIT 1)
     AS conversation_id,
    (SELECT value FROM step_outcomes WHERE query_id = :q AND step = 'fill_object' AND value IS NOT NULL
     ORDER BY round DESC LIMIT 1) AS filled,
    (SELECT json_build_object('reasons', reasons, 'note', reason, 'decided_by', reviewed_by,
         'decided_at', reviewed_at)
     FROM feedback WHERE query_id = :q AND reasons IS NOT NULL LIMIT 1) AS review,
    (SELECT value -> 'conflicts' FROM step_outcomes WHERE query_id = :q AND step = 'conclude' AND value IS NOT NULL
     ORDER BY round DESC LIMIT 1) AS conflicts
""")


def read_whole(session: Session, query_id: uuid.UUID, round_: int, *, with_correction: bool = True) -> Whole:
    """Return everything about a query that a report shows; `round_` is the query's current round, and only a reviewer's
    correction has a later one."""
    given = {"q": query_id, "round": round_, "corrected": with_correction, "unfinished": list(UNFINISHED)}
    row = session.execute(_WHOLE, given).one()
    corrected: dict[str, list[list[Any]]] = row.corrected or {}
    citations: list[dict[str, Any]] = row.citations or []
    placed: dict[str, tuple[tuple[int, int, list[int]], int, int]] = row.cells or {}
    passages: dict[str, int] = row.passages or {}
    answer = (Answer(**row.answer), [Citation(**citation) for citation in citations]) if row.answer else None
    published = _published(row.published, row.sentences or [], row.claims or []) if row.published else None
    return Whole(
        answer,
        published,
        sources=row.sources or [],
        added=row.added or {},
        marks=TextMarks(
            {(document, page): lines for document, page, lines in row.recognised or ()},
            row.figures or {},
            {document: restored(spans) for document, spans in corrected.items()},
        ),
        usage=row.usage,
        timings=row.timings or {},
        degraded=row.degraded or [],
        audit=row.audit,
        standing=row.standing,
        conversation_id=row.conversation_id,
        filled=row.filled,
        review=row.review,
        cells={int(position): cells_of(*place) for position, place in placed.items()},
        passages={int(position): key for position, key in passages.items()},
        conflicts=row.conflicts or (),
    )


def _published(
    verification: Mapping[str, Any], sentences: list[dict[str, Any]], claims: list[dict[str, Any]]
) -> StoredVerification:
    return StoredVerification(
        Verification(**verification),
        [VerificationSentence(**sentence) for sentence in sentences],
        [VerificationClaim(**claim) for claim in claims],
        [],
    )


def find_draft_verification(session: Session, query_id: uuid.UUID) -> StoredVerification | None:
    """Return the verification before any repair, of the draft or of a given answer (N2); else that of the published
    answer."""
    verification = session.scalar(select(Verification).where(Verification.id == _draft_id(query_id)))
    return _with_parts(session, verification)[0] if verification else None


def list_draft_sentences(session: Session, query_id: uuid.UUID) -> list[VerificationSentence]:
    """Return the sentences of `find_draft_verification`; empty if there is none."""
    own = VerificationSentence.verification_id == _draft_id(query_id)
    return list(session.scalars(select(VerificationSentence).where(own).order_by(VerificationSentence.position)))


def _draft_id(query_id: uuid.UUID) -> ScalarSelect[int]:
    own = select(Verification.id).where(Verification.query_id == query_id)
    return own.order_by(Verification.kind, Verification.id).limit(1).scalar_subquery()


def list_verifications(session: Session, query_id: uuid.UUID) -> list[StoredVerification]:
    verifications = session.scalars(
        select(Verification).where(Verification.query_id == query_id).order_by(Verification.id)
    )
    return _with_parts(session, *verifications)


def _with_parts(session: Session, *verifications: Verification) -> list[StoredVerification]:
    """Return the verifications with their dependent rows, which three statements read for any number of
    verifications."""
    own = [verification.id for verification in verifications]
    sentences = _below(session, VerificationSentence, VerificationSentence.position, own)
    claims = _below(session, VerificationClaim, VerificationClaim.position, own)
    checks = _below(session, CitationCheck, CitationCheck.item, own)
    return [
        StoredVerification(verification, sentences[verification.id], claims[verification.id], checks[verification.id])
        for verification in verifications
    ]


def _below(
    session: Session, part: type[Part], place: InstrumentedAttribute[Any], verification_ids: Sequence[int]
) -> dict[int, list[Part]]:
    parts: dict[int, list[Part]] = {id_: [] for id_ in verification_ids}
    for row in session.scalars(select(part).where(part.verification_id.in_(verification_ids)).order_by(place)):
        parts[row.verification_id].append(row)
    return parts
