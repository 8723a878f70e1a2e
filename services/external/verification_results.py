"""Verifications of given answers as JSON: verdicts on the answer as given, and its repaired text (N2)."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.answers.external_citations import as_given
from citewell_verify.answers.translation import remarks
from citewell_verify.evidence.passages import chunk_id_of
from db.base import row_json
from db.models import Answer, Query, QueryKind, QueryStatus, VerificationSentence
from db.queries.access.workspaces import workspace_name_of
from db.queries.paging import Place
from db.queries.runs import queries, results, steps
from db.queries.runs.parking import list_degraded
from db.queries.runs.queries import QueryFilter
from db.queries.verifications.audits import find_head
from db.queries.verifications.external_sources import get_given_text
from db.session import reading
from domain.query.outcomes import CONCLUDE, GENERATE, SELECT, Concluded, Drafted, JudgedCitation, Selected
from services.queries.result_json import scores_json
from services.queries.results import timings_json, usage_json
from services.reporting.assessment import stored_signal
from services.reporting.comparison import comparison

Location = Mapping[str, Any]


def read_verification(query_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        query = queries.get_query(session, query_id, QueryKind.VERIFICATION)
        outcomes = steps.list_outcomes(session, query_id).get(0, {})
        draft = Drafted(**outcomes[GENERATE, ""])
        sources = Selected(**outcomes[SELECT, ""])["sources"]
        concluded = outcomes.get((CONCLUDE, ""))
        judged = Concluded(**concluded).get("citations", []) if concluded else []
        stored = results.find_draft_verification(session, query_id)
        rendered = AsSubmitted(sources, draft.get("inserted", []))
        is_cancelled = query.status == QueryStatus.CANCELLED
        return {
            **_head(query, workspace_name_of(session, query)),
            **_verdicts(session, query, draft, sources, stored.sentences if stored else []),
            "answer": draft.get("given", ""),
            "repaired_is_grounded": None if is_cancelled else results.find_published_grounding(session, query_id),
            **reading_of(draft),
            "citations": [rendered.citation(entry) for entry in judged],
            "verification": scores_json(stored, query.options) if stored else None,
            "signal": stored_signal(query, None, stored) if query.status == QueryStatus.SUCCEEDED else None,
            "usage": usage_json(session, query_id),
            "timings": timings_json(session, query),
            "degraded": list_degraded(session, query_id),
            "audit": find_head(session, query_id),
            "comparison": comparison(session, query.reverifies, query_id) if query.reverifies else None,
        }


def read_verdicts(query_id: uuid.UUID) -> dict[str, Any]:
    """Return the verdicts on the words of an answer, with a third of the statements of `read_verification`."""
    with reading() as session:
        query = queries.get_query(session, query_id, QueryKind.VERIFICATION)
        outcomes = steps.list_outcomes(session, query_id).get(0, {})
        sources = Selected(**outcomes[SELECT, ""])["sources"]
        sentences = results.list_draft_sentences(session, query_id)
        verdicts = _verdicts(session, query, Drafted(**outcomes[GENERATE, ""]), sources, sentences)
        return {"status": query.status, "error": query.error, **verdicts}


def _verdicts(
    session: Session,
    query: Query,
    draft: Drafted,
    sources: Sequence[Mapping[str, Any]],
    sentences: Sequence[VerificationSentence],
) -> dict[str, Any]:
    rendered = AsSubmitted(sources, draft.get("inserted", []))
    # An answer that was concluded and then cancelled was never published.
    answer = None if query.status == QueryStatus.CANCELLED else results.find_answer(session, query.id)
    return {
        **_repaired(draft.get("given", ""), answer),
        "sources": [{name: value for name, value in source.items() if name != "brackets"} for source in sources],
        "sentences": list(map(rendered.sentence, sentences)),
    }


def reading_of(draft: Drafted) -> dict[str, Any]:
    """Return how the citations of a given answer were read: those that name no source, and remarks for users."""
    given = draft.get("given", "")
    unread = draft.get("unread", [])
    return {
        "unread_citations": [{"start": start, "end": end, "text": given[start:end]} for start, end in unread],
        "issues": remarks(given, unread, from_zero=draft.get("from_zero", False)),
    }


def read_source_text(query_id: uuid.UUID, number: int) -> str:
    with reading() as session:
        queries.get_query(session, query_id, QueryKind.VERIFICATION)
        return get_given_text(session, query_id, number)


def read_custom_id(query_id: uuid.UUID) -> str | None:
    with reading() as session:
        return queries.get_query(session, query_id, QueryKind.VERIFICATION).custom_id


def read_verifications(status: str | None, *, after: Place | None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        wanted = QueryFilter(status=status, kind=QueryKind.VERIFICATION)
        return [_head(*row) for row in queries.list_queries(session, wanted, after=after, limit=limit)]


def _head(query: Query, workspace: str) -> dict[str, Any]:
    return {
        **row_json(query, "id status stage custom_id batch_id provider error replay_of reverifies"),
        **row_json(query, "created_at finished_at"),
        "workspace": workspace,
        "question": query.question or None,
        "preset": query.options.get("preset", "standard"),
    }


def _repaired(given: str, stored: results.StoredAnswer | None) -> dict[str, Any]:
    """Return the repaired answer, or without an edit the submitted text, whose form of markers is the author's
    choice."""
    if stored is None:
        return {"repaired_answer": None, "changed": None, "edits": [], "removed_citations": []}
    answer, _ = stored
    changed = is_changed(answer)
    return {
        "repaired_answer": answer.text if changed else given,
        "changed": changed,
        "edits": answer.edits,
        "removed_citations": answer.removed_citations,
    }


def is_changed(answer: Answer) -> bool:
    return bool(answer.edits) or answer.abstained


class AsSubmitted:
    """Renders sentences and citations with the request's source numbers, and with offsets in the answer as given."""

    def __init__(self, sources: Sequence[Mapping[str, Any]], inserted: Sequence[Sequence[int]]) -> None:
        self._sources = {chunk_id_of(source["number"]): source for source in sources}
        self._inserted = inserted

    def sentence(self, sentence: VerificationSentence) -> dict[str, Any]:
        return {
            "start": as_given(sentence.start, self._inserted, opens=True),
            "end": as_given(sentence.end, self._inserted),
            **row_json(sentence, "text status reason support evidence"),
            "source": self._place(sentence.source) if sentence.source else None,
        }

    def citation(self, entry: JudgedCitation) -> dict[str, Any]:
        location = entry["location"]
        named = self._sources.get(chunk_id_of(entry["number"])) if entry["number"] else None
        fields = {key: value for key, value in entry.items() if key != "location"}
        return {
            **fields,
            "source": _named(named) if named else None,
            "page_number": location["page_number"] if location else None,
            "source_start": location["source_start"] if location else None,
            "source_end": location["source_end"] if location else None,
        }

    def _place(self, location: Location) -> dict[str, Any]:
        return {
            **_named(self._sources[location["chunk_id"]]),
            "page_number": location["page_number"],
            "section": location["section"],
            "source_start": location["source_start"],
            "source_end": location["source_end"],
        }


def _named(source: Mapping[str, Any]) -> dict[str, Any]:
    return {name: source[name] for name in ("number", "id", "title")}
