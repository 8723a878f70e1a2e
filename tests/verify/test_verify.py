"""Verification as one function, without a server."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

import citewell_verify
from citewell_verify import ChatJudge, GivenText, Report, verify, verify_async
from citewell_verify.__main__ import main
from citewell_verify.answers.refusals import IDK
from citewell_verify.errors import VerificationInvalid
from config.settings import settings
from services.core.verifier import calibration_of
from services.external.request import NewSource
from tests.services.given_story import GivenStory
from tests.simulators.groq.server import KEY, GroqSimulator

CHECKOUT = Path(__file__).parents[2]
RETURNS = "Returns are accepted for 30 days after delivery. A receipt is required."
REFUNDS = "Refunds are paid to the original card within five working days."
NUMBER: Any = 5
HARBOUR = "부산항은 1876년에 개항하였다. 2023년 물동량은 2,315만 TEU로 전년보다 4.9% 늘었다."
FILING = GivenText(
    "Revenue was $5.2 billion in fiscal 2023.", title="AAPL 10-K 2023.pdf", metadata={"ticker": "AAPL", "year": 2023}
)
ANSWERS: Mapping[str, tuple[str, tuple[str | GivenText, ...], str | None]] = {
    "copied, changed and unknown": (
        "Returns are accepted for 60 days after delivery [1]. A receipt is required [1]. Parcels are insured [1].",
        (RETURNS,),
        None,
    ),
    "two sources together, and a question": (
        "Returns are accepted for 30 days and refunds are paid within five working days [1][2]. Is that all?",
        (RETURNS, REFUNDS),
        "How long are returns accepted?",
    ),
    "Korean": (
        "부산항은 1876년에 개항했습니다 [1]. 2023년 물동량은 4.9% 줄었다 [1].",
        (HARBOUR,),
        "부산항의 물동량은?",
    ),
    "numbers from zero": (
        "A receipt is required [0]. Refunds go to the original card [1].",
        (RETURNS, REFUNDS),
        None,
    ),
    "a name, a claim that cites nothing, and a number of no source": (
        "Revenue was $5.2 billion in fiscal 2023 [Source: AAPL 10-K 2023]. Returns are accepted for 30 days. Ok [9].",
        (RETURNS, FILING),
        "What was the revenue?",
    ),
}


def test_the_public_names_are_these() -> None:
    # Another name here is a promise to everybody who imports it.
    assert citewell_verify.__all__ == [
        "ChatJudge",
        "GivenText",
        "Judge",
        "Report",
        "ReportedSentence",
        "SourceSpan",
        "assert_supported",
        "verify",
        "verify_async",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("case", ANSWERS)
def test_the_function_reports_what_the_server_does(case: str) -> None:
    answer, sources, question = ANSWERS[case]
    story = GivenStory(answer, *map(_submitted, sources), question=question)
    story.calibration = calibration_of(settings(), "offline")
    served = story.verified()
    report = verify(answer, sources, question)
    assert [_as_served(report, place) for place in range(len(report.sentences))] == [
        {**sentence, "source": _place(sentence["source"])} for sentence in served["sentences"]
    ]
    assert report.repaired == served["repaired_answer"]
    assert report.repaired_is_grounded is served["repaired_is_grounded"]
    scores = served["verification"]
    assert (report.confidence, report.confidence_level) == (scores["confidence"], scores["confidence_level"])
    assert report.is_grounded is scores["is_grounded"]
    assert list(report.issues) == served["issues"]
    for sentence in report.sentences:
        if found := sentence.evidence:
            source = sources[found.source - 1]
            assert (source if isinstance(source, str) else source.text)[found.start : found.end] == found.text


def _submitted(source: str | GivenText) -> str | NewSource:
    if isinstance(source, str):
        return source
    return NewSource(source.text, title=source.title, metadata=source.metadata)


def _as_served(report: Report, place: int) -> dict[str, Any]:
    sentence = report.sentences[place]
    found = sentence.evidence
    return {
        "start": sentence.start,
        "end": sentence.end,
        "text": sentence.text,
        "status": sentence.status,
        "reason": sentence.reason,
        "support": sentence.support,
        "evidence": found.text if found else None,
        "source": (found.source, found.start, found.end) if found else None,
    }


def _place(source: Mapping[str, Any] | None) -> tuple[int, int, int] | None:
    return (source["number"], source["source_start"], source["source_end"]) if source else None


@dataclass
class YesJudge:
    """Says yes to every statement, with the first source's first sentence as its proof."""

    prompts: list[str] = field(default_factory=list[str])

    async def reply(self, system: str, user: str, schema: Mapping[str, Any]) -> str:
        self.prompts.append(user)
        values: dict[str, object] = {
            "evidence": "A receipt is required.",
            "differences": [],
            "explanation": "the source says so",
            "relation": "supports",
            "is_accurate": True,
            "confidence": 0.95,
        }
        return json.dumps({name: values.get(name) for name in schema["properties"]})


def test_a_language_model_judges_through_one_method() -> None:
    judge = YesJudge()
    report = verify("A receipt is required [1].", [RETURNS], judge=judge)
    (sentence,) = report.sentences
    assert (sentence.status, sentence.reason) == ("supported", "the source says so")
    assert sentence.evidence is not None
    assert sentence.evidence.text == "A receipt is required."
    assert report.is_grounded
    assert report.repaired == report.answer
    (prompt,) = judge.prompts
    assert "A receipt is required." in prompt


def test_a_yes_without_a_proof_in_the_sources_is_not_supported() -> None:
    report = verify("A fee of 5 euros is charged [1].", [RETURNS], judge=YesJudge())
    assert report.sentences[0].status != "supported"


class BrokenJudge:
    async def reply(self, system: str, user: str, schema: Mapping[str, Any]) -> str:
        raise ConnectionError("no route to the model")


def test_what_the_judge_could_not_say_is_not_checked_and_the_report_says_why() -> None:
    report = verify("A receipt is required [1].", [RETURNS], judge=BrokenJudge())
    assert report.sentences[0].status == "not_checked"
    assert "no route to the model" in report.sentences[0].reason
    assert report.confidence is None
    assert report.repaired == report.answer


async def test_it_can_be_called_where_an_event_loop_runs() -> None:
    waited = await verify_async("A receipt is required [1].", [RETURNS], judge=YesJudge())
    assert waited == await asyncio.to_thread(verify, "A receipt is required [1].", [RETURNS], judge=YesJudge())
    assert waited == verify("A receipt is required [1].", [RETURNS], judge=YesJudge())


@pytest.mark.parametrize(("answer", "sources"), [("", [RETURNS]), ("Yes.", []), ("Yes.", [" "])])
def test_what_cannot_be_verified_is_refused(answer: str, sources: list[str]) -> None:
    with pytest.raises(VerificationInvalid):
        verify(answer, sources)


_ALONE = """
import sys
def refuse(event, args):
    if event == "socket.connect" or (event == "open" and str(args[0]).endswith("config.yaml")):
        raise PermissionError(event)
sys.addaudithook(refuse)
from citewell_verify import verify
source = "Returns are accepted for 30 days after delivery."
report = verify("Returns are accepted for 60 days after delivery [1].", [source])
print(report.sentences[0].status, "|", report.repaired)
"""


@pytest.mark.slow
def test_it_runs_in_an_empty_folder_without_settings_database_or_network(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("provider: [this is no setting]", encoding="utf-8")
    # A setting that would be refused shows that none is read.
    environment = {"PYTHONPATH": str(CHECKOUT / "packages/verify"), "CITEWELL_RERANK__TOP_K": "no number"}
    done = subprocess.run(
        [sys.executable, "-c", _ALONE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "contradicted | Returns are accepted for 30 days after delivery. [1]\n"
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


@pytest.mark.slow
def test_a_server_of_chat_completions_judges_by_its_address() -> None:
    with GroqSimulator() as server:
        judge = ChatJudge(f"{server.base_url}/openai/v1", "openai/gpt-oss-20b", key=KEY)
        report = verify("A receipt is required [1]. Returns are accepted for 60 days [1].", [RETURNS], judge=judge)
        assert [sentence.status for sentence in report.sentences] == ["supported", "contradicted"]
        refused = verify("A receipt is required [1].", [RETURNS], judge=ChatJudge(server.base_url, "no-such-model"))
    assert refused.sentences[0].status == "not_checked"
    assert "HTTPStatusError" in refused.sentences[0].reason


class LangChainDocument:
    page_content = RETURNS
    metadata: ClassVar = {"source": "policies/returns.md"}


class LlamaIndexNode:
    metadata: ClassVar = {"file_name": "returns.md"}

    def get_content(self) -> str:
        return RETURNS


class HaystackDocument:
    content = RETURNS
    meta: ClassVar = {"file_path": "/srv/returns.md"}


@pytest.mark.parametrize("document", [LangChainDocument(), LlamaIndexNode(), HaystackDocument()])
def test_documents_of_other_libraries_are_sources_that_can_be_cited_by_name(document: object) -> None:
    report = verify("A receipt is required [Source: returns.md].", [document])
    assert [sentence.status for sentence in report.sentences] == ["supported"]
    assert report.supported_share == 1.0


def test_what_is_no_source_is_named() -> None:
    with pytest.raises(TypeError, match="not int"):
        verify("A receipt is required [1].", [7])


@pytest.mark.parametrize(
    ("answer", "status"), [("A receipt is required [1].", 0), ("Returns take 60 days [1].", 1), (" ", 2), (None, 2)]
)
def test_the_command_says_by_its_exit_status_whether_every_claim_is_supported(
    answer: str | None, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy.md").write_text(RETURNS, encoding="utf-8")
    if answer is not None:
        (tmp_path / "answer.md").write_text(answer, encoding="utf-8")
    assert main([str(tmp_path / "answer.md"), "--source", str(tmp_path / "policy.md")]) == status
    printed = capsys.readouterr()
    assert bool(printed.err) is (status == 2)
    if status == 0:
        assert printed.out.startswith("supported    A receipt is required.\n")


@pytest.mark.parametrize(
    ("answer", "source", "question", "error", "told"),
    [
        (None, RETURNS, None, TypeError, "the answer is a text, not NoneType"),
        (b"A receipt", RETURNS, None, TypeError, "the answer is a text, not bytes"),
        ("A receipt.", GivenText(NUMBER), None, TypeError, "the text of source 1 is a text, not int"),
        ("A receipt.", RETURNS, 5, TypeError, "the question is a text, not int"),
        ("A \ud800 receipt.", RETURNS, None, VerificationInvalid, "The answer has half a character"),
        ("A receipt.", "A \udfff receipt.", None, VerificationInvalid, "The text of source 1 has half a character"),
    ],
)
def test_what_is_no_text_is_named(answer: Any, source: Any, question: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        verify(answer, [source], question)


@pytest.mark.parametrize("question", ["Wifi?", "WLAN", "Hotel Adler", "Taxi"])
def test_a_refusal_in_place_of_an_answer_speaks_the_language_of_the_sources(question: str) -> None:  # S3.4
    report = verify("Penguins governed Mars in the year 1200 [1].", [RETURNS, REFUNDS], question=question)
    assert report.repaired == IDK
