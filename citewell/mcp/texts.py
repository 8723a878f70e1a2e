"""Results as text, for models that are not shown the structured content."""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from citewell.mcp.shapes import (
    NOTICE,
    AnswerFound,
    AnswerVerified,
    Change,
    DocumentsListed,
    LeftOut,
    PassagesFound,
    Scored,
    SentenceFound,
    SignalFound,
    SourceRead,
    WorkspacesListed,
)

_PROVEN = frozenset({"supported", "no_claim"})


def result(content: BaseModel, lines: Iterable[str]) -> CallToolResult:
    """Both forms of a result; the text ends with the notice on quotations."""
    text = "\n".join([*lines, "", NOTICE])
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=content.model_dump(mode="json")
    )


class _Quoting:
    """Quotation marks that no document can close, because each result has its own."""

    def __init__(self) -> None:
        self._mark = f"quotation-{secrets.token_hex(4)}"

    def quote(self, text: str) -> str:
        return f"<{self._mark}>\n{text}\n</{self._mark}>"


def answer_lines(found: AnswerFound) -> Iterator[str]:
    quoting = _Quoting()
    yield found.answer
    yield from _signal(found.signal)
    if found.abstain_reason:
        yield f"\nWhy there is no answer: {found.abstain_reason}"
    for each in found.mentions:
        yield f"\nA passage that comes close, {_place(each.document, each.page, None)}:"
        yield quoting.quote(each.quote)
    if found.citations:
        yield "\nSources:"
    for citation in found.citations:
        place = _place(citation.document_name, citation.page_number, citation.section)
        yield (
            f"[{citation.number}] {place}: {citation.status} ({citation.confidence_score:.2f}). "
            f"document_id {citation.document_id}, characters {citation.source_start} to {citation.source_end}"
        )
        yield quoting.quote(citation.text_span)
    if found.left_open:
        yield f"\nLeft open: {'; '.join(found.left_open)}"
    yield from _scores(found.scores)
    yield from _doubts(found.sentences)
    yield from _changes(found.changes)
    yield from _left_out(found.degraded)
    if found.restated_question:
        yield f"\nUnderstood as: {json.dumps(found.restated_question, ensure_ascii=False)}"
    conversation = f", conversation_id {found.conversation_id}" if found.conversation_id else ""
    yield f"\nQuery {found.query_id}{conversation}, provider {found.provider}."


def verified_lines(found: AnswerVerified) -> Iterator[str]:
    quoting = _Quoting()
    yield from _signal(found.signal)
    yield "Sentences:"
    for number, sentence in enumerate(found.sentences, 1):
        yield f"{number}. {sentence.status}: {json.dumps(sentence.text, ensure_ascii=False)}. {sentence.reason}"
        if sentence.evidence:
            yield quoting.quote(sentence.evidence)
    if found.citations:
        yield "\nCitations:"
    for citation in found.citations:
        name = "(no source)" if citation.number is None else f"[{citation.number}]"
        yield f"{name} {citation.status}: {citation.explanation}"
    yield from _scores(found.scores)
    yield from _changes(found.changes)
    yield from _left_out(found.degraded)
    if found.repaired_answer is not None:
        yield f"\nRepaired answer ({'changed' if found.changed else 'not changed'}):"
        yield found.repaired_answer
    yield f"\nVerification {found.verification_id}."


def passage_lines(found: PassagesFound) -> Iterator[str]:
    quoting = _Quoting()
    yield f"{len(found.passages)} passages, the best first." if found.passages else "Nothing was found."
    for number, passage in enumerate(found.passages, 1):
        place = _place(passage.document_name, passage.page_number, passage.section)
        yield (
            f"\n{number}. {place}. document_id {passage.document_id}, chunk_id {passage.chunk_id}, "
            f"characters {passage.source_start} to {passage.source_end}"
        )
        yield quoting.quote(passage.text)
    yield from found.issues


def source_lines(found: SourceRead) -> Iterator[str]:
    place = _place(found.document_name, found.page_number, None)
    yield f"{place}, characters {found.source_start} to {found.source_end}:"
    yield _Quoting().quote(found.text)
    if found.blanked:
        yield "Sentences that give orders to a model were blanked out."
    if found.next_start is not None:
        yield f"There is more: read on with start={found.next_start}."


def document_lines(found: DocumentsListed) -> Iterator[str]:
    yield "No documents." if not found.documents else "Documents, the newest first:"
    for each in found.documents:
        pages = f", {each.pages} pages" if each.pages else ""
        yield f"- {json.dumps(each.filename, ensure_ascii=False)} in {each.workspace}: {each.status}{pages}; {each.id}"
    if found.more:
        yield "There are others: name a workspace or a filename, or ask for more."


def workspace_lines(found: WorkspacesListed) -> Iterator[str]:
    yield "No workspaces." if not found.workspaces else "Workspaces, the last used first:"
    for each in found.workspaces:
        title = f" ({json.dumps(each.title, ensure_ascii=False)})" if each.title else ""
        yield f"- {each.name}{title}: {each.documents.ready} documents ready, {each.documents.failed} failed"


def _place(name: str, page: int | None, section: str | None) -> str:
    where = "" if page is None else f", p.{page}"
    return (
        json.dumps(name, ensure_ascii=False)
        + where
        + (f", {json.dumps(section, ensure_ascii=False)}" if section else "")
    )


def _signal(signal: SignalFound | None) -> Iterator[str]:
    if signal:
        number = f" Probability {signal.probability:.2f}." if signal.probability is not None else ""
        yield f"{signal.word} ({signal.level}). {signal.reason}{number}"


def _scores(scores: Scored | None) -> Iterator[str]:
    if scores is None:
        yield "\nNothing was verified."
        return
    details = [
        f"{scores.claims_supported} of {scores.claims_checked} statements supported" if scores.claims_checked else "",
        f"accuracy of citations {scores.accuracy_rate:.2f}" if scores.accuracy_rate is not None else "",
    ]
    if known := "; ".join(filter(None, details)):
        yield f"\nVerified: {known}."
    yield from scores.issues


def _doubts(sentences: Sequence[SentenceFound]) -> Iterator[str]:
    for sentence in sentences:
        if sentence.status not in _PROVEN:
            yield f"Not proven ({sentence.status}): {json.dumps(sentence.text, ensure_ascii=False)}. {sentence.reason}"


def _changes(changes: Sequence[Change]) -> Iterator[str]:
    if changes:
        yield "\nChanged by the checks:"
    for change in changes:
        number = "" if change.number is None else f" [{change.number}]"
        words = "" if change.before is None else f" {json.dumps(change.before, ensure_ascii=False)}"
        became = "" if change.after is None else f" became {json.dumps(change.after, ensure_ascii=False)}"
        yield f"- {change.kind}{number}{words}{became}: {change.reason}"


def _left_out(degraded: Sequence[LeftOut]) -> Iterator[str]:
    for each in degraded:
        yield f"Left out: {each.step}, because {each.reason}."
