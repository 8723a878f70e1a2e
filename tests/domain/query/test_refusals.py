""" "I don't know" in the language of the question."""

import pytest

from citewell_verify.answers.refusals import IDK, REFUSALS, is_idk, refusal_for
from citewell_verify.text.languages import language_of
from domain.query.options import idk_for
from verify_material.rows import for_all_rows

QUESTIONS = {
    "en": "How many days of leave do employees get?",
    "ko": "환불은 언제 됩니까?",
    "de": "Wie viele Tage Urlaub gibt es?",
    "fr": "Quel est le prix du produit ?",
    "es": "¿Cuánto cuesta el producto?",
    "it": "Quanti giorni di ferie ci sono?",
    "pt": "Qual é o preço do produto?",
    "nl": "Hoeveel dagen verlof is er?",
    "ru": "Сколько стоит товар?",
    "ar": "كم سعر المنتج؟",
    "ja": "価格はいくらですか？",
    "zh": "价格是多少？",
}


@for_all_rows(("code", "question"), QUESTIONS.items())
def test_the_refusal_speaks_the_language_of_the_question(code: str, question: str) -> None:  # V8, S5.3
    assert language_of(question) == code
    assert refusal_for(question) == idk_for(question) == REFUSALS[code]
    assert refusal_for(question, "en") == IDK


@for_all_rows("code", REFUSALS)
def test_every_refusal_is_known_as_one_and_nothing_more_is(code: str) -> None:  # V8
    assert is_idk(f"“{REFUSALS[code].rstrip('.。')}”  [1]")
    assert not is_idk(f"{REFUSALS[code]} But refunds take 30 days.")


@pytest.mark.parametrize("question", ["", "hi", "RCAC", "Sushi von Acme"])
def test_a_language_that_is_not_sure_is_english(question: str) -> None:  # V8
    assert refusal_for(question) in (IDK, REFUSALS["de"])
    assert language_of("RCAC") == "en"


@for_all_rows(
    ("question", "source", "code"),
    [
        ("Qui paie ?", "Le locataire paie le loyer le premier jour du mois.", "fr"),
        ("¿Quién paga?", "El inquilino paga la luz y el agua de la vivienda.", "es"),
        ("Wer haftet?", "Der Spediteur haftet für Schäden bis zu 5.000 Euro.", "de"),
        ("営業時間", "当店は午前九時に開店し、午後八時に閉店します。", "ja"),
        ("Кто платит?", "Арендатор платит за воду и свет.", "ru"),
        ("RCAC", "Los precios de la RCAC suben en enero.", "es"),
        ("How much does the Brunner AG pay?", "Die Brunner AG zahlt dem Lieferanten 400 Euro.", "en"),
        ("보증금은 얼마입니까?", "The deposit is two months' rent.", "ko"),
    ],
)
def test_sources_settle_the_language_of_a_short_question(question: str, source: str, code: str) -> None:  # V8
    assert refusal_for(question, beside=[source]) == REFUSALS[code]


ENGLISH_SOURCES = (
    "Most goods can be returned within 30 days of delivery.",
    "The office is open from nine to five on all working days.",
    "Revenue grew in the third quarter, mostly in Europe.",
)
KOREAN_SOURCE = "매출은 전년 대비 12% 증가하였다. 영업이익은 감소하였다."


@for_all_rows(
    ("question", "sources", "code"),
    [
        ("hi", (KOREAN_SOURCE, *ENGLISH_SOURCES), "en"),
        ("port", (KOREAN_SOURCE, *ENGLISH_SOURCES), "en"),
        ("hello", (ENGLISH_SOURCES[0], KOREAN_SOURCE, KOREAN_SOURCE), "en"),
        ("API", (KOREAN_SOURCE, KOREAN_SOURCE), "ko"),
        ("Wer haftet?", ("Der Spediteur haftet für Schäden bis zu 5.000 Euro.", *ENGLISH_SOURCES), "de"),
        ("API", ("", "42"), "en"),
    ],
)
def test_one_source_in_another_language_does_not_decide(
    question: str, sources: tuple[str, ...], code: str
) -> None:  # V8
    assert refusal_for(question, beside=sources) == REFUSALS[code]
