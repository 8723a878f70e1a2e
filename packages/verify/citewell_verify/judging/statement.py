"""Judges one statement: chooses the excerpts of its sources that a judge sees, checks the reply against the sources,
and asks a second question about the rules' doubts (S5.4, N2).

All judgements of statements go through here: the checks of an answer, repairs, evaluation. Several statements share a
model call in preset `cheap`; a verdict counts only under its statement's own id, against that statement's sources.
"""

import asyncio
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NotRequired, Protocol, TypedDict, TypeVar

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.passages import Passage, Wanted, choose_excerpts
from citewell_verify.evidence.spans import claim_relevance
from citewell_verify.markers.citable import SourceNames, names_of
from citewell_verify.prompting.batched_items import MOST_STATEMENTS, Statements, by_id, packed
from citewell_verify.prompting.judgements import (
    CHECK_STATEMENT,
    CHECK_STATEMENTS,
    RECHECK_STATEMENTS,
    Judgement,
    Reply,
    StatementCheck,
)
from citewell_verify.prompting.numbered_sources import Source, Sources, content_of
from citewell_verify.text.sentences import LONGEST_SENTENCE
from citewell_verify.text.windows import windows
from citewell_verify.verdicts.ruling import Grounds, Ruling
from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD

if TYPE_CHECKING:  # Code that only asks a model does not need the rules, which take half a second to load.
    from citewell_verify.verdicts.ruling import StoredRuling


FailureKind = Literal["unavailable", "rate_limited", "invalid_reply", "gone", "refused", "deadline"]

UNREADABLE: frozenset[FailureKind] = frozenset({"invalid_reply", "refused"})
"""Failures that a shorter call may avoid. If the model does not answer at all, many calls would fail as one did."""

_R = TypeVar("_R", bound=Reply)


_BY_RULES = "the rules are the judge, and say the same when they are asked again"
_NO_VERDICT = "the reply has no verdict on it"
WINDOW_CHARS = 12_000
"""The characters of sources per call, about 3,000 tokens: judges read the middle of longer texts badly."""
_OVERLAP_CHARS = 800
_TOO_LONG = f"the statement has more than {LONGEST_SENTENCE:,} characters, too many to be checked at once"
_WEIGHT = {"supports": 3, "contradicts": 2, "partially_supports": 1, "does_not_mention": 0}
_SURE_CONTRADICTION = 4


@dataclass(frozen=True, slots=True)
class Failure:
    """No usable reply. `reason` is for users: what failed, with which model, after how many tries; no secrets."""

    reason: str
    kind: FailureKind


class NotJudged(Exception):
    """The rules do not judge cases of this kind, whatever they are sent; users see only the message."""


class JudgeModel(Protocol):
    """A model that gives the judgements of `citewell_verify.prompting`."""

    @property
    def judges_offline(self) -> bool:
        """True if rules judge; asked again, they give the same answer."""
        ...

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object], *, item: str = "") -> _R | Failure:
        """Return the reply, validated against the schema of `judgement`; `item` names the call in records.

        Raises PromptFieldMismatch if `fields` are not those of the prompt.
        """
        ...


class Check(TypedDict):
    """A check, without its verdict. `fallback`: a simpler method was used (S1.2); `not_checked`: it gave no verdict;
    `skipped`: the request or a setting left it out.

    `shown` is the note that the model saw only excerpts of the sources, if it did.
    """

    status: Literal["checked", "fallback", "not_checked", "skipped"]
    reason: NotRequired[str]
    shown: NotRequired[str]


class Checked(Check):
    """The check of a statement; `verdict` is null if none was given."""

    verdict: "StoredRuling | None"


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The ruling on the first look at a statement, and the sources that were shown; `item` names it in the calls."""

    item: str
    grounds: Grounds
    sources: Sources
    ruling: Ruling


async def looked_again(judge: JudgeModel, looks: Sequence[FirstLook]) -> list[Ruling]:
    """Return the rulings in order, the doubtful ones with the judge's second answer. Nothing is asked if no ruling is
    doubtful, or if rules judge.

    If the second look fails, the ruling stays uncertain and has the reason.
    """
    doubted = [look for look in looks if look.ruling.second_look]
    settled = iter(await _settled(judge, doubted) if doubted else ())
    return [next(settled) if look.ruling.second_look else look.ruling for look in looks]


async def _settled(judge: JudgeModel, doubted: Sequence[FirstLook]) -> list[Ruling]:
    if judge.judges_offline:
        return [look.grounds.settle(look.ruling, None, _BY_RULES) for look in doubted]
    asked, sources = Statements.of(
        [(look.grounds.statement, look.sources) for look in doubted],
        [look.ruling.second_look.note for look in doubted if look.ruling.second_look],
    )
    reply = await judge.ask(
        RECHECK_STATEMENTS.for_items(len(doubted)),
        {"sources": sources, "statements": asked},
        item=",".join(look.item for look in doubted),
    )
    if isinstance(reply, Failure):
        return [look.grounds.settle(look.ruling, None, reply.reason) for look in doubted]
    verdicts = {replied.id: replied.verdict for replied in by_id(asked, reply.verdicts).values()}
    return [
        look.grounds.settle(look.ruling, verdicts.get(item.id), _NO_VERDICT)
        for look, item in zip(doubted, asked, strict=True)
    ]


async def judge_statement(judge: JudgeModel, statement: str, sources: Sources, *, item: str = "") -> Checked:
    """Return whether the `sources` say the `statement` (S5.4); the verdict is `citewell_verify.verdicts.ruling.Ruling`
    as JSON.

    If the rules doubt its reply, the same model is asked again about the doubt. Long sources are shown in windows,
    likeliest first, until one surely supports the statement: nothing is cut. If a window could not be judged and no
    other supports the statement, it is `not_checked` (N4). So is a text that is longer than any sentence, such as code,
    because the cost of a comparison grows with its length.
    """
    if len(statement) > LONGEST_SENTENCE:
        return Checked(status="not_checked", verdict=None, reason=_TOO_LONG)
    rulings: list[tuple[Ruling, StatementCheck]] = []
    failures: list[str] = []
    # The whole sources are compared, because words that one window lacks may be in another.
    grounds = _grounds_of(statement, sources)
    for shown in _windowed(statement, sources):
        reply = await judge.ask(CHECK_STATEMENT, {"sources": shown, "statement": statement}, item=item)
        if isinstance(reply, Failure):
            failures.append(reply.reason)
            continue
        (ruling,) = await looked_again(judge, [FirstLook(item, grounds, shown, grounds.rule(reply))])
        rulings.append((ruling, reply))
        if _is_conclusive(rulings[-1][0]):
            break
    if not rulings:
        return Checked(status="not_checked", verdict=None, reason=failures[0] if failures else "there is no source")
    best, replied = max(rulings, key=lambda judged: _weight(judged[0]))
    if failures and not (best.supports or _is_conclusive(best)):
        return Checked(status="not_checked", verdict=None, reason=failures[0])
    return ruled(best, replied)


def _grounds_of(statement: str, sources: Sources) -> Grounds:
    content = content_of(statement, sources)
    return Grounds.of(content, [source.text for source in sources], [source.context for source in sources])


def ruled(ruling: Ruling, reply: StatementCheck) -> Checked:
    if ruling.supports:
        differences: list[str] = []
    elif ruling.decided_by == "evidence" or ruling.second_look:
        differences = [ruling.explanation]
    else:
        differences = reply.differences
    return Checked(status="checked", verdict=ruling.as_json(differences))


def _is_conclusive(ruling: Ruling) -> bool:
    """True if no further window is needed: it adds nothing to sure support, and cannot change that the whole sources
    contradict the statement.
    """
    contradicted = ruling.decided_by == "evidence" and not ruling.is_accurate
    return contradicted or (ruling.supports and ruling.confidence >= CONFIDENCE_THRESHOLD)


def _weight(ruling: Ruling) -> tuple[int, float]:
    """The weight of a window's ruling: one supporting window is enough, but a sure contradiction outweighs it."""
    sure = ruling.relation == "contradicts" and ruling.confidence >= CONFIDENCE_THRESHOLD
    return (_SURE_CONTRADICTION if sure else _WEIGHT[ruling.relation]), ruling.confidence


def _windowed(statement: str, sources: Sources) -> list[Sources]:
    """All sources for one prompt if they fit; else windows, in the order of the words that they share with the
    statement.
    """
    if sum(len(source.text) for source in sources) <= WINDOW_CHARS:
        return [sources] if sources else []
    parts = [
        Sources([replace(source, text=source.text[start:end])])
        for source in sources
        for start, end in windows(source.text, WINDOW_CHARS, _OVERLAP_CHARS)
    ]
    return sorted(parts, key=lambda part: -claim_relevance(statement, part[0].text))


_C = TypeVar("_C", bound=Check)


@dataclass(frozen=True, slots=True)
class Shown:
    """The `sources` are `passages` in the form that the model sees; passages of one given source have its number.
    `note` says what was left out, if anything.
    """

    passages: list[Passage]
    sources: Sources
    note: str = ""

    def noted_in(self, check: _C) -> _C:
        """Add the note to a check that was made on these sources, and return the check."""
        if self.note:
            check["shown"] = self.note
        return check


def numbered_sources(passages: Sequence[Passage], replaced_by: Sequence[str] = ()) -> Sources:
    return Sources.numbered(
        zip(_labels(passages), (passage.text for passage in passages), strict=True),
        (passage.context for passage in passages),
        map(names_of_passage, passages),
        replaced_by,
    )


def _labels(passages: Iterable[Passage]) -> Iterator[str]:
    """Yield the labels of passages; further documents with the same file name are numbered: `policy.pdf (2), p.3`."""
    known: dict[str, list[uuid.UUID]] = {}
    for passage in passages:
        documents = known.setdefault(passage.filename, [])
        if passage.document_id not in documents:
            documents.append(passage.document_id)
        number = documents.index(passage.document_id) + 1
        yield (passage if number == 1 else replace(passage, filename=f"{passage.filename} ({number})")).label


def names_of_passage(passage: Passage) -> SourceNames:
    known = {"filename": passage.filename, "section": passage.section, "metadata": passage.metadata}
    return names_of({**known, "page_number": passage.page})


def excerpts(sources: Sequence[Passage], about: Sequence[Statement]) -> Shown:
    wanted = [
        Wanted(statement.text, [number - 1 for number in statement.numbers]) for statement in about if statement.claim
    ]
    chosen = choose_excerpts([source.text for source in sources], wanted, WINDOW_CHARS)
    passages = [
        replace(
            source,
            start_index=source.start_index + excerpt.start,
            end_index=source.start_index + excerpt.end,
            text=source.text[excerpt.start : excerpt.end],
        )
        for excerpt, source in ((excerpt, sources[excerpt.source]) for excerpt in chosen)
    ]
    shown = Sources(
        Source(
            excerpt.source + 1,
            passage.label,
            sources[excerpt.source].readable[excerpt.start : excerpt.end],
            names=names_of_passage(passage),
        )
        for excerpt, passage in zip(chosen, passages, strict=True)
    )
    total, seen = (sum(len(passage.text) for passage in some) for some in (sources, passages))
    note = f"Excerpts were shown: {seen:,} of the {total:,} characters of the sources." if seen < total else ""
    return Shown(passages, shown, note)


def named_text(passage: Passage) -> str:
    return "\n".join([passage.label, *(str(value) for value in passage.metadata.values()), passage.indexed])


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement and the sources that it cites; calls about it are recorded under `item`."""

    item: str
    statement: str
    sources: Sources


async def judge_batch(judge: JudgeModel, pairs: Sequence[Pair]) -> list[Checked]:
    """Return the result of `judge_statement` for each of `pairs`, in order, with as few calls as their length allows.

    A statement whose sources need windows is judged alone, and so is a statement that is too long to be checked.
    """
    # Group statements about the same sources, so that these are shown only once.
    order = sorted(range(len(pairs)), key=lambda place: [source.number for source in pairs[place].sources])
    groups = packed(order, lambda places: _fit([pairs[place] for place in places]))
    checks = await asyncio.gather(*(_judged(judge, [pairs[place] for place in group]) for group in groups))
    by_place = {
        place: check
        for places, of_group in zip(groups, checks, strict=True)
        for place, check in zip(places, of_group, strict=True)
    }
    return [by_place[place] for place in range(len(pairs))]


def _fit(pairs: Sequence[Pair]) -> bool:
    texts = {source.text for pair in pairs for source in pair.sources} | {pair.statement for pair in pairs}
    if any(len(pair.statement) > LONGEST_SENTENCE for pair in pairs):
        return False
    return len(pairs) <= MOST_STATEMENTS and sum(map(len, texts)) <= WINDOW_CHARS


async def _judged(judge: JudgeModel, pairs: Sequence[Pair]) -> Sequence[Checked]:
    if len(pairs) == 1:
        [pair] = pairs
        return [await judge_statement(judge, pair.statement, pair.sources, item=pair.item)]
    asked, sources = Statements.of([(pair.statement, pair.sources) for pair in pairs])
    reply = await judge.ask(
        CHECK_STATEMENTS.for_items(len(pairs)),
        {"sources": sources, "statements": asked},
        item=",".join(pair.item for pair in pairs),
    )
    if isinstance(reply, Failure) and reply.kind not in UNREADABLE:
        return [Checked(status="not_checked", verdict=None, reason=reply.reason) for _ in pairs]
    verdicts = {} if isinstance(reply, Failure) else by_id(asked, reply.verdicts)
    read = {place: verdicts[item.id].verdict for place, item in enumerate(asked) if item.id in verdicts}
    unread = {place: pair for place, pair in enumerate(pairs) if place not in read}
    together, alone = await asyncio.gather(
        _ruled(judge, {place: (pairs[place], verdict) for place, verdict in read.items()}),
        asyncio.gather(*(_judged(judge, [pair]) for pair in unread.values())),
    )
    by_place = together | {place: check for place, [check] in zip(unread, alone, strict=True)}
    return [by_place[place] for place in range(len(pairs))]


async def _ruled(judge: JudgeModel, read: Mapping[int, tuple[Pair, StatementCheck]]) -> dict[int, Checked]:
    """Return the checks that follow from the replies, by place; all replies that the rules doubt are looked at again in
    one call.
    """
    looks: list[FirstLook] = []
    for pair, reply in read.values():
        grounds = _grounds_of(pair.statement, pair.sources)
        looks.append(FirstLook(pair.item, grounds, pair.sources, grounds.rule(reply)))
    rulings = await looked_again(judge, looks)
    return {place: ruled(ruling, reply) for (place, (_, reply)), ruling in zip(read.items(), rulings, strict=True)}
