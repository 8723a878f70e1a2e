"""A "supports" that the rules doubt is asked again: one call for all, recorded under its own name (S5.4, V4)."""

from collections import Counter
from collections.abc import Generator, Sequence

import pytest

from citewell_verify.judging.statement import WINDOW_CHARS, Checked, Pair, judge_batch, judge_statement
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.ruling import UNPROVEN_CONFIDENCE
from citewell_verify.verdicts.states import Verdict
from citewell_verify.verification.findings import read_verdict
from clients.llm.gateway import ModelGateway, RecordedJudge
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallLog, ChatModel
from config.models import ModelSettings
from tests.clients.groq_stage import GroqStage
from tests.simulators.groq.faults import Fault, FaultKind

QUICK = ModelSettings(call_timeout_s=30, deadline_s=60, attempts=1, fallbacks={}, hedge_share=0)
TEXT = "The reading room opens at nine. Cards are renewed at the desk by showing a passport. Fines are paid in cash."
OPENS, RENEWED = "The reading room opens at nine.", "Cards are renewed at the desk by showing a passport."
DOUBTED = "Since 1987 the desk has renewed cards for readers showing a passport."
ALSO_DOUBTED = "Fines of up to 40 francs are paid in cash."


@pytest.fixture(scope="module")
def stage() -> Generator[GroqStage]:
    with GroqStage(unlimited=True) as stage:
        yield stage


@pytest.fixture(autouse=True)
def no_faults(stage: GroqStage) -> Generator[None]:
    stage.sim.reset()
    yield
    stage.sim.reset()


def judged(stage: GroqStage, statements: Sequence[str], log: CallLog, text: str = TEXT) -> list[Checked]:
    async def judge(model: ChatModel) -> list[Checked]:
        models, sources = ModelGateway(model, QUICK, backoff_s=0.001), Sources.numbered([("rules.md", text)])
        if len(statements) == 1:
            return [await judge_statement(RecordedJudge(models, log), statements[0], sources, item="s0:c1")]
        pairs = [Pair(f"s{number}:c1", each, sources) for number, each in enumerate(statements)]
        return await judge_batch(RecordedJudge(models, log), pairs)

    return stage.run(judge)


def verdicts(found: Sequence[Checked]) -> list[Verdict]:
    return [read_verdict(1, check).verdict() for check in found]


def asked(log: CallLog) -> Counter[str]:
    return Counter(record.prompt for record in log.records)


def test_a_doubted_yes_is_asked_again_and_the_second_answer_decides(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote=RENEWED, times=None))
    log = CallLog()
    (found,) = judged(stage, [DOUBTED], log)
    assert verdicts([found]) == [Verdict.ACCURATE]
    assert asked(log) == {"check_statement": 1, "recheck_statements": 1}
    assert {record.item for record in log.records} == {"s0:c1"}
    assert found["verdict"] is not None
    looks = found["verdict"]["second_look"]
    assert looks is not None
    assert "1987" in looks["noticed"]
    assert looks["place"] == RENEWED
    assert looks["first"]["relation"] == looks["second"]["relation"] == "supports"


def test_a_second_no_takes_the_yes_back(stage: GroqStage) -> None:
    # The first call is answered by a believer, the next one by a reader that misses the year.
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote=RENEWED, times=1))
    (found,) = judged(stage, [DOUBTED], CallLog())
    assert verdicts([found]) == [Verdict.INACCURATE]
    assert found["verdict"] is not None
    assert (found["verdict"]["decided_by"], found["verdict"]["relation"]) == ("model", "contradicts")
    assert found["verdict"]["differences"] == [found["verdict"]["explanation"]]


def test_the_second_looks_of_a_batch_are_one_call(stage: GroqStage) -> None:
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote=RENEWED, times=None))
    log = CallLog()
    found = judged(stage, [OPENS, DOUBTED, ALSO_DOUBTED], log)
    assert asked(log) == {"check_statements": 1, "recheck_statements": 1}
    assert [record.item for record in log.records] == ["s0:c1,s1:c1,s2:c1", "s1:c1,s2:c1"]
    rulings = [check["verdict"] for check in found]
    assert [bool(ruling and ruling["second_look"]) for ruling in rulings] == [False, True, True]


def test_what_nothing_speaks_against_is_asked_once(stage: GroqStage) -> None:
    log = CallLog()
    assert verdicts(judged(stage, [OPENS, RENEWED], log)) == [Verdict.ACCURATE] * 2
    assert asked(log) == {"check_statements": 1}


@pytest.mark.parametrize("kind", [FaultKind.BAD_JSON, FaultKind.FORBIDDEN, FaultKind.SERVER_ERROR, FaultKind.EMPTY])
@pytest.mark.parametrize("statements", [[DOUBTED], [OPENS, DOUBTED]], ids=["alone", "together"])
def test_where_the_second_look_fails_the_yes_is_uncertain_and_says_why(
    stage: GroqStage, kind: FaultKind, statements: list[str]
) -> None:  # N4
    believer = Fault(kind=FaultKind.BELIEVING, quote=RENEWED, times=None)
    stage.sim.fail(Fault(kind=kind, match="\nrecheck_statements\n", times=None), believer)
    found = judged(stage, statements, CallLog())[-1]
    assert verdicts([found]) == [Verdict.UNCERTAIN]
    assert found["verdict"] is not None
    assert found["verdict"]["confidence"] <= UNPROVEN_CONFIDENCE
    looks = found["verdict"]["second_look"]
    assert looks is not None
    assert looks["second"] is None
    assert "gpt-oss" in looks["reason"]


def test_a_window_of_a_long_source_is_looked_at_again(stage: GroqStage) -> None:  # N2
    stage.sim.fail(Fault(kind=FaultKind.BELIEVING, quote=RENEWED, times=None))
    filler = "The committee met in the morning and spoke of the agenda of the following week. "
    log = CallLog()
    found = judged(stage, [DOUBTED], log, filler * (WINDOW_CHARS // len(filler) + 5) + TEXT)
    assert verdicts(found) == [Verdict.ACCURATE]
    assert asked(log) == {"check_statement": 1, "recheck_statements": 1}


async def test_rules_that_judge_are_not_asked_twice() -> None:
    log = CallLog()
    sources = Sources.numbered([("rules.md", TEXT)])
    statements = [DOUBTED, ALSO_DOUBTED, OPENS, "Readers renew cards with a passport."]
    for statement in statements:
        await judge_statement(RecordedJudge(ModelGateway(OfflineModel(), QUICK), log), statement, sources)
    assert asked(log) == {"check_statement": len(statements)}
