"""The verification of one answer against sources in memory, from its text to the report.

Each step is the function that the server's task of the same name calls, so that both give the same verdicts.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from citewell_verify.answers.external_citations import as_given, marked_translation
from citewell_verify.answers.refusals import refusal_for
from citewell_verify.answers.statements import Statement, deciding_items, plan_checks, statements
from citewell_verify.answers.translation import remarks, strip_references, translated
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.errors import VerificationInvalid
from citewell_verify.evidence.passages import Passage, number_of, source_passage
from citewell_verify.judges import Judge, LanguageModelJudge
from citewell_verify.judging.statement import (
    Checked,
    Failure,
    JudgeModel,
    excerpts,
    judge_statement,
    named_text,
    numbered_sources,
)
from citewell_verify.markers.citable import Citable, brackets_in, citable_sources
from citewell_verify.offline.judge import OfflineJudge
from citewell_verify.prompting.judgements import CHECK_ALIGNMENT
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.question.relevance import ModelJudgement, judge_question
from citewell_verify.verdicts.confidence import calibrations
from citewell_verify.verdicts.report import Report, ReportedSentence, SourceSpan
from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD
from citewell_verify.verification.findings import Findings, findings_of, judge_jointly, open_statements, read_verdict
from citewell_verify.verification.repairs import (
    Candidates,
    Repaired,
    Repairs,
    RepairStrategies,
    corrected_draft,
    repairs_of,
)
from citewell_verify.verification.sentences import (
    SPAN_CHARS,
    AnswerConfidence,
    Judged,
    calibrated_support,
    confidence_of,
    is_grounded,
    judged_sentence,
    nothing_left,
    state_after_repair,
)

_NAMESPACE = uuid.UUID(int=0)
_LAST_PAGE = 2**31 - 1  # databases store page numbers in 4 bytes


@dataclass(frozen=True, slots=True)
class GivenText:
    """A source. An answer cites it by its number, its `id`, `title` or `url`; each of `pages` is [number, start,
    end].
    """

    text: str
    title: str | None = None
    url: str | None = None
    id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pages: Sequence[tuple[int, int, int]] | None = None


def given_text(source: Any) -> GivenText:
    """Return a text, or a document of LangChain, LlamaIndex or Haystack, as a source. Raises TypeError for others.

    An answer may also cite a document of these libraries by the title, file name or source in its metadata.
    """
    if isinstance(source, GivenText):
        return source
    if isinstance(source, str):
        return GivenText(source)
    node = getattr(source, "node", source)
    text = node.get_content() if hasattr(node, "get_content") else getattr(node, "page_content", None)
    text = getattr(node, "content", None) if text is None else text
    if not isinstance(text, str):
        raise TypeError(f"a source is a text, a GivenText or a document with text, not {type(source).__name__}")
    metadata: Mapping[str, Any] = getattr(node, "metadata", None) or getattr(node, "meta", None) or {}
    names = (metadata.get(key) for key in ("title", "file_name", "filename", "source", "file_path"))
    title = next((name for name in names if isinstance(name, str) and name), None)
    return GivenText(text, title=title and title.rpartition("/")[2], metadata=metadata)


def verify(answer: str, sources: Sequence[Any], question: str | None = None, judge: Judge | None = None) -> Report:
    """Verify `answer` against its `sources`, sentence by sentence, and repair what they do not support.

    `[1]` in the answer cites the first source; for what a source may be, see `given_text`. With a `question`, it is
    also judged whether the answer answers it. The `judge` is a language model; without one, offline rules judge. Raises
    VerificationInvalid for an answer or sources that cannot be verified. In code that runs in an event loop, use
    `verify_async`.
    """
    if not _is_in_a_loop():
        return _run(answer, sources, question, judge)
    # A notebook runs in an event loop, which cannot run another loop.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_run, answer, sources, question, judge).result()


def _is_in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run(answer: str, sources: Sequence[Any], question: str | None, judge: Judge | None) -> Report:
    with asyncio.Runner() as runner:
        if judge is None:
            runner.get_loop().set_default_executor(_InPlace())
        return runner.run(verify_async(answer, sources, question, judge))


class _InPlace(ThreadPoolExecutor):
    """Runs a function at once in the caller's thread.

    Rules that run while nothing else waits are slower in several threads, which take turns and read the same source at
    the same time.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done = Future[Any]()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - the future passes it on
            done.set_exception(error)
        return done


async def verify_async(
    answer: str, sources: Sequence[Any], question: str | None = None, judge: Judge | None = None
) -> Report:
    """`verify` for code that runs in an event loop."""
    given = list(map(given_text, [sources] if isinstance(sources, str) else sources))
    answer, question = _text("answer", answer), _text("question", question or "")
    for number, source in enumerate(given, start=1):
        _text(f"text of source {number}", source.text)
    check_given(answer, given)
    model: JudgeModel = LanguageModelJudge(judge) if judge else await asyncio.to_thread(_offline_judge)
    work = await asyncio.to_thread(_Work.begun, answer, given, question, model)
    alignment, findings = await asyncio.gather(work.alignment(), work.findings())
    repairs = await work.repairs(findings)
    return await asyncio.to_thread(work.report, findings, repairs, alignment)


def _text(name: str, value: object) -> str:
    """Return `value`. Raises TypeError unless it is a text, and VerificationInvalid for one that no file can hold."""
    if not isinstance(value, str):
        raise TypeError(f"the {name} is a text, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise VerificationInvalid(f"The {name} has half a character (a lone surrogate); write it whole.") from None
    return value


@cache
def _offline_judge() -> OfflineJudge:
    # The embedder's weights are loaded once per process.
    return OfflineJudge(default_embedder())


def check_given(answer: str, sources: Sequence[GivenText]) -> None:
    """Raise VerificationInvalid for an answer or sources that cannot be verified."""
    if not any(map(str.isalnum, answer)):
        raise VerificationInvalid("The answer is empty; there is nothing to verify.")
    if not sources:
        raise VerificationInvalid("Send at least one source.")
    for number, source in enumerate(sources, start=1):
        check_source(number, source.text, source.pages)
    ids = [source.id for source in sources if source.id is not None]
    if len(set(ids)) < len(ids):
        raise VerificationInvalid("Two sources have the same id.")


def check_source(number: int, text: str, pages: Sequence[tuple[int, int, int]] | None) -> None:
    """Raise VerificationInvalid unless source `number` has text, and `pages` are in order and within it."""
    if not text.strip():
        raise VerificationInvalid(f"Source {number} has no text.")
    position = 0
    for page, start, end in pages or ():
        if not 1 <= page <= _LAST_PAGE or not position <= start <= end <= len(text):
            raise VerificationInvalid(
                f"The pages of source {number} must be [number, start, end] in order, within its text; "
                f"numbers go from 1 to {_LAST_PAGE:,}."
            )
        position = end


@dataclass(frozen=True, slots=True)
class _Work:
    """An answer in work: `text` is the `given` answer with its citations as `[†N]` markers."""

    given: str
    text: str
    inserted: Sequence[tuple[int, int]]
    issues: tuple[str, ...]
    citable: Citable
    passages: list[Passage]
    question: str
    judge: JudgeModel

    @classmethod
    def begun(cls, answer: str, given: Sequence[GivenText], question: str, judge: JudgeModel) -> "_Work":
        passages = [
            source_passage(
                key=number,
                number=number,
                document_id=uuid.uuid5(_NAMESPACE, str(number)),
                title=source.title or f"Source {number}",
                metadata=dict(source.metadata),
                text=source.text,
                pages=[list(page) for page in source.pages or ()],
            )
            for number, source in enumerate(given, start=1)
        ]
        known = citable_sources(
            {
                "id": source.id,
                "title": passage.filename,
                "url": source.url,
                "metadata": passage.metadata,
                "characters": len(source.text),
                "brackets": sorted(brackets_in(source.text)),
            }
            for source, passage in zip(given, passages, strict=True)
        )
        translation = translated(answer, known)
        marked = marked_translation(translation, [], known)
        issues = tuple(remarks(answer, translation.unread, from_zero=translation.from_zero))
        return cls(answer, marked.text, marked.inserted, issues, known, passages, question, judge)

    @property
    def said(self) -> list[Statement]:
        return statements(self.text, self.citable)

    async def alignment(self) -> ModelJudgement | None:
        """A language model's verdict on whether the answer answers the question; None if none was asked."""
        if self.judge.judges_offline or not self.question.strip():
            return None
        shown = await asyncio.to_thread(excerpts, self.passages, self.said)
        fields = {"sources": shown.sources, "question": self.question, "answer": strip_references(self.text)}
        reply = await self.judge.ask(CHECK_ALIGNMENT, fields)
        return None if isinstance(reply, Failure) else ModelJudgement(reply.answers, tuple(reply.open_parts))

    async def findings(self) -> Findings:
        """The verdict on every statement against each source that it cites, or against all if it cites none."""
        said, sources = self.said, numbered_sources(self.passages)
        planned = plan_checks(self.text, self.citable)

        async def checked(statement: int, number: int | None, item: str) -> Checked:
            shown = sources if number is None else Sources([sources[number - 1]])
            return await judge_statement(self.judge, said[statement].text, shown, item=item)

        checks = await asyncio.gather(*(checked(check.statement, check.number, check.item) for check in planned))
        by_item = dict(zip((check.item for check in planned), checks, strict=True))
        verdicts = {
            pair: read_verdict(pair[1], by_item.get(item))
            for pair, item in deciding_items(said, len(self.passages)).items()
        }
        single = findings_of(self.text, said, verdicts, {}, CONFIDENCE_THRESHOLD)
        joint = await judge_jointly(self.judge, open_statements(single, CONFIDENCE_THRESHOLD), sources)
        return findings_of(self.text, said, verdicts, joint, CONFIDENCE_THRESHOLD) if joint else single

    async def repairs(self, findings: Findings) -> Repairs:
        """The repairs of the statements that no source supports."""
        failing = findings.failing(CONFIDENCE_THRESHOLD)
        candidates = Candidates(self.passages, retrieved=self.passages)

        async def repaired(index: int) -> Repaired:
            statement = findings.statements[index]
            strategies = RepairStrategies(
                self.judge, statement, findings, candidates, CONFIDENCE_THRESHOLD, ranks_selected=True
            )
            return await strategies.apply()

        done = await asyncio.gather(*map(repaired, failing))
        return repairs_of(dict(zip(failing, done, strict=True)), self.passages)

    def report(self, findings: Findings, repairs: Repairs, alignment: ModelJudgement | None) -> Report:
        calibration = calibrations().get("offline") if self.judge.judges_offline else None
        judged = [
            judged_sentence(
                statement,
                findings.states[statement.index],
                findings.checks_of(statement.index),
                [],
                self.passages,
                SPAN_CHARS,
            )
            for statement in findings.statements
        ]
        confidence = self._confidence(judged, alignment)
        repaired, is_repaired_grounded = self._repaired(findings, repairs)
        return Report(
            answer=self.given,
            sentences=tuple(self._sentence(sentence, calibrated_support(sentence, calibration)) for sentence in judged),
            repaired=repaired,
            is_grounded=is_grounded([sentence.status for sentence in judged]),
            repaired_is_grounded=is_repaired_grounded,
            confidence=confidence.number,
            confidence_level=confidence.label,
            issues=self.issues,
        )

    def _confidence(self, judged: Sequence[Judged], alignment: ModelJudgement | None) -> AnswerConfidence:
        asked = judge_question(self.question, self.text, list(map(named_text, self.passages)), alignment)
        calibration = calibrations().get("offline") if self.judge.judges_offline else None
        is_question_judged = alignment is not None or not self.question.strip()
        return confidence_of(
            self.question,
            self.text,
            judged,
            asked.probability if asked else None,
            calibration,
            is_models_own=not self.judge.judges_offline and is_question_judged,
        )

    def _repaired(self, findings: Findings, repairs: Repairs) -> tuple[str, bool]:
        """The repaired answer, and whether all of its claims are supported."""
        corrected = corrected_draft(findings, repairs, self.citable, CONFIDENCE_THRESHOLD, renumber=False)
        if nothing_left(corrected, repairs):
            beside = [passage.readable for passage in self.passages]
            return refusal_for(self.question.strip() or self.text, beside=beside), False
        states = [
            state_after_repair(statement, findings, repairs, CONFIDENCE_THRESHOLD)[0]
            for statement in corrected.statements
        ]
        # Without an edit the given text is returned as it is, because its author chose the form of its markers.
        return corrected.text if corrected.edits else self.given, is_grounded(states)

    def _sentence(self, judged: Judged, support: float | None) -> ReportedSentence:
        words, place = judged.evidence
        evidence = (
            SourceSpan(number_of(place["chunk_id"]), place["source_start"], place["source_end"], words)
            if words is not None and place is not None
            else None
        )
        return ReportedSentence(
            start=as_given(judged.statement.start, self.inserted, opens=True),
            end=as_given(judged.statement.end, self.inserted),
            text=judged.statement.text,
            status=judged.status,
            reason=judged.reason,
            support=support,
            evidence=evidence,
        )
