"""Generated cases of known truth, with which verdicts are measured: what the generators promise."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.metamorphic.cases import CHANGES, FAITHFUL, KINDS, SWAPS, Case, Text
from benchmarks.metamorphic.generating import MAKERS, generate
from benchmarks.metamorphic.korean import with_particles
from benchmarks.metamorphic.real_verbatim import stating_sentences
from benchmarks.metamorphic.texts import folder_texts, project_texts
from citewell_verify.text.sentences import split_sentences

_LANGUAGES = ("en", "ko")
_NO_KOREAN = ("faithful: voice",)

_seeds = st.integers(0, 10**6)
_languages = st.sampled_from(_LANGUAGES)
_few = settings(max_examples=8, deadline=None)


@cache
def _texts() -> tuple[Text, ...]:
    return tuple(project_texts())


def _cases(language: str, seed: int, each: int = 3) -> list[Case]:
    return generate(_texts(), language, each * len(KINDS), seed)


def test_there_are_ten_kinds_of_swaps_and_fifteen_of_changes() -> None:
    assert (len(SWAPS), len(CHANGES), len(FAITHFUL)) == (10, 15, 6)
    assert len(set(KINDS)) == len(KINDS)


@pytest.mark.parametrize("language", _LANGUAGES)
def test_every_kind_has_as_many_different_cases_as_were_asked_for(language: str) -> None:
    cases = _cases(language, seed=5, each=60)
    assert len(set(cases)) == len(cases)
    for kind in KINDS:
        if not (language == "ko" and kind in _NO_KOREAN):
            assert sum(case.kind == kind for case in cases) == 60, kind


@_few
@given(_languages, _seeds)
def test_the_same_seed_gives_the_same_cases(language: str, seed: int) -> None:
    assert _cases(language, seed) == _cases(language, seed)


@_few
@given(_languages, _seeds)
def test_only_a_verbatim_statement_is_a_sentence_of_its_source(language: str, seed: int) -> None:
    for case in _cases(language, seed):
        said = {sentence.text.removeprefix("- ") for sentence in split_sentences(case.source)}
        if case.kind == "verbatim":
            assert case.statement in case.source
            assert case.unchanged
        else:
            assert case.statement not in said


@_few
@given(_languages, _seeds)
def test_no_case_has_an_empty_slot_or_an_undecided_particle(language: str, seed: int) -> None:
    for case in _cases(language, seed):
        for text in (case.statement, case.source) if case.source not in {each.text for each in _texts()} else ():
            assert "{s}" not in text
            assert "{v}" not in text
            assert not any(pair in text for pair in ("은/는", "을/를", "과/와", "으로/로", "이다/다"))


@_few
@given(_languages, _seeds)
def test_what_is_expected_follows_from_the_kind(language: str, seed: int) -> None:
    for case in _cases(language, seed):
        right = case.kind.startswith(("verbatim", "faithful"))
        assert case.expected == ("supported" if right else "not_supported")


@pytest.mark.parametrize(
    ("kind", "source", "statement"),
    [
        ("swap: names", "Ada Byron was born in 1815. Mary Shelley was born in 1797.", "Mary Shelley was born in 1815."),
        ("swap: places", "Rents in Berlin rose by 4%. Rents in Paris fell.", "Rents in Paris rose by 4%."),
        ("swap: dates", "The bridge opened in 1971. The tunnel opened in 1984.", "The bridge opened in 1984."),
        (
            "swap: directions",
            "In the end Palisade Bank acquired Orion Mills.",
            "In the end Orion Mills acquired Palisade Bank.",
        ),
        (
            "swap: orders",
            "The office moved before the merger was signed.",
            "The office moved after the merger was signed.",
        ),
        ("change: affix", "The deposit paid in May was available.", "The deposit paid in May was unavailable."),
        ("change: negation", "The deposit was paid in the spring.", "The deposit was not paid in the spring."),
        ("change: comparative", "The house has more than ten rooms.", "The house has less than ten rooms."),
        ("change: half of the day", "The museum opens at 9 am on Sundays.", "The museum opens at 9 pm on Sundays."),
        ("change: currency", "The chair costs $40 in every shop.", "The chair costs €40 in every shop."),
        ("faithful: clauses", "In 1971, the bridge was opened again.", "The bridge was opened again in 1971."),
        ("faithful: dropped", "The bridge (built of stone) was opened again.", "The bridge was opened again."),
        ("faithful: digits", "The town has 12,500 inhabitants and grows.", "The town has 12500 inhabitants and grows."),
    ],
)
def test_a_real_sentence_is_changed_in_the_one_way_that_its_kind_names(kind: str, source: str, statement: str) -> None:
    made = [case.statement for maker in MAKERS[kind] for case in maker(Text("en", source), Random(1))]
    assert statement in made


@pytest.mark.parametrize(
    ("kind", "source", "statement"),
    [
        ("change: negation", "공장은 지난해 봄에 문을 닫기로 했다.", "공장은 지난해 봄에 문을 닫기로 하지 않았다."),
        ("change: comparative", "회원은 만 19세 이상이다.", "회원은 만 19세 이하이다."),
        ("change: half of the day", "박물관은 오전 9시에 문을 연다.", "박물관은 오후 9시에 문을 연다."),
        ("change: affix", "그 보고서는 모두에게 공개 자료이다.", "그 보고서는 모두에게 비공개 자료이다."),
        ("swap: dates", "다리는 1971년에 개통되었다. 터널은 1984년에 개통되었다.", "다리는 1984년에 개통되었다."),
        ("faithful: abbreviations", "이용자의 12%가 서비스를 바꿨다.", "이용자의 12퍼센트가 서비스를 바꿨다."),
    ],
)
def test_a_real_korean_sentence_is_changed_so_too(kind: str, source: str, statement: str) -> None:
    made = [case.statement for maker in MAKERS[kind] for case in maker(Text("ko", source), Random(1))]
    assert statement in made


_TABLE = """(In millions) | 2019 | 2018
Sensors | 914 | 918
Cables | 1,221 | 1,280
Total | 2,135 | 2,198"""


def test_a_cell_of_a_real_table_is_stated_with_its_row_and_column() -> None:
    made = {case.statement for maker in MAKERS["faithful: cells"] for case in maker(Text("en", _TABLE), Random(1))}
    truth = {
        f"In {year}, {label} was {value}."
        for label, values in {"Sensors": "914 918", "Cables": "1,221 1,280", "Total": "2,135 2,198"}.items()
        for year, value in zip(("2019", "2018"), values.split(), strict=True)
    }
    wrong = {case.statement for maker in MAKERS["swap: cells"] for case in maker(Text("en", _TABLE), Random(1))}
    assert len(made) == len(wrong) == 3
    assert made < truth
    assert not wrong & truth


def test_sentences_with_citation_markers_questions_and_fragments_state_nothing() -> None:
    text = "It was sold in 1911 for little money.[11] Was it sold for little? Table of contents. It was sold in May."
    assert stating_sentences(Text("en", text)) == ["It was sold in May."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("서울은/는 크다.", "서울은 크다."),
        ("제주은/는 크다.", "제주는 크다."),
        ("서울으로/로 간다.", "서울로 간다."),
        ("부산으로/로 간다.", "부산으로 간다."),
        ("13이/가 남았다.", "13이 남았다."),
        ("40%을/를 낸다.", "40%를 낸다."),
        ("「유리강」은/는 책이다.", "「유리강」은 책이다."),
    ],
)
def test_particles_follow_the_sound_before_them(text: str, expected: str) -> None:
    assert with_particles(text) == expected


def test_a_folder_gives_the_sources_of_its_rows_passages_and_documents(tmp_path: Path) -> None:
    row = {"source": "The bridge over the river was opened in 1971.", "lang": "en"}
    passage = {"text": "The tunnel under the river was opened in 1984.", "lang": "en"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row))
    for folder in ("qa", "documents"):
        (tmp_path / folder).mkdir()
    (tmp_path / "qa" / "a_passages.jsonl").write_text(json.dumps(passage))
    (tmp_path / "documents" / "note.md").write_text("다리는 1971년에 처음으로 개통되었다. " * 3)
    found = folder_texts(tmp_path)
    assert [(text.language, text.text[:9]) for text in found] == [
        ("en", "The bridg"),
        ("en", "The tunne"),
        ("ko", "다리는 1971년"),
    ]


@pytest.mark.slow
def test_the_command_prints_a_table_per_language_and_writes_every_case(tmp_path: Path) -> None:
    out = tmp_path / "cases.jsonl"
    command = [sys.executable, "-m", "benchmarks.metamorphic", "--cases", "33", "--no-embedder", "--json", str(out)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert "English: 33 cases" in printed
    assert "Korean: 32 cases" in printed
    assert len(rows) == 65
    assert "more cases were not tried" not in printed
    assert set(rows[0]["outcomes"]) == {"offline", "yes", "yes, random", "yes, empty", "yes, invented"}


@pytest.mark.slow
def test_the_command_stops_when_its_time_is_over_and_says_how_much_is_left() -> None:
    command = [sys.executable, "-m", "benchmarks.metamorphic", "--cases", "330", "--no-embedder", "--minutes", "0"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "330 more cases were not tried" in printed
