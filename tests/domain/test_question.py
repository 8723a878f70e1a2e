"""What a question asks and names, and whether an answer answers it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.question.asked_nouns import Kind
from citewell_verify.question.named_things import is_about_another, missing_things
from citewell_verify.question.question_parts import has_kind, is_greeting, kind_of, parts_of, question_stems
from citewell_verify.question.relevance import (
    SURELY_ANSWERED,
    Answers,
    ModelJudgement,
    answer_relevance,
    judge_question,
    part_relevance,
    question_of,
    share_right,
)
from citewell_verify.verdicts.confidence import answer_confidence, confidence_label
from domain.question.nearest import closest, why_refused
from verify_material.rows import for_all_rows

MACHINES = ["machines.md\nThe Theta machine weighs 18 kilograms. The Zeta machine weighs 20 kilograms."]
PUMPS = [
    "pumps.md\nPump 4 runs at 14 bar and is inspected every 7 months. Pump 1 runs at 11 bar. Pumps 20 to 25 are spare."
]


def missing(question: str, passages: list[str]) -> list[str]:
    return [thing.text for thing in missing_things(question, passages)]


# V8
@for_all_rows(
    ("question", "passages", "expected"),
    [
        ("How many kilograms does the Omega machine weigh?", MACHINES, ["Omega"]),
        ("how many kilograms does the omega machine weigh", MACHINES, ["omega"]),
        ("Who wrote The Great Gatsby?", MACHINES, ["Great Gatsby"]),
        ("At what pressure does pump 14 run?", PUMPS, ["pump 14"]),
        ("What was the revenue in 2021?", ["a.md\nRevenue was $5 million in 2022 and $6 million in 2023."], ["2021"]),
        (
            "오메가 기계의 무게는 얼마인가요?",
            ["세타 기계의 무게는 18킬로그램이다. 제타 기계는 20킬로그램이다."],
            ["오메가"],
        ),
        ("2팀은 어디에 있나요?", ["1팀은 서울에 있다. 3팀은 부산에 있다."], ["2팀"]),
        ("일본의 확진자는 몇 명인가요?", ["국내 확진자는 일일 보고에 따르면 9,661명으로 나타났다."], ["일본"]),
    ],
)
def test_a_thing_that_no_passage_names_is_found(question: str, passages: list[str], expected: list[str]) -> None:
    assert missing(question, passages) == expected
    assert why_refused(question, passages)


# V8: when in doubt, nothing is refused
@for_all_rows(
    ("question", "passage"),
    [
        ("How heavy is the Theta machine?", MACHINES[0]),
        ("Is pump 22 spare?", PUMPS[0]),
        ("Does any pump run at 14 bar?", PUMPS[0]),
        ("환불은 누구에게 지급되나요?", "환불은 고객에게 지급된다. 직원에게는 지급되지 않는다."),
        ("한국의 확진자는 몇 명인가요?", "국내 확진자는 9,661명으로 나타났다."),
        ("일본의 확진자는 몇 명인가요?", "표의 첫 열은 Japan 다음 열은 Korea 확진자 수를 가리킨다."),
        ("What did JFK say?", "President John F. Kennedy said little."),
        ("What does the European Central Bank decide?", "The ECB decides on rates."),
        ("What did Ada Whitfield find?", "Whitfield found a comet."),
        ("What did the Céloron expedition find?", "Celoron buried lead plates."),
        ("When did German troops leave?", "Troops left Germany in 1994."),
        ("What does the Company sell?", "We sell pumps."),
        ("What Is The Price Of The Large Blue Box?", "It costs 5 euros."),
        ("Wie hoch ist die Kündigungsfrist im Vertrag?", "Das Mietverhältnis endet nach drei Monaten."),
        ("What happened in 2021?", "Between 2019 and 2023 sales rose; see the plan 2020-2024."),
        ("What was FY2021 revenue in 2021?", "Revenue in FY21 was $5 million, in 2022 $6 million."),
        ("What is the pressure of pump 14?", "pump | bar\n14 | 24\n15 | 25\nPump 4 is old."),
        ("Do employees receive 15 days?", "Employees receive 20 days of leave."),
        ("Omega 기계의 무게는?", "오메가 기계의 무게는 18킬로그램이다."),
        ("TR-400의 무게는 얼마인가요?", "The TR-400 weighs 18 kilograms."),
        ("proprty desk in the hall", "Visitor desk: ground floor. Property desk: hall. Order desk: yard."),
    ],
)
def test_another_form_of_a_name_names_it(question: str, passage: str) -> None:
    assert missing(question, [passage]) == []


def test_a_sentence_about_another_member_of_a_series_is_known() -> None:  # V2, V8
    assert is_about_another("At what pressure does pump 14 run?", "Pump 4 runs at 24 bar.")
    assert is_about_another("How much does the Omega machine weigh?", "The Theta machine weighs 18 kilograms.")
    assert not is_about_another("At what pressure does pump 4 run?", "Pump 4 runs at 24 bar.")
    assert not is_about_another("Who founded Acme?", "It was founded by Jane Roe.")
    korean = "2024년 한빛시 전기버스의 평균 가동률은 얼마입니까?"
    assert not is_about_another(korean, "2024년 전기버스의 평균 가동률은 94.1%였다.")


def test_a_condition_in_korean_names_no_place() -> None:  # V8
    assert (
        missing(
            "개강하고 나서 취소하면 환불 되나요?",
            ["개강 뒤에도 전액 환불 신청을 받습니다. 일부 환불 기준은 표와 같습니다."],
        )
        == []
    )


@for_all_rows("text", ["hi", "Hello!", "thanks!", "thank you very much", "안녕하세요", "감사합니다", "Guten Tag"])
def test_a_greeting_is_no_question(text: str) -> None:  # V8
    assert is_greeting(text)
    assert why_refused(text, ["Thanks to cloud computing, all is well."])


@for_all_rows("text", ["hi pumps", "What is hi?", "test 14", "No refunds?", "휴가"])
def test_what_asks_something_is_no_greeting(text: str) -> None:  # V8
    assert not is_greeting(text)


def test_a_question_of_several_parts_is_read_part_by_part() -> None:  # V8
    parts = parts_of("Who founded Acme, and when did it close?")
    assert [(part.text, part.kind) for part in parts] == [("Who founded Acme", "who"), ("when did it close?", "when")]
    assert [part.kind for part in parts_of("환불은 며칠 이내에 해야 하고 수수료는 얼마인가요?")] == ["number", "amount"]
    assert len(parts_of("What are the rules for returns and refunds?")) == 1


@for_all_rows(
    ("question", "kind"),
    [
        ("When was Acme founded?", "when"),
        ("In which year did it close?", "when"),
        ("How many people work there?", "number"),
        ("How much does it cost?", "amount"),
        ("Who leads it?", "who"),
        ("Where is it?", "where"),
        ("Why did it close?", "why"),
        ("Is it open on Sundays?", "decision"),
        ("What is RCAC?", "definition"),
        ("What is the fax number of the registry?", "contact"),
        ("Which e-mail address takes complaints?", "contact"),
        ("Can you give me the mobile number of the porter?", "contact"),
        ("hotline for tenants", "contact"),
        ("What is the name of the chairwoman?", "who"),
        ("What's the discount for members?", "number"),
        ("What is the opening time of the pool?", "when"),
        ("Which town hosted the fair?", "where"),
        ("What is the phone policy?", "definition"),
        ("What changed on the date?", "which"),
        ("팩스 번호가 어떻게 되나요?", "contact"),
        ("접수 마감일이 무엇인가요?", "when"),
        ("무슨 요일에 문을 닫나요?", "when"),
        ("어느 장소에서 모이나요?", "where"),
        ("입장료 가격 알려 주세요", "number"),
        ("전화로 예약할 수 있나요?", "decision"),
        ("환불은 언제 됩니까?", "when"),
        ("refunds", "matter"),
    ],
)
def test_the_kind_of_a_question_is_read(question: str, kind: str) -> None:  # V8
    assert kind_of(question) == kind


def test_an_answer_to_the_question_is_more_relevant_than_another_true_sentence() -> None:  # V8
    question = "How many days of paid leave do employees receive?"
    right = answer_relevance(question, "Full-time employees receive 15 days of paid leave per year. [1]")
    same_matter = answer_relevance(question, "Employees request paid leave from their manager.")
    other = answer_relevance(question, "Returns must be made within 30 days.")
    assert right > 0.8 > 0.5 > same_matter
    assert other < 0.3


def test_markers_do_not_count_and_refusals_answer_nothing() -> None:  # V8
    question = "When are refunds paid?"
    assert answer_relevance(question, "Refunds are paid within 5 days. [1][2]") == answer_relevance(
        question, "Refunds are paid within 5 days."
    )
    assert answer_relevance(question, "I don't know based on the documents.") == 0.0
    assert answer_relevance(question, "해당 정보는 제공된 출처에서 확인되지 않습니다") == 0.0
    assert answer_relevance("", "Refunds are paid.") == 1.0


def test_a_bare_phrase_of_the_kind_that_is_asked_for_is_an_answer() -> None:  # V8
    assert answer_relevance("When was Acme founded?", "In May 2020.") > answer_relevance(
        "When was Acme founded?", "Green."
    )


def test_a_denied_sentence_does_not_answer_what_is_so() -> None:  # V8
    said = "Commissioners are exempt from member state taxes."
    asserted = answer_relevance("Who is exempt from member state taxes?", said)
    assert asserted > answer_relevance("Who is not exempt from member state taxes?", said) + 0.2


def test_a_part_without_an_answer_is_left_open() -> None:  # V8
    verdict = judge_question("Who founded Acme and when did it close?", "Acme was founded by Jane Roe. [1]", ["Acme"])
    assert verdict is not None
    assert (verdict.relevant, verdict.complete, verdict.open_parts) == ("partly", False, ("when did it close?",))


def test_a_question_for_a_date_is_open_without_one() -> None:  # V8
    verdict = judge_question("When was Acme founded?", "Acme was founded by two engineers.", ["Acme"])
    assert verdict is not None
    assert verdict.relevant == "no"
    assert verdict.reason == "The question asks for a date or a time, and the answer has none."


def test_a_models_yes_does_not_stand_against_a_name_that_no_passage_has() -> None:  # V8, V4
    answer = "The Omega machine weighs 18 kilograms."
    verdict = judge_question(
        "How many kilograms does the Omega machine weigh?", answer, MACHINES, ModelJudgement("yes")
    )
    assert verdict is not None
    assert (verdict.relevant, verdict.complete, verdict.missing_names) == ("no", False, ("Omega",))
    assert verdict.probability <= 0.05


def test_a_model_reads_what_words_do_not_tell() -> None:  # V8
    asked = ("Who leads the firm?", "Its chief executive is John Smith.", ["Its chief executive is John Smith."])
    alone, read = judge_question(*asked), judge_question(*asked, ModelJudgement("yes"))
    denied = judge_question(*asked, ModelJudgement("no", ("who leads",)))
    assert alone is not None
    assert read is not None
    assert denied is not None
    assert read.probability >= alone.probability > denied.probability
    assert (read.relevant, read.complete) == ("yes", True)
    assert (denied.relevant, denied.complete, denied.open_parts) == ("no", False, ("who leads",))


def test_a_refusal_leaves_everything_open_and_no_question_has_no_verdict() -> None:  # V8
    verdict = judge_question("When are refunds paid?", "I don't know based on the documents.", ["refunds"])
    assert verdict is not None
    assert (verdict.relevant, verdict.complete, verdict.probability) == ("no", False, 0.0)
    assert judge_question("", "Refunds are paid.", []) is None


def test_a_stored_verdict_is_found_among_the_checks() -> None:  # V8
    verdict = judge_question("When are refunds paid?", "Refunds are paid within 5 days.", ["Refunds"])
    assert verdict is not None
    assert question_of({"check_alignment": {"question": verdict.as_json()}}) == verdict.as_json()
    assert question_of({"abstained": "why"}) is None


def test_every_passage_is_quoted_once_and_copies_are_one() -> None:  # V8
    degrees = (
        "Ada Whitfield leads the laboratory in Leeds. She wrote nine books about the history of instruments, their "
        "makers and their markets, and edits two journals on the same matters and one on the politics of weights. "
        "She holds a degree in physics as her main subject."
    )
    passages = ["Bananas grow in Ecuador.", " ", degrees, "Bananas grow in  Ecuador.", "Lunch is free."]
    assert closest("In which subject does Ada Whitfield hold a degree?", passages) == [
        (0, "Bananas grow in Ecuador."),
        (2, "She holds a degree in physics as her main subject."),
        (4, "Lunch is free."),
    ]


# V8
@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("amount", "새로운 질병인 코로나-19는 보장하지 않는다.", False),
        ("number", "COVID-19 spread fast.", False),
        ("number", "COVID-19 killed 158 people.", True),
        ("amount", "The fee is $19.", True),
        ("when", "Delivery days: 10", True),
        ("contact", "Call 0800 222 0199.", True),
        ("contact", "The desk opened on 2026-01-12.", False),
    ],
)
def test_a_number_inside_a_name_counts_nothing(kind: Kind, text: str, *, expected: bool) -> None:
    assert has_kind(kind, text, "몇?") is expected


@given(st.text(max_size=200), st.lists(st.text(max_size=400), max_size=4))
def test_a_mention_is_of_its_passage(question: str, passages: list[str]) -> None:  # V8
    for number, quote in closest(question, passages):
        assert quote in " ".join(passages[number].split())


@given(st.text(max_size=300), st.text(max_size=300), st.lists(st.text(max_size=300), max_size=3))
def test_any_question_and_answer_get_a_verdict(question: str, answer: str, passages: list[str]) -> None:  # V8
    verdict = judge_question(question, answer, passages)
    assert verdict is None or 0 <= verdict.probability <= 1
    assert 0 <= answer_relevance(question, answer) <= 1
    assert isinstance(why_refused(question, passages), str)


@given(st.sampled_from(["Omega", "Kappa", "Lambda-7", "Tarquin"]), st.sampled_from(["weighs", "costs", "needs"]))
def test_a_name_that_stands_in_a_passage_is_never_missing(name: str, verb: str) -> None:  # V8
    passage = f"The {name} machine {verb} 18 units. The Theta machine {verb} 20 units."
    assert missing(f"How many units does the {name} machine need?", [passage]) == []


@for_all_rows("piece", ["a", "A ", "a ", "A1 ", "pump 1, ", "'", " ", "하고 ", "what and ", "Ab-", "| "])
def test_long_texts_take_time_by_their_length(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    started = time.process_time()
    judge_question("What does pump 14 of the Omega machine need, and when?", text[:20_000], [text])
    judge_question(text[:4_000], "Pump 4 needs oil.", [text[:5_000]])
    assert time.process_time() - started < 8


def test_a_shown_answer_with_few_words_of_its_question_is_in_doubt_and_no_falsehood() -> None:  # V9
    question, answer = "사고의 원인은 무엇인가요?", "원인은 배터리 충전기의 과열로 추정된다."
    verdict = judge_question(question, answer, [f"이천 창고 사고 보고서. {answer}"])
    assert verdict is not None
    assert verdict.relevant == "partly"
    assert verdict.reason == "The answer shares few words with the question, so it may be about something else."
    assert verdict.probability == pytest.approx(
        answer_relevance(question, answer, [f"이천 창고 사고 보고서. {answer}"]), abs=1e-4
    )


def test_the_relevance_that_is_told_is_how_often_such_answers_were_right() -> None:  # V9
    told = [share_right(each / 100) for each in range(101)]
    assert told == sorted(told)
    assert (told[0], told[100]) == (0.0, 1.0)
    # 44 of 100 answers from 0.1 to 0.2 were right, and 50 of 50 above 0.9.
    assert share_right(0.05) == pytest.approx(0.05)
    assert 0.2 < share_right(0.15) < 0.5
    assert share_right(0.95) > 0.9


@for_all_rows(
    ("question", "answer"),
    [
        ("How many employees are in Busan?", "Busan · Employees: 37"),
        ("Who leads the office in Leeds?", "The office in Leeds is led by Mara Quist."),
        ("How long is the warranty?", "The warranty is three years."),
        ("When is the LQ-240 shipped again, and by whom?", "The LQ-240 is shipped again from 4 May."),
        ("환불 기한은 며칠인가요?", "환불 기한은 구매일로부터 14일입니다."),
    ],
)
def test_words_alone_say_yes_only_where_their_number_agrees(question: str, answer: str) -> None:  # V8, V10
    verdict = judge_question(question, answer, [answer, question])
    assert verdict is not None
    assert (verdict.relevant == "yes") == (verdict.complete and verdict.probability >= SURELY_ANSWERED)
    assert (verdict.reason == "The answer is to the point.") <= (verdict.relevant == "yes")


def test_the_date_of_a_question_does_not_count_for_more_than_what_it_asks_about() -> None:  # V8
    asked = parts_of("2023년 7월 12일 사고의 사망자는?")[0]
    assert asked.stems == ("사고", "사망자")
    assert question_stems(asked.text, dated=True) == ["2023", "7", "12", "사고", "사망자"]
    assert "12" in parts_of("2023년 7월 12일에 무슨 사고가 있었나요?")[0].stems
    assert parts_of("몇 월 며칠인가요?")[0].stems
    dated = "2023년 7월 12일 오후 3시경 창고에서 화재가 발생했다."
    assert part_relevance(asked, "이 사고로 2명이 숨졌다.") > part_relevance(asked, dated)


PARAPHRASES = (
    ("May I bring my dog?", "Pets are welcome on the terrace. [1]"),
    ("What does parking cost?", "The garage charges 2 euros an hour. [1]"),
    ("Why was it closed?", "Cracks were found in two pillars. [1]"),
    ("환불은 언제 되나요?", "대금은 14일 안에 돌려준다. [1]"),
)


@for_all_rows(("question", "answer"), PARAPHRASES)
@for_all_rows(("said", "level"), [("yes", "High"), ("partly", "Very Low"), ("no", "Very Low")])
def test_what_a_model_says_of_the_question_decides_whatever_words_are_shared(
    question: str, answer: str, said: Answers, level: str
) -> None:  # V9
    verdict = judge_question(question, answer, [answer], ModelJudgement(said))
    assert verdict is not None
    number = answer_confidence([0.95], verdict.probability)
    assert (verdict.relevant, confidence_label(number, None, is_models_own=True)) == (said, level)


def test_an_open_part_lowers_a_models_yes() -> None:  # V8, V9
    whole = judge_question("What does it cost and who pays?", "It costs 5 euros.", ["x"], ModelJudgement("yes"))
    opened = judge_question(
        "What does it cost and who pays?", "It costs 5 euros.", ["x"], ModelJudgement("yes", ("who pays",))
    )
    assert whole is not None
    assert opened is not None
    assert (whole.probability, whole.complete, opened.complete) == (1.0, True, False)
    assert 0.5 <= opened.probability < 1.0
