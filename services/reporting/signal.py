"""The signal of a stored answer (V10). It is never stored, so an old answer has the words of this version."""

from collections.abc import Collection, Mapping
from typing import Any

from citewell_verify.question.verdict import question_of
from citewell_verify.verdicts.answer_confidence import UNCALIBRATED
from db.models import Query, QueryKind
from db.queries.runs.results import StoredAnswer, StoredVerification
from domain.quality.signal import Wording, signal_of
from services.reporting.answer_confidence import confidence_json


def stored_signal(query: Query, answer: StoredAnswer | None, judged: StoredVerification | None) -> dict[str, Any]:
    """The signal of the answer of a question that succeeded, or of the text that was given for verification."""
    is_given = query.kind == QueryKind.VERIFICATION
    quoted = answer is not None and _is_quoted([citation.citation_type for citation in answer[1]])
    # A verification that broke says nothing of its sentences (S1.6).
    found = None if judged is None or "broken" in judged.verification.checks else judged
    return signal_json(
        query,
        abstained=not is_given and answer is not None and answer[0].abstained,
        is_quoted=quoted,
        states=[sentence.status for sentence in found.sentences] if found else None,
        shown=confidence_json(found.verification) if found else {"confidence": None, "confidence_level": None},
        question=question_of(found.verification.checks) if found else None,
    )


def signal_json(
    query: Query,
    *,
    abstained: bool,
    is_quoted: bool,
    states: Collection[str] | None,
    shown: Mapping[str, Any],
    question: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The same from columns of a list; `shown` is what `shown_confidence` returns."""
    return signal_of(
        states,
        shown["confidence"],
        question,
        is_asked=bool(query.question.strip()),
        is_measured=shown["confidence_level"] != UNCALIBRATED,
        wording=_wording(query, is_quoted=is_quoted),
        abstained=abstained,
    ).as_json()


def _wording(query: Query, *, is_quoted: bool) -> Wording:
    if query.kind == QueryKind.VERIFICATION or query.provider != "offline":
        return "written"
    return "quoted" if is_quoted else "copied"


def _is_quoted(types: Collection[str]) -> bool:
    return bool(types) and set(types) == {"direct_quote"}
