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
    types = {citation.citation_type for citation in answer[1]} if answer else set[str]()
    # A verification that broke says nothing of its sentences (S1.6).
    whole = None if judged is None or "broken" in judged.verification.checks else judged
    return signal_json(
        query,
        abstained=not is_given and answer is not None and answer[0].abstained,
        is_quoted=types == {"direct_quote"},
        states=[sentence.status for sentence in whole.sentences] if whole else None,
        shown=confidence_json(whole.verification) if whole else {"confidence": None, "confidence_level": None},
        question=question_of(whole.verification.checks) if whole else None,
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
    """The signal of an answer from columns of a list; `shown` is what `shown_confidence` returns."""
    wording: Wording = "quoted" if is_quoted else "copied"
    if query.kind == QueryKind.VERIFICATION or query.provider != "offline":
        wording = "written"
    return signal_of(
        states,
        shown["confidence"],
        question,
        is_asked=bool(query.question.strip()),
        is_measured=shown["confidence_level"] != UNCALIBRATED,
        wording=wording,
        abstained=abstained,
    ).as_json()
