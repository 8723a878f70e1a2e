"""The reader without a model: what it quotes of ordinary papers, and what it does not (V8)."""

import pytest

from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.question.question_parts import parts_of
from citewell_verify.question.relevance import answer_relevance, candidates, judge_question
from citewell_verify.question.units import units_of
from clients.llm.offline.answering import compose_answer
from verify_material.rows import for_all_rows

IDK = "I don't know."
HANDBOOK = """# Rowing club

## Summer fair

We meet on Saturday 6 June at 11 am behind the boathouse.

## Lockers

- Key desk: 0800 222 0199
- Steward: Nils Brandt, gate house

## Free coaching

Coaching costs nothing for:

- members under 16
- carers of disabled rowers

Members may row at night. Beginners are excluded.

## How to reserve a boat

1. Open the calendar. It is on the wall.
2. Write your name
3. Take the oars

| Boat | Length (m) | Fee (EUR) | Change (%) | Owner |
|---|---|---|---|---|
| Heron | 9 | 48 | -2.5 | Ada Lund |
| Swift | 11 |  | 1.5 | Bo Fisk |
"""
RUNBOOK = """# Nightly export

It takes 35 minutes.

## If it fails

1. Read the log of the nightly export.
2. Delete exports older than 14 days.
3. Tell the channel.
"""
MINUTES = """Project meeting

1. Website
- Mia drafts the home page
- the budget is 9,000 euros

2. Archive
- the boxes move in May
- Karl rents the van
"""
NOTICE = """체육관 이용 안내

일시: 2026년 5월 3일 오전 10시
장소: 별관 2층
담당: 오세진

1. 예약
예약은 사흘 전까지 전화로 한다. 취소는 하루 전까지 가능하다.
"""
FARES = """## Day tickets

| Zone | Adult | Child |
|---|---|---|
| North | 5 euros | 2 euros |

## Season tickets

| Zone | Student | Senior |
|---|---|---|
| North | 5 euros | 2 euros |
"""
DUTIES = """The hall is aired every Monday before the first course. The warden looks after:

- floors and mats
- showers

Sweep the yard Ida Holm 3 May
Order salt Per Dahl 9 May

The gate is mended in the weeks after the spring fair, when the ground has dried and the van is free again.

| Day | Court | Repair | Fitter | Cost (EUR) |
|---|---|---|---|---|
| 2 May | Court 1 | Net replaced | J. Wolff | 80 |
| 9 May | Court 2 | Lamp replaced | Ana Reyes | 35 |

신청 기간: 2026. 6. 1.(월) ~ 7. 3.(금)
접수 전화는 02-555-0100이고 상담 전화는 02-555-0101이다.
"""


CLUB = """# Archery club

## Board

1. Elections to the board take place in the autumn.
2. The board consists of nine members and meets in the club house.

To hire a bow for the first time, please do this

- ring the keeper
- bring a pass

**To return one after the course:**

1. Clean the string
2. Hang it up

## 보관

보증금 영수증은 6년간 보관한다. 열쇠는 관리실에 보관한다.
심판을 위촉하려면 이사회가 동의하여야 한다.
"""
RATES = """**From what age may a child row alone?**
Children come without an adult from eight years on.

**How often is the pool closed?**
It is closed once a month.

Claims office
Torn sails of 9 June on the north bank of the lake

The sails tore in the storm.
"""
RENT = """대여 안내
참석: 오세진

1. 야간 대여
대여는 매주 수요일에 밤 10시까지 한다.

필터는 2주에 한 번 씻는다.
"""
BUSES = """노선\t출발\t첫차\t막차\t간격\t시간\t요금\t비고
A\t본관\t07:20\t22:00\t15분\t25분\t무료\t주말 운행 없음
B\t별관\t07:40\t23:30\t20분\t12분\t무료\t방학 중 단축
C\t역\t08:00\t18:30\t30분\t35분\t유료\t공휴일 쉼
D\t시장\t06:50\t21:10\t40분\t50분\t유료\t카드만 가능
"""


def answer(question: str, *texts: str) -> str:
    sources = Sources.numbered((f"paper {number}.md", text) for number, text in enumerate(texts, start=1))
    return "".join(compose_answer(question, sources, IDK))


@for_all_rows(
    ("text", "question", "said"),
    [
        (
            HANDBOOK,
            "When is the summer fair?",
            "Summer fair: We meet on Saturday 6 June at 11 am behind the boathouse.",
        ),
        (HANDBOOK, "Where is the summer fair?", "behind the boathouse"),
        (HANDBOOK, "What is the phone number of the key desk?", "Key desk: 0800 222 0199"),
        (HANDBOOK, "Who is the steward?", "Nils Brandt"),
        (HANDBOOK, "How much is the Heron?", "Heron · Fee (EUR): 48 [†1]"),
        (HANDBOOK, "How long is the Heron?", "Heron · Length (m): 9 [†1]"),
        (HANDBOOK, "By how many percent did the Swift change?", "Swift · Change (%): 1.5 [†1]"),
        (HANDBOOK, "Can beginners row at night?", "Beginners are excluded."),
        (HANDBOOK, "When is the sumer fare?", "Saturday 6 June"),
        (HANDBOOK, "Which boat has the lowest fee?", "Fee (EUR): 48"),
        ("The plan fits on one page. A project gets up to 900 euros.", "What can one get for a project?", "900 euros"),
        ("The bond is 90 euros. It is paid back within ten days.", "When do we get the bond back?", "within ten days"),
        (MINUTES, "Who rents the van for the archive?", "Archive: Karl rents the van"),
        (NOTICE, "담당은 누구인가요?", "담당: 오세진"),
        (NOTICE, "체육관 예약은 언제까지 하나요?", "예약은 사흘 전까지 전화로 한다."),
        (FARES, "What does a student pay in North?", "North · Student: 5 euros [†1]"),
        (FARES, "What does an adult pay in North?", "North · Adult: 5 euros [†1]"),
        (DUTIES, "Who orders the salt?", "Order salt Per Dahl 9 May [†1]"),
        (DUTIES, "Who replaced the lamp of court 2?", "Fitter: Ana Reyes"),
        (
            "| Site | Meter reading | Reader |\n|---|---|---|\n| Site 3 | 2211 | Bo |",
            "Who read the meter at site 3?",
            "Reader: Bo",
        ),
        (DUTIES, "신청 기간은 언제인가요?", "2026. 6. 1.(월) ~ 7. 3.(금)"),
        (DUTIES, "접수는 어디로 전화하나요?", "02-555-0100"),
        (CLUB, "How many members sit on the board?", "nine members"),
        (CLUB, "보증금 영수증은 몇 년 동안 보관하나요?", "6년간"),
        (CLUB, "심판의 위촉은 누가 동의하나요?", "이사회가 동의하여야 한다"),
        (CLUB, "How do I hire a bow?", "- ring the keeper [†1]\n- bring a pass"),
        (CLUB, "How do I return a bow?", "1. Clean the string [†1]\n2. Hang it up"),
        (RATES, "From what age may a child row?", "row alone? Children come without an adult from eight years on."),
        (RATES, "What caused the torn sails?", "The sails tore in the storm."),
        (RENT, "야간 대여는 무슨 요일에 하나요?", "매주 수요일에 밤 10시까지"),
        (RENT, "필터는 얼마나 자주 씻나요?", "필터는 2주에 한 번 씻는다."),
        (BUSES, "A 노선은 주말에 운행하나요?", "비고: 주말 운행 없음"),
    ],
)
def test_a_question_gets_what_the_paper_has_with_its_head(text: str, question: str, said: str) -> None:  # V8
    assert said in answer(question, text)


@pytest.mark.parametrize(
    ("text", "question", "lines"),
    [
        (
            HANDBOOK,
            "Who gets free coaching?",
            ["Free coaching: Coaching costs nothing for:", "- members under 16", "- carers of disabled rowers"],
        ),
        (
            HANDBOOK,
            "How do I reserve a boat?",
            [
                "How to reserve a boat",
                "1. Open the calendar. It is on the wall.",
                "2. Write your name",
                "3. Take the oars",
            ],
        ),
        (
            DUTIES,
            "What does the warden look after on Monday before the first course?",
            [
                "The hall is aired every Monday before the first course. The warden looks after:",
                "- floors and mats",
                "- showers",
            ],
        ),
        (
            RUNBOOK,
            "What do I do if the export fails?",
            [
                "If it fails",
                "1. Read the log of the nightly export.",
                "2. Delete exports older than 14 days.",
                "3. Tell the channel.",
            ],
        ),
        (RUNBOOK, "Which exports are deleted?", ["2. Delete exports older than 14 days."]),
        (
            MINUTES,
            "What was said about the website?",
            ["1. Website", "- Mia drafts the home page", "- the budget is 9,000 euros"],
        ),
    ],
)
def test_a_list_whose_head_is_asked_for_is_quoted_whole(text: str, question: str, lines: list[str]) -> None:  # V8
    assert answer(question, text).replace(" [†1]", "").splitlines() == lines


@for_all_rows(
    ("text", "question"),
    [
        (HANDBOOK, "How much is the Swift?"),
        (HANDBOOK, "What is the lowest fee for a tent?"),
        (HANDBOOK, "Which boat in Oslo has the highest fee?"),
        (HANDBOOK, "Who is the owner of the largest hotel?"),
        (HANDBOOK, "Which boat had the lowest fee last year?"),
        (HANDBOOK, "What is the e-mail address of the key desk?"),
        ("Orders: print@copyshop.example", "What is the fax number for orders?"),
        (HANDBOOK, "What is the capital of Norway?"),
        ("품목\t규격\t단가(원)\n책상\t3단\t87000\n의자\t메시\t42000\n", "화이트보드의 단가는 얼마인가요?"),
        ("Q: Is there parking at the pool?", "Is there parking at the pool?"),
        ("", "When?"),
        ("# Only a heading", "What is only a heading?"),
    ],
)
def test_what_the_paper_does_not_have_is_not_made_up(text: str, question: str) -> None:  # V8, S3.4
    assert answer(question, text) == IDK


def test_a_question_in_the_paper_is_the_heading_of_its_answer() -> None:  # V8
    text = "Q: May I bring a dog to the office?\nA: Yes, on Fridays.\n\nQ: Is there parking?\nA: No."
    assert answer("May I bring a dog to the office?", text).endswith("A: Yes, on Fridays. [†1]")


def test_two_cells_of_one_row_answer_two_questions() -> None:  # V8
    said = answer("Who is the owner of the Heron, and how long is the Heron?", HANDBOOK)
    assert "Owner: Ada Lund" in said
    assert "Length (m): 9" in said


def test_a_source_that_is_replaced_is_read_where_no_other_answers() -> None:  # V8, 39
    old, new = "Hand tools are lent for 14 days. Ladders are lent for a week.", "Hand tools are lent for 7 days."
    sources = Sources.numbered((("old.md", old), ("new.md", new)), replaced_by=("new.md", ""))
    assert "7 days" in "".join(compose_answer("For how long are hand tools lent?", sources, IDK))
    assert "a week" in "".join(compose_answer("For how long are ladders lent?", sources, IDK))
    assert '<source id="1" name="old.md" replaced_by="new.md">' in str(sources)


def test_a_summary_is_an_extract_and_only_where_one_is_asked_for() -> None:  # V8
    extract = answer("Summarise the handbook.", HANDBOOK)
    assert "Summer fair: We meet" in extract
    assert "Free coaching: Coaching costs nothing for:" in extract
    text = "# Report\n\nThe executive summary is written by Nora Falk. The map hangs in room 9."
    assert answer("Who writes the executive summary?", text) == "The executive summary is written by Nora Falk. [†1]"


def test_a_line_whose_last_word_ends_nothing_goes_on_in_the_next() -> None:  # 39
    scanned = (
        "The club lets the whole of the lower boathouse with its gangway and both slips to the county school.\n\n"
        "1. The season opens on 4 April and closes on\n17 October 2027.\n2. The fee is EUR 900 a year."
    )
    assert "closes on 17 October 2027." in answer("When does the season close?", scanned)


def test_each_text_that_is_quoted_stands_where_its_marker_says() -> None:  # S5.3
    said = answer("Who rents the van, and when is the summer fair?", HANDBOOK, MINUTES)
    assert "van [†2]" in said
    assert "boathouse. [†1]" in said


def test_a_unit_is_weighed_beside_the_others_and_below_its_heading() -> None:  # V8
    part = parts_of("When is the summer fair?")[0]
    best, *others = candidates(part, units_of(HANDBOOK))
    assert best.unit.heading == "Summer fair"
    assert all(best.probability > rival.probability for rival in others)
    alone = candidates(part, units_of("We meet on Saturday 6 June at 11 am behind the boathouse."))
    assert not alone


def test_another_sentence_of_the_passages_that_answers_better_makes_an_answer_doubtful() -> None:  # V8, V10
    question, said = "When does the pool open on Sundays?", "The pool opens at six."
    alone = judge_question(question, said, [said])
    beside = judge_question(question, said, [f"{said} On Sundays the pool opens at nine in the morning."])
    assert alone is not None
    assert beside is not None
    assert beside.probability < alone.probability
    assert beside.relevant != "yes"


def test_a_heading_alone_does_not_answer() -> None:  # 39
    passage = "# Harbour\n\n## Opening of the new harbour\n\nBoats enter from the east since it was dredged."
    verdict = judge_question("How was the new harbour opened?", "Opening of the new harbour", [passage])
    assert verdict
    assert verdict.relevant == "no"


def test_what_an_answer_quotes_is_judged_where_it_stands() -> None:  # V8, V10
    question, said = "When is the summer fair?", "We meet on Saturday 6 June at 11 am behind the boathouse."
    quoted, alone = judge_question(question, said, [HANDBOOK]), judge_question(question, said, [])
    assert quoted
    assert alone
    assert quoted.probability > alone.probability


def test_a_value_with_a_label_is_no_bare_phrase() -> None:  # V8
    assert answer_relevance("Where are the rowing days held?", "Speaker: Jo Lind") < 0.3
    assert answer_relevance("Where are the rowing days held?", "In Lisbon.") > 0.5


def test_a_line_that_introduces_a_table_comes_with_it() -> None:  # 39
    text = "Drinks that we sell at the harbour:\n\n| Drink | Price |\n|---|---|\n| Tea | 2 |\n| Cocoa | 3 |"
    answer = "".join(compose_answer("Which drinks do you sell?", Sources.numbered([("a.md", text)]), IDK))
    assert "Tea" in answer
    assert "Cocoa" in answer
