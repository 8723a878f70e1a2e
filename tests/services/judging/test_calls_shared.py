"""Preset `cheap`: one model call for many chunks or statements, with the verdicts of single calls; unread items
count for nothing."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from uuid import uuid4

import pytest

from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.judging.statement import WINDOW_CHARS, Checked, Pair, judge_batch, judge_statement
from citewell_verify.prompting.batched_items import MOST_STATEMENTS
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.confidence import Calibration
from citewell_verify.verdicts.ruling import UNPROVEN_CONFIDENCE
from clients.llm.gateway import ModelGateway, RecordedJudge
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallLog, ChatModel
from config.models import ModelSettings
from domain.query.options import Preset
from domain.query.outcomes import Scored
from services.core.context import QuerySnapshot, StepContext, Tools
from services.judging.relevance import Shown, score_batch, score_each
from tests.clients.groq_stage import GroqStage
from tests.factories import make_options
from tests.services.story import Play, Story
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.ledger import totals
from verify_material.attacks import ATTACKS, PLACES, POLICY, REGELN, SUPPORTED, SUPPORTED_KOREAN, UNSUPPORTED, planted

# Calls are counted here: none is made twice because the machine was busy.
QUICK = ModelSettings(call_timeout_s=30, deadline_s=60, attempts=1, fallbacks={}, hedge_share=0)
TWO = Sources.numbered([("policy.md", POLICY), ("regeln.md", REGELN)])
STATEMENTS = (*SUPPORTED, *UNSUPPORTED.values())
QUESTION = "Within how many days are refunds paid?"
TEXTS = [POLICY, "The warehouse is open from Monday to Friday.", "Refunds take a while.", REGELN]


def pairs(statements: Sequence[str] = STATEMENTS, sources: Sources = TWO) -> list[Pair]:
    """Each against the first source; the last against all."""
    first = Sources([sources[0]])
    return [
        Pair(f"s{number}", text, sources if number == len(statements) - 1 else first)
        for number, text in enumerate(statements)
    ]


async def both(model: ChatModel, asked: Sequence[Pair]) -> tuple[list[Checked], list[Checked]]:
    """(together, alone)."""
    models, log = ModelGateway(model, QUICK, backoff_s=0.001), CallLog()
    alone = [judge_statement(RecordedJudge(models, log), each.statement, each.sources) for each in asked]
    return await judge_batch(RecordedJudge(models, log), asked), await asyncio.gather(*alone)


async def checked(model: ChatModel, asked: Sequence[Pair], log: CallLog | None = None) -> list[Checked]:
    return await judge_batch(RecordedJudge(ModelGateway(model, QUICK, backoff_s=0.001), log or CallLog()), asked)


async def scored(model: ChatModel, *, alone: bool = False) -> list[Scored]:
    shown = [Shown(str(number), text) for number, text in enumerate(TEXTS)]
    models = ModelGateway(model, QUICK, backoff_s=0.001)
    return await (score_each if alone else score_batch)(models, QUESTION, shown, CallLog())


def calls(stage: GroqStage) -> dict[str, int]:
    """The number of calls of each kind that the provider got."""
    return dict(Counter(entry.kind for entry in stage.sim.ledger.entries))


def test_together_is_what_each_is_alone_for_a_model(stage: GroqStage) -> None:  # S5.4, N4
    together, alone = stage.run(lambda model: both(model, pairs()))
    assert together == alone
    assert {each["verdict"]["is_accurate"] for each in together if each["verdict"]} == {True, False}
    assert calls(stage) == {"check_statements": 1, "check_statement": len(STATEMENTS)}


async def test_together_is_what_each_is_alone_offline() -> None:  # S5.4, N4
    asked = [*pairs(), *pairs(SUPPORTED_KOREAN, Sources(reversed(TWO)))]
    together, alone = await both(OfflineModel(), asked)
    assert together == alone


def test_scores_together_are_those_of_each_alone(stage: GroqStage) -> None:  # S3.1
    assert stage.run(scored) == stage.run(lambda model: scored(model, alone=True))
    assert calls(stage) == {"rerank_chunks": 1, "rerank_chunk": len(TEXTS)}
    assert asyncio.run(scored(OfflineModel())) == asyncio.run(scored(OfflineModel(), alone=True))


def test_a_call_carries_only_so_many_statements(stage: GroqStage) -> None:  # S5.4
    asked = pairs([f"Refunds are paid within {days} days." for days in range(2 * MOST_STATEMENTS + 1)])
    assert len(stage.run(lambda model: checked(model, asked))) == len(asked)
    assert calls(stage) == {"check_statements": 2, "check_statement": 1}


def test_a_statement_with_long_sources_goes_alone_in_windows(stage: GroqStage) -> None:  # N2
    filler = "The committee met in the morning and spoke of the agenda of the following week. "
    long = Sources.numbered([("long.md", filler * (WINDOW_CHARS // len(filler) + 5) + POLICY)])
    asked = [Pair("long", SUPPORTED[0], long), *pairs(STATEMENTS[:3])]
    found = stage.run(lambda model: checked(model, asked))
    assert found[0]["verdict"] is not None
    assert found[0]["verdict"]["is_accurate"]
    assert calls(stage) == {"check_statements": 1, "check_statement": 1}


def test_an_item_that_comes_twice_or_not_at_all_is_asked_alone(stage: GroqStage) -> None:  # N4
    alone = stage.run(lambda model: both(model, pairs()))[1]
    stage.sim.reset()
    stage.sim.fail(Fault(kind=FaultKind.MIXED_UP, times=1))
    log = CallLog()
    assert stage.run(lambda model: checked(model, pairs(), log)) == alone
    assert calls(stage) == {"check_statements": 1, "check_statement": 2}
    assert [record.item for record in log.records] == ["s0,s1,s2,s3,s4,s5,s6", "s0", "s1"]


def test_a_chunk_that_comes_twice_or_not_at_all_is_asked_alone(stage: GroqStage) -> None:  # S3.1
    alone = stage.run(lambda model: scored(model, alone=True))
    stage.sim.reset()
    stage.sim.fail(Fault(kind=FaultKind.MIXED_UP, times=1))
    assert stage.run(scored) == alone
    assert calls(stage) == {"rerank_chunks": 1, "rerank_chunk": 2}


@pytest.mark.parametrize("kind", [FaultKind.BAD_JSON, FaultKind.LENGTH, FaultKind.WRONG_SCHEMA, FaultKind.TOO_LARGE])
def test_a_reply_that_cannot_be_read_checks_nothing_unless_a_shorter_one_can(
    stage: GroqStage, kind: FaultKind
) -> None:  # N4
    stage.sim.fail(Fault(kind=kind, match="\ncheck_statements\n", times=None))
    assert {each["status"] for each in stage.run(lambda model: checked(model, pairs()))} == {"checked"}
    stage.sim.fail(Fault(kind=kind, match="\ncheck_statement\n", times=None))
    found = stage.run(lambda model: checked(model, pairs()))
    assert [(each["status"], each["verdict"]) for each in found] == [("not_checked", None)] * len(STATEMENTS)
    assert all(each.get("reason") for each in found)


def test_where_nobody_answers_no_further_calls_are_made(stage: GroqStage) -> None:  # N4, A7
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, times=None))
    found = stage.run(lambda model: checked(model, pairs()))
    assert {each["status"] for each in found} == {"not_checked"}
    assert calls(stage) == {"check_statements": 1}
    stage.sim.reset()
    stage.sim.fail(Fault(kind=FaultKind.SERVER_ERROR, times=None))
    assert {each["status"] for each in stage.run(scored)} == {"unreadable"}
    assert calls(stage) == {"rerank_chunks": 1}


@pytest.mark.parametrize("quote", ["likest", "unlike", "So it is written in the law of the land.", ""])
def test_no_attack_makes_any_false_statement_of_a_shared_call_accurate(stage: GroqStage, quote: str) -> None:  # N4
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote=quote, times=None))
    place = next(iter(PLACES))
    # What passes with a model that says yes twice is what it can quote, but for a sentence with one part exchanged.
    invented = [] if quote in ("likest", "unlike") else [UNSUPPORTED["unrelated"]]
    false = [UNSUPPORTED["wrong number"], UNSUPPORTED["negated"], UNSUPPORTED["other name"], *invented]
    attacked = [Sources.numbered([("a.md", planted(POLICY, attack, place))]) for attack in ATTACKS[::8]]
    asked = list(chain.from_iterable(pairs([*false, false[0]], Sources([each[0], *TWO])) for each in attacked))
    found = stage.run(lambda model: checked(model, asked))
    assert {each["status"] for each in found} == {"checked"}
    sure = [each["verdict"] for each in found if each["verdict"] and each["verdict"]["confidence"] > 0.5]
    assert [verdict for verdict in sure if verdict["is_accurate"]] == []


def test_what_another_source_of_the_call_says_proves_nothing(stage: GroqStage) -> None:  # S5.4
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote=SUPPORTED[0], times=None))
    other = Sources.numbered([("whales.md", "The blue whale is the largest animal that ever lived.")])
    asked = [Pair("own", SUPPORTED[0], Sources([TWO[0]])), Pair("other", SUPPORTED[0], other)]
    own, foreign = (each["verdict"] for each in stage.run(lambda model: checked(model, asked)))
    assert own is not None
    assert foreign is not None
    assert (own["decided_by"], own["is_accurate"]) == ("model", True)
    assert (foreign["decided_by"], foreign["confidence"]) == ("evidence", UNPROVEN_CONFIDENCE)
    second_look = foreign["second_look"]
    assert second_look is not None
    assert "14 days" in second_look["noticed"]


RETURNS = "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required."
REFUNDS = "Refunds. Refunds are paid to the original card within 10 business days. Gift cards are not refunded."
SHIPPING = "Shipping. Shipping takes five business days. Shipping is free above forty euros."
ANSWER = (
    "Returns are accepted within 30 days of the purchase date[†1]. A receipt is required[†1]. Refunds are paid to the "
    "original card within 10 business days[†2]. Gift cards are not refunded[†2]. Shipping takes nine business "
    "days[†3]. Shipping is free above forty euros."
)


def asked_story(play: Play, preset: str) -> Story:
    """A question on three documents, and an answer of six sentences, one of them wrong, checked."""
    story = Story("How do returns, refunds and shipping work?", play=play, preset=preset, min_evidence_score=0.0)
    for name, text in {"returns.md": RETURNS, "refunds.md": REFUNDS, "shipping.md": SHIPPING}.items():
        story.add(name, text)
    story.retrieve()
    story.selected(*sorted(story.texts))
    story.set("generate", {"status": "complete", "text": ANSWER, "model": "m"})
    return story.check()


@pytest.mark.usefixtures("database")
def test_a_query_with_shared_calls_has_the_same_verdicts_for_fewer_of_them(
    groq: Play, stage: GroqStage
) -> None:  # S3.1, S5.4
    standard = asked_story(groq, "standard")
    first, tokens = calls(stage), totals(stage.sim.ledger.entries)
    stage.sim.reset()
    cheap = asked_story(groq, "cheap")
    assert (first["rerank_chunk"], first["check_statement"]) == (3, 6)
    assert calls(stage) == {
        name: count for name, count in first.items() if name not in {"rerank_chunk", "check_statement"}
    } | {"rerank_chunks": 1, "check_statements": 1}
    assert totals(stage.sim.ledger.entries)[0] < tokens[0]
    told = [
        {item: outcome["verdict"] for (step, item), outcome in story.rounds[0].items() if step == "check_statements"}
        for story in (standard, cheap)
    ]
    assert told[0] == told[1]
    assert [verdict["relation"] for verdict in told[1].values()].count("contradicts") == 1


def context(preset: Preset, *, calibrated: str, sharing: str = "together") -> StepContext:
    """A step of a query with that preset, where the verifier `calibrated` was measured."""
    snapshot = QuerySnapshot(uuid4(), 1, QUESTION, "balanced", "groq", make_options(preset=preset))
    measured = Calibration(calibrated, 1.0, 0.0, 0.05)
    gateway = ModelGateway(OfflineModel(), QUICK)
    tools = Tools(gateway, default_embedder(), "one by one", sharing, measured)
    return StepContext(snapshot, 0, (), {}, tools)


def test_a_query_names_the_verifier_of_its_preset_and_has_its_calibration_alone() -> None:  # N8
    presets: list[Preset] = ["standard", "cheap"]
    assert [context(preset, calibrated="?").verifier for preset in presets] == ["one by one", "together"]
    for calibrated, used in {"one by one": [True, False], "together": [False, True], "own": [True, False]}.items():
        found = [context(preset, calibrated=calibrated).calibration is not None for preset in presets]
        assert found == used, calibrated
    # The offline provider, which judges one by one, is one verifier.
    assert context("cheap", calibrated="own", sharing="one by one").calibration is not None
