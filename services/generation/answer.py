"""Generation: the main model writes a cited answer from the selected passages (S4.1, S5.3)."""

from dataclasses import replace

from citewell_verify.answers.references import strip_references
from citewell_verify.answers.translation import translated
from citewell_verify.judging.model import Failure
from citewell_verify.judging.shown import numbered_sources
from citewell_verify.markers.citable import Citable
from citewell_verify.prompting.judgements import GENERATE_ANSWER, REGENERATE_ANSWER, SYNTHESIZE_ANSWER
from clients.llm.gateway import ComposedText
from domain.answers.frames import without_frames
from domain.objects.filling import wish_for
from domain.objects.schema import read_schema
from domain.query.instructions import style_of
from domain.query.model_refusals import refuses
from domain.query.modes import idk_for
from domain.query.outcomes import ASSESS, Drafted
from services.core.context import StepContext, StepResult, when_loaded
from services.generation.draft_stream import StreamedDraft, publishing_draft
from services.verification.citation_spans import notes_text

STOPPED = "The answer was not written to its end: no sentence that was checked by then is in the sources."


async def generate(context: StepContext) -> StepResult:
    """Write the answer; a cut, empty or refused one is a failed draft, never a short answer."""
    passages = await when_loaded(context, context.selected_passages)
    options = context.query.options
    style = style_of(options.instructions)
    if options.answer_schema is not None:
        style = f"{style}\n\n{wish_for(read_schema(options.answer_schema))}"
    composition, fields = (
        GENERATE_ANSWER,
        {
            "sources": numbered_sources(passages),
            "question": context.question,
            # The workspace's own refusal is for readers: a model refuses in words that are recognised.
            "idk": idk_for(context.question, passages[0].readable if passages else ""),
            "style": style,
        },
    )
    if notes := notes_text(context):
        composition, fields = SYNTHESIZE_ANSWER, {**fields, "notes": notes}
    if (assessed := context.read_earlier(ASSESS)) and (gaps := assessed["gaps"]):
        composition, fields = REGENERATE_ANSWER, {**fields, "gaps": "\n".join(f"- {gap}" for gap in gaps)}
    async with publishing_draft(context) as draft:
        reply = await draft.while_grounded(
            context.tools.models.compose(composition, fields, log=context.log, model=options.model, on_text=draft.write)
        )
    drafted = _stopped(context, draft) if reply is None else _drafted(reply, draft, context.citable)
    return replace(drafted, events=[*draft.unpublished(), *drafted.events])


def _drafted(reply: ComposedText | Failure, draft: StreamedDraft, sources: Citable) -> StepResult:
    if isinstance(reply, Failure):
        return StepResult.single(
            Drafted(status="failed", text="", model=None, reason=reply.reason, code=f"model_{reply.kind}")
        )
    text = without_frames(reply.text.replace("\x00", "").strip())
    if not text:
        empty = "The model returned an empty answer."
        return StepResult.single(
            Drafted(status="failed", text="", model=reply.model, reason=empty, code="model_invalid_reply")
        )
    if refuses(strip_references(text), sources.refusal):
        reason = "The passages that were found do not contain the answer."
        return StepResult.single(Drafted(status="abstained", text=text, model=reply.model, reason=reason))
    # The prompt numbers the sources from 1.
    text = translated(text, sources, first_number=1).text
    return StepResult.single(Drafted(status="complete", text=text, model=reply.model, early=sorted(draft.dispatched)))


def _stopped(context: StepContext, draft: StreamedDraft) -> StepResult:
    model = context.log.records[-1].model if context.log.records else None
    drafted = Drafted(
        status="complete", text=draft.closed_text, model=model, early=sorted(draft.dispatched), stopped=STOPPED
    )
    return StepResult.single(drafted, events=[("draft.stopped", {"round": context.round, "reason": STOPPED})])
