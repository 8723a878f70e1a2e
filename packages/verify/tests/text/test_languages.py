"""The gate of languages: the rules read English and Korean, and say so of everything else."""

from pathlib import Path
from typing import Any

import pytest

from citewell_verify.embeddings.mapped_tables import shared
from citewell_verify.text import languages
from citewell_verify.text.languages import language_of, probabilities, unread_language, why_unread
from verify_material.rows import for_all_rows

ENGLISH = "The report says that revenue rose in the third quarter, because more people bought the new phone."
GERMAN = "Der Bericht sagt, dass der Umsatz im dritten Quartal stieg, weil mehr Menschen das neue Telefon kauften."
KOREAN = "보고서에 따르면 새 전화기를 산 사람이 늘어 3분기 매출이 증가했다."


@for_all_rows(
    ("statement", "source"),
    [
        ("Revenue rose.", ENGLISH),
        ("IT서비스 API는 JSON을 쓴다.", KOREAN),
        ("AWS Lambda timeout은 15분이다.", KOREAN),
        ("大韓民國은 民主共和國이다.", KOREAN),
        ("Regina Spektor", ENGLISH),
        ("Iskander Mirza", "Iskander Mirza was the first president of Pakistan."),
        ("Huey · German: Tick; French: Riri", "| Name | French | German |\n|---|---|---|\n| Huey | Riri | Tick |"),
        ("REVENUE ROSE IN THE THIRD QUARTER", ENGLISH),
        ("The Zugspitze lies in Garmisch-Partenkirchen.", "The Zugspitze (2,962 m) is the highest peak of Germany."),
        ("12 / 30 / 45", "| Q1 | 12 |\n| Q2 | 30 |"),
        ("매출이 늘었다.", ENGLISH),
        ("Revenue rose in the third quarter.", KOREAN),
        ("", ENGLISH),
        ("Revenue rose.", ""),
    ],
)
def test_english_korean_and_what_is_of_no_language_is_read(statement: str, source: str) -> None:
    assert unread_language(statement, [source]) is None


@for_all_rows(
    ("statement", "sources", "language"),
    [
        ("Der Umsatz stieg.", [GERMAN], "de"),
        ("Der Umsatz im dritten Quartal stieg.", [ENGLISH], "de"),
        ("Revenue rose in the third quarter.", [GERMAN], "de"),
        ("Regina Spektor", [GERMAN], "de"),
        ("押金不计利息。", ["承租人应当在三十日前通知出租人。押金不计利息。"], "zh"),
        ("期限は令和5年5月3日である。", [KOREAN], "ja"),
        ("El vecino paga la luz.", ["El inquilino paga el agua.", "El vecino paga la luz de la escalera."], "es"),
    ],
)
def test_another_language_of_the_statement_or_of_all_its_sources_is_named(
    statement: str, sources: list[str], language: str
) -> None:
    assert unread_language(statement, sources) == language


def test_a_source_in_another_language_among_english_ones_does_not_keep_the_others_from_being_read() -> None:
    assert unread_language("Revenue rose in the third quarter.", [GERMAN, ENGLISH, ENGLISH]) is None


def test_the_reason_names_the_language() -> None:
    assert why_unread("pt") == "the rules read English and Korean; this is Portuguese"


def test_a_model_that_processes_share_finds_the_same_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    inner: Any = languages
    monkeypatch.setattr(inner, "_share", None)
    whole = probabilities(GERMAN)
    inner._model.cache_clear()
    probabilities.cache_clear()
    languages.warm(shared)
    assert probabilities(GERMAN) == whole
    assert not inner._model().nb_ptc.flags.writeable
    assert len(list((tmp_path / "citewell").iterdir())) == 2
    inner._model.cache_clear()
    probabilities.cache_clear()


def test_one_text_beside_another_is_given_in_a_list() -> None:
    with pytest.raises(TypeError, match="not one text"):
        language_of("Wifi?", "The room costs 80 euros a night.")
