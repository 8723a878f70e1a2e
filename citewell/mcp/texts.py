"""Results as text, for models that do not see the structured content."""

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
    SignalFound,
    SourceRead,
    WorkspacesListed,
)

_PROVEN = frozenset({"supported", "no_claim"})


def result(content: BaseModel, lines: Iterable[str]) -> CallToolResult:
    """Return both forms of a result; the text ends with the notice on quotations."""
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


def answer_lines(answer: AnswerFound) -> Iterator[str]:
    quoting = _Quoting()
    yield answer.answer
    yield from _signal(answer.signal)
    if answer.abstain_reason:
        yield f"\nWhy there is no answer: {answer.abstain_reason}"
    for conflict in answer.conflicts:
        yield f"\nThe documents disagree: {json.dumps(conflict, ensure_ascii=False)}"
    for mention in answer.mentions:
        yield f"\nA passage that comes close, {_place(mention.document, mention.page, None)}:"
        yield quoting.quote(mention.quote)
    if answer.citations:
        yield "\nSources:"
    for citation in answer.citations:
        place = _place(citation.document_name, citation.page_number, citation.section)
        yield (
            f"[{citation.number}] {place}: {citation.status} ({citation.confidence_score:.2f}). "
            f"document_id {citation.document_id}, characters {citation.source_start} to {citation.source_end}"
        )
        yield quoting.quote(citation.text_span)
    if answer.left_open:
        yield f"\nLeft open: {'; '.join(answer.left_open)}"
    yield from _scores(answer.scores)
    for sentence in answer.sentences:
        if sentence.status not in _PROVEN:
            yield f"Not proven ({sentence.status}): {json.dumps(sentence.text, ensure_ascii=False)}. {sentence.reason}"
    yield from _changes(answer.changes)
    yield from _left_out(answer.degraded)
    if answer.restated_question:
        yield f"\nUnderstood as: {json.dumps(answer.restated_question, ensure_ascii=False)}"
    conversation = f", conversation_id {answer.conversation_id}" if answer.conversation_id else ""
    yield f"\nQuery {answer.query_id}{conversation}, provider {answer.provider}."


def verified_lines(verified: AnswerVerified) -> Iterator[str]:
    quoting = _Quoting()
    yield from _signal(verified.signal)
    yield "Sentences:"
    for number, sentence in enumerate(verified.sentences, 1):
        yield f"{number}. {sentence.status}: {json.dumps(sentence.text, ensure_ascii=False)}. {sentence.reason}"
        if sentence.evidence:
            yield quoting.quote(sentence.evidence)
    if verified.citations:
        yield "\nCitations:"
    for citation in verified.citations:
        name = "(no source)" if citation.number is None else f"[{citation.number}]"
        yield f"{name} {citation.status}: {citation.explanation}"
    yield from _scores(verified.scores)
    yield from _changes(verified.changes)
    yield from _left_out(verified.degraded)
    if verified.repaired_answer is not None:
        yield f"\nRepaired answer ({'changed' if verified.changed else 'not changed'}):"
        yield verified.repaired_answer
    yield f"\nVerification {verified.verification_id}."


def passage_lines(search: PassagesFound) -> Iterator[str]:
    quoting = _Quoting()
    yield f"{len(search.passages)} passages, the best first." if search.passages else "Nothing was found."
    for number, passage in enumerate(search.passages, 1):
        place = _place(passage.document_name, passage.page_number, passage.section)
        yield (
            f"\n{number}. {place}. document_id {passage.document_id}, chunk_id {passage.chunk_id}, "
            f"characters {passage.source_start} to {passage.source_end}"
            + "".join(f", also in {_place(copy.document_name, None, None)}" for copy in passage.also_in)
        )
        yield quoting.quote(passage.text)
    yield from search.issues


def source_lines(source: SourceRead) -> Iterator[str]:
    place = _place(source.document_name, source.page_number, None)
    yield f"{place}, characters {source.source_start} to {source.source_end}:"
    yield _Quoting().quote(source.text)
    if source.blanked:
        yield "Sentences that give orders to a model were blanked out."
    if source.next_start is not None:
        yield f"There is more: read on with start={source.next_start}."


def document_lines(listed: DocumentsListed) -> Iterator[str]:
    yield "No documents." if not listed.documents else "Documents, the newest first:"
    for document in listed.documents:
        pages = f", {document.pages} pages" if document.pages else ""
        name = json.dumps(document.filename, ensure_ascii=False)
        yield f"- {name} in {document.workspace}: {document.status}{pages}; {document.id}"
    if listed.more:
        yield "There are others: name a workspace or a filename, or ask for more."


def workspace_lines(listed: WorkspacesListed) -> Iterator[str]:
    yield "No workspaces." if not listed.workspaces else "Workspaces, the last used first:"
    for workspace in listed.workspaces:
        title = f" ({json.dumps(workspace.title, ensure_ascii=False)})" if workspace.title else ""
        documents = f"{workspace.documents.ready} documents ready, {workspace.documents.failed} failed"
        yield f"- {workspace.name}{title}: {documents}"


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


def _changes(changes: Sequence[Change]) -> Iterator[str]:
    if changes:
        yield "\nChanged by the checks:"
    for change in changes:
        number = "" if change.number is None else f" [{change.number}]"
        words = "" if change.before is None else f" {json.dumps(change.before, ensure_ascii=False)}"
        became = "" if change.after is None else f" became {json.dumps(change.after, ensure_ascii=False)}"
        yield f"- {change.kind}{number}{words}{became}: {change.reason}"


def _left_out(degraded: Sequence[LeftOut]) -> Iterator[str]:
    for part in degraded:
        yield f"Left out: {part.step}, because {part.reason}."
