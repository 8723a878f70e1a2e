"""Fills the requested object from the verified sentences of the concluded answer.

A model copies values out of these sentences. Code checks that the values occur in them, and a second call checks that
the sentences state the value for that field. A value that fails any of these checks is not in the object.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.batched_items import Entries, by_id
from citewell_verify.prompting.judgements import CHECK_FIELDS, FILL_FIELDS, FilledField
from citewell_verify.verdicts.states import SentenceStatus
from db.models import Citation
from db.queries.runs.results import find_answer, find_published_verification
from db.session import reading
from domain.objects.filling import MAX_VALUES, Filled, Value, filled, proposed, shown_fields
from domain.objects.schema import Field, read_schema
from domain.query.outcomes import CONCLUDE, ObjectFilled
from services.core.context import StepContext, StepResult

_CHECKED_AT_ONCE = 20
_LONGEST_VALUE = 4_000
NOTHING_VERIFIED = "No sentence of the answer was verified."
NOT_CHECKED = "whether the sentences say it of this field was not checked"


@dataclass(frozen=True, slots=True)
class _Answer:
    """The supported sentences by position, and the numbers that each of them cites; `withheld` is the reason when there
    are none."""

    sentences: Mapping[int, str]
    cited: Mapping[int, Sequence[int]]
    withheld: str | None = None


async def fill_object(context: StepContext) -> StepResult:
    """Fill the object. Without an answer there is no object, for the same reason."""
    if (concluded := context.read(CONCLUDE)) and concluded["status"] == "failed":
        return _outcome(Filled(None, "There is no answer.", []))
    answer = await asyncio.to_thread(_read, context)
    if answer.withheld:
        return _outcome(Filled(None, answer.withheld, []))
    root = read_schema(context.query.options.answer_schema or {})
    form = shown_fields(root)
    sentences = "\n".join(f"{position}. {text}" for position, text in answer.sentences.items())
    fields = {"sentences": sentences, "form": form, "question": context.question}
    model = context.query.options.model
    reply = await context.tools.models.ask(FILL_FIELDS, fields, log=context.log, model=model)
    if isinstance(reply, Failure):
        failed = ObjectFilled(status="failed", value=None, values=[], reason=reply.reason)
        return StepResult.single(failed)
    checked = await _checked(context, form, _proposals(root, reply.fields, answer), answer)
    return _outcome(filled(root, checked))


def _outcome(made: Filled) -> StepResult:
    outcome = ObjectFilled(
        status="withheld" if made.value is None else "filled",
        value=made.value,
        values=[value.as_json() for value in made.values],
    )
    if made.withheld:
        outcome["reason"] = made.withheld
    return StepResult.single(outcome)


def _read(context: StepContext) -> _Answer:
    with reading() as session:
        stored = find_answer(session, context.query.id)
        published = find_published_verification(session, context.query.id)
    if stored is None or stored[0].abstained:
        return _Answer({}, {}, (stored[0].abstain_reason if stored else None) or NOTHING_VERIFIED)
    rows = published.sentences if published else []
    supported = {place: sentence for place, sentence in enumerate(rows) if sentence.status == SentenceStatus.SUPPORTED}
    if not supported:
        return _Answer({}, {}, NOTHING_VERIFIED)
    return _Answer(
        {place: " ".join(sentence.text.split()) for place, sentence in supported.items()},
        {place: _numbers(stored[1], sentence.start, sentence.end) for place, sentence in supported.items()},
    )


def _numbers(citations: Sequence[Citation], start: int, end: int) -> list[int]:
    return sorted(
        {citation.number for citation in citations if citation.answer_start < end and start < citation.answer_end}
    )


def _proposals(root: Field, written: Sequence[FilledField], answer: _Answer) -> list[Value]:
    """Return the values that a model wrote, the first one for each place."""
    values: dict[str, Value] = {}
    for field in written[:MAX_VALUES]:
        path = f"/{field.path.strip().lstrip('/')}"
        text = field.value.replace("\x00", "")[:_LONGEST_VALUE]
        value = proposed(root, path, text, field.sentences, answer.sentences)
        if value is not None and path not in values:
            values[path] = replace(value, citations=sorted({n for at in value.sentences for n in answer.cited[at]}))
    return list(values.values())


async def _checked(context: StepContext, form: str, values: Sequence[Value], answer: _Answer) -> list[Value]:
    open_ = [value for value in values if value.status == "verified"]
    groups = [open_[at : at + _CHECKED_AT_ONCE] for at in range(0, len(open_), _CHECKED_AT_ONCE)]
    judged = await asyncio.gather(*(_judged(context, form, group, answer) for group in groups))
    by_path = {value.path: value for group in judged for value in group}
    return [by_path.get(value.path, value) for value in values]


async def _judged(context: StepContext, form: str, values: Sequence[Value], answer: _Answer) -> list[Value]:
    """Return the values with their verdicts; a value without a verdict is removed, because nothing unchecked counts as
    verified."""
    entries = Entries.of([_shown(value, answer) for value in values])
    fields = {"form": form, "question": context.question, "entries": entries}
    item = ",".join(value.path for value in values)[:200]
    reply = await context.tools.models.ask(CHECK_FIELDS.for_items(len(values)), fields, log=context.log, item=item)
    if isinstance(reply, Failure):
        return [value.removed(f"{NOT_CHECKED}: {reply.reason}") for value in values]
    said = by_id(entries, reply.checks)
    return [_with_verdict(value, said.get(entry.id)) for value, entry in zip(values, entries, strict=True)]


def _with_verdict(value: Value, verdict: object) -> Value:
    says, reason = getattr(verdict, "says", None), str(getattr(verdict, "reason", "")).replace("\x00", "")
    if says is None:
        return value.removed(NOT_CHECKED)
    return (
        value if says else value.removed(f"the sentences do not say it of this field: {' '.join(reason.split())[:300]}")
    )


def _shown(value: Value, answer: _Answer) -> str:
    said = "\n".join(answer.sentences[position] for position in value.sentences)
    return f"field: {value.path}\nvalue: {json.dumps(value.value, ensure_ascii=False)}\nsentences:\n{said}"
