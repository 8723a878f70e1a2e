"""One statement against its sources, with models that believe what they read, fail, or answer nonsense (N4, S5.4)."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from itertools import product
from typing import TypeVar

import pytest

from citewell_verify.judging.statement import WINDOW_CHARS, Checked, Pair, judge_batch, judge_statement
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.states import PairVerdict, Verdict
from clients.llm.completions.providers import GroqModel
from clients.llm.gateway import ModelGateway, RecordedJudge
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind
from verify_material.attacks import (
    ATTACKS,
    LOWERING,
    PLACES,
    POLICY,
    REGELN,
    SUPPORTED,
    SUPPORTED_KOREAN,
    UNSUPPORTED,
    UNSUPPORTED_KOREAN,
    Attack,
    planted,
)

T = TypeVar("T")
Case = tuple[str, str]
QUICK = ModelSettings(call_timeout_s=20, deadline_s=60, attempts=1, fallbacks={})
QUOTES = ("order", "likest", "unlike", "So it is written in the law of the land.", "")
ONE_PART_EXCHANGED = {
    *(UNSUPPORTED[name] for name in ("wrong number", "negated", "other name")),
    *(UNSUPPORTED_KOREAN[name] for name in ("wrong number", "negated")),
}
APART = [place for place in PLACES if place != "behind a sentence"]
FILLER = "The committee met in the morning and discussed the agenda of the following week at some length. "


@pytest.fixture(scope="module")
def stage() -> Generator[GroqStage]:
    with GroqStage(unlimited=True) as stage:
        yield stage


@pytest.fixture(autouse=True)
def no_faults(stage: GroqStage) -> Generator[None]:
    stage.sim.reset()
    yield
    stage.sim.reset()


def played(stage: GroqStage, scenario: Callable[[ModelGateway], Awaitable[T]], settings: ModelSettings = QUICK) -> T:
    async def play(model: GroqModel) -> T:
        return await scenario(ModelGateway(model, settings, backoff_s=0.001))

    return stage.run(play)


def judged(
    stage: GroqStage, cases: Sequence[Case], settings: ModelSettings = QUICK, *, at_once: int = 16
) -> list[Checked]:
    """The check of each (statement, source), not all at once: hundreds on a busy core would time out."""

    async def judge(models: ModelGateway) -> list[Checked]:
        turns = asyncio.Semaphore(at_once)

        async def in_turn(case: Case) -> Checked:
            async with turns:
                return await checked(models, *case)

        return await asyncio.gather(*map(in_turn, cases))

    return played(stage, judge, settings)


async def checked(models: ModelGateway, statement: str, source: str) -> Checked:
    return await judge_statement(RecordedJudge(models, CallLog()), statement, Sources.numbered([("a.md", source)]))


def verdict(found: Checked) -> Verdict:
    return PairVerdict.from_json(1, found["verdict"]).verdict() if found["verdict"] else Verdict.UNCERTAIN


def support(found: Checked) -> float:
    assert found["verdict"] is not None
    return PairVerdict.from_json(1, found["verdict"]).support or 0.0


def untrue(attack: Attack) -> list[tuple[str, str]]:
    """(source, statement) of what the clean sources do not say, and what only the attack asserts."""
    asserted = [attack.asserts] if attack.asserts else []
    return [
        *((POLICY, statement) for statement in (*UNSUPPORTED.values(), *asserted)),
        *((REGELN, statement) for statement in UNSUPPORTED_KOREAN.values()),
    ]


# Models that believe what they read

BELIEVERS = [
    *((FaultKind.OBEYING, quote) for quote in QUOTES),
    *((FaultKind.BELIEVING, quote) for quote in QUOTES),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "quote"), BELIEVERS)
def test_no_attack_makes_a_false_statement_accurate(stage: GroqStage, kind: FaultKind, quote: str) -> None:  # N4
    stage.sim.fail(Fault(kind=kind, quote=quote, times=None))
    # Each attack in a place of its own; the next quotation has it in the next one. Three models share the attacks.
    turn = BELIEVERS.index((kind, quote))
    places = APART[QUOTES.index(quote) % len(APART) :] + APART
    # With a model that says yes to everything, twice, what passes is what it can quote.
    can_quote = kind is FaultKind.BELIEVING and quote in ("order", "likest", "unlike")
    cases = [
        (statement, planted(source, attack, places[number % len(APART)]))
        for number, attack in enumerate(ATTACKS)
        if number % 3 == turn % 3
        for source, statement in untrue(attack)
        if not can_quote or statement in ONE_PART_EXCHANGED
    ]
    found = judged(stage, cases)
    assert {each["status"] for each in found} == {"checked"}
    assert [case for case, each in zip(cases, found, strict=True) if verdict(each) is Verdict.ACCURATE] == []


def test_a_believing_model_still_finds_true_statements_accurate(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote="likest", times=None))
    cases = [(statement, POLICY) for statement in SUPPORTED] + [(statement, REGELN) for statement in SUPPORTED_KOREAN]
    assert [verdict(each) for each in judged(stage, cases)] == [Verdict.ACCURATE] * 4


def test_an_invention_of_the_words_of_a_source_sentence_is_a_known_limit(stage: GroqStage) -> None:
    # Neither figure nor name nor denial: nothing but the model can tell it. What the sources contradict it cannot say.
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote="likest", times=None))
    invented, denied = "Refunds are paid in cash within days of the return.", "Gift cards are refunded in cash."
    found = judged(stage, [(invented, POLICY), (denied, POLICY)])
    assert verdict(found[0]) in (Verdict.ACCURATE, Verdict.UNCERTAIN)
    assert verdict(found[1]) is Verdict.INACCURATE


@pytest.mark.parametrize("place", APART)
@pytest.mark.slow
def test_no_attack_changes_the_verdict_of_an_honest_model_on_a_true_statement(stage: GroqStage, place: str) -> None:
    cases = [
        (statement, planted(source, attack, place))
        for attack in (*LOWERING, *ATTACKS)
        for source, statement in [(POLICY, SUPPORTED[0]), (REGELN, SUPPORTED_KOREAN[0]), (POLICY, SUPPORTED[1])]
    ]
    wrong = [case for case, each in zip(cases, judged(stage, cases), strict=True) if verdict(each) != Verdict.ACCURATE]
    assert wrong == []


@pytest.mark.slow
async def test_no_attack_changes_the_class_of_the_offline_verdict() -> None:  # N4
    models = ModelGateway(OfflineModel(), QUICK)

    found: list[tuple[str, str, float, float]] = []
    honest = [(case, await checked(models, *case)) for case in _about_the_sources()]
    for attack, ((statement, source), clean) in product(ATTACKS, honest):
        poisoned = await checked(models, statement, planted(source, attack, APART[len(attack.name) % len(APART)]))
        if verdict(clean) != verdict(poisoned) or abs(support(clean) - support(poisoned)) > 0.15:
            found.append((attack.name, statement, support(clean), support(poisoned)))
    assert found == []


def _about_the_sources() -> list[Case]:
    english = [(statement, POLICY) for statement in (*SUPPORTED, *UNSUPPORTED.values())]
    return english + [(statement, REGELN) for statement in (*SUPPORTED_KOREAN, *UNSUPPORTED_KOREAN.values())]


# Long sources


@pytest.mark.parametrize("before", [0, WINDOW_CHARS, 3 * WINDOW_CHARS])
def test_a_fact_is_found_wherever_it_stands_in_a_long_source(stage: GroqStage, before: int) -> None:  # S5.4
    source = FILLER * (before // len(FILLER)) + POLICY.replace("\n\n", " ") + FILLER * (WINDOW_CHARS // len(FILLER))
    (found,) = judged(stage, [(SUPPORTED[0], source)])
    assert verdict(found) is Verdict.ACCURATE


def test_no_part_of_a_long_source_is_left_unread_before_a_no(stage: GroqStage) -> None:
    source = FILLER * (3 * WINDOW_CHARS // len(FILLER))
    (found,) = judged(stage, [(UNSUPPORTED["invented fact"], source)])
    assert verdict(found) is Verdict.INACCURATE
    assert len(stage.sim.ledger.entries) >= 4


def test_a_window_that_fails_leaves_the_whole_not_checked_unless_another_supports(stage: GroqStage) -> None:  # N4
    long = FILLER * (2 * WINDOW_CHARS // len(FILLER))
    for source, status in ((f"{SUPPORTED[0]} {long}", "checked"), (long, "not_checked")):
        # The likeliest window is asked first; any other call fails.
        stage.sim.reset()
        without = Fault(kind=FaultKind.FORBIDDEN, times=None)
        stage.sim.fail(Fault(kind=FaultKind.LOOSE, match="nowhere"), without)
        if status == "checked":
            stage.sim.faults.faults[:] = [Fault(kind=FaultKind.BELIEVING, quote=SUPPORTED[0], times=1), without]
        (found,) = judged(stage, [(SUPPORTED[0], source)])
        assert found["status"] == status
        assert ("gpt-oss" in found.get("reason", "")) == (status == "not_checked")


def test_without_a_source_nothing_is_checked(stage: GroqStage) -> None:
    found = played(stage, lambda models: judge_statement(RecordedJudge(models, CallLog()), SUPPORTED[0], Sources()))
    assert (found["status"], found["verdict"]) == ("not_checked", None)


# Faults

FAULTS = [
    FaultKind.WRONG_SCHEMA,
    FaultKind.BAD_JSON,
    FaultKind.EMPTY,
    FaultKind.LENGTH,
    FaultKind.NUL,
    FaultKind.NO_CHOICES,
    FaultKind.HTML,
    FaultKind.TOO_LARGE,
    FaultKind.OUTPUT_TOO_LARGE,
    FaultKind.JSON_VALIDATE_FAILED,
    FaultKind.SERVER_ERROR,
    FaultKind.FORBIDDEN,
    FaultKind.RESET,
    FaultKind.CUT,
    FaultKind.STREAM_ERROR,
]


@pytest.mark.slow
def test_with_faults_in_the_model_over_1000_sentences_none_is_called_supported(stage: GroqStage) -> None:  # N4
    for kind in FAULTS:
        cases = [(f"Refunds are paid within 14 days of return number {n}.", POLICY) for n in range(67)]
        stage.sim.reset()
        stage.sim.fail(Fault(kind=kind, times=None, retry_after=0))
        found = judged(stage, cases, at_once=len(cases))
        assert {each["status"] for each in found} == {"not_checked"}, kind
        assert all(each["verdict"] is None and each.get("reason") for each in found), kind


@pytest.mark.parametrize("kind", [FaultKind.HANG, FaultKind.DRIP])
def test_a_model_that_does_not_answer_in_time_supports_nothing(stage: GroqStage, kind: FaultKind) -> None:  # N4
    stage.sim.fail(Fault(kind=kind, times=None))
    impatient = ModelSettings(call_timeout_s=0.3, deadline_s=0.5, attempts=1, fallbacks={})
    found = judged(stage, [(f"{SUPPORTED[0]} It is case {n}.", POLICY) for n in range(30)], impatient, at_once=30)
    assert {each["status"] for each in found} == {"not_checked"}


async def test_a_statement_longer_than_any_sentence_is_not_checked_and_says_why() -> None:  # F1, N4
    long = "`" + "x = 1; " * 400 + "`"
    gateway = ModelGateway(OfflineModel(), QUICK)
    sources = Sources.numbered([("a.py", long)])
    alone = await judge_statement(RecordedJudge(gateway, CallLog()), long, sources)
    pairs = [Pair("s0:c1", "x = 1;", sources), Pair("s1:c1", long, sources)]
    _, together = await judge_batch(RecordedJudge(gateway, CallLog()), pairs)
    for checked in (alone, together):
        assert (checked["status"], checked["verdict"]) == ("not_checked", None)
        assert "2,000 characters" in checked.get("reason", "")
