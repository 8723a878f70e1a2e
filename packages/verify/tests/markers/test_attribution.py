"""What a source is called belongs to it: a phrase that only names the source is no part of what a statement says."""

from citewell_verify.markers.attribution import without_attribution
from citewell_verify.markers.citable import names_of
from citewell_verify.prompting.numbered_sources import Sources, content_of
from verify_material.rows import for_all_rows

REPORT = names_of({"title": "Annual Report 2023"})
FILING = names_of(
    {"filename": "msft.htm", "metadata": {"ticker": "MSFT", "company": "Microsoft Corp", "year": 2022, "form": "10-K"}}
)
GUIDE = names_of({"title": "안전 지침서 2023"})
FILE = names_of({"filename": "leave-rules_v2.docx"})
RAIN = "Rain fell on 12 days."


@for_all_rows(
    ("statement", "source"),
    [
        ("According to the Annual Report 2023, rain fell on 12 days.", REPORT),
        ("In the 2023 annual report, page 7, it says that rain fell on 12 days.", REPORT),
        ("As the Annual Report says, rain fell on 12 days.", REPORT),
        ("The Annual Report (2023) states that rain fell on 12 days.", REPORT),
        ("Rain fell on 12 days (Annual Report 2023).", REPORT),
        ("Rain fell on 12 days, as stated in the report.", REPORT),
        ("According to Microsoft's 10-K, rain fell on 12 days.", FILING),
        ("Per the MSFT 10-K, rain fell on 12 days.", FILING),
        ("Rain fell on 12 days (MSFT 10-K, 2022).", FILING),
        ("Rain fell on 12 days, according to the 10-K filing.", FILING),
        ("Based on leave-rules_v2.docx, rain fell on 12 days.", FILE),
        ("Rain fell on 12 days [leave-rules_v2.docx].", FILE),
    ],
)
def test_a_phrase_that_names_its_source_is_left_out(statement: str, source: object) -> None:
    assert without_attribution(statement, [source]) == RAIN  # pyright: ignore[reportArgumentType]


@for_all_rows(
    "statement",
    [
        "안전 지침서 2023에 따르면 비가 12일 동안 내렸다.",
        "2023년 안전 지침서에 의하면 비가 12일 동안 내렸다.",
        "안전 지침서(2023년)에서는 비가 12일 동안 내렸다고 밝힌다.",
        "안전 지침서는 비가 12일 동안 내렸다고 적고 있다.",
        "이 문서에 따르면 비가 12일 동안 내렸다.",
        "비가 12일 동안 내렸다(안전 지침서 2023).",
    ],
)
def test_a_korean_phrase_that_names_its_source_is_left_out(statement: str) -> None:
    assert without_attribution(statement, [GUIDE]) == "비가 12일 동안 내렸다."


@for_all_rows(
    ("statement", "source"),
    [
        ("According to the 2022 report, rain fell on 12 days.", REPORT),
        ("According to the Quarterly Report 2023, rain fell.", REPORT),
        ("In 2023, rain fell on 12 days.", REPORT),
        ("Rain fell on 12 days (2023).", REPORT),
        ("Rain fell in 2023.", REPORT),
        ("The Annual Report 2023 has 12 pages.", REPORT),
        ("The board approved the Annual Report 2023.", REPORT),
        ("Microsoft says that rain fell.", FILING),
        ("According to the 10-Q, rain fell.", FILING),
        ("Rain fell (Paris, 2015).", names_of({"title": "Paris 2015"})),
        ("According to a survey, rain fell.", REPORT),
        ("안전 지침서 2022에 따르면 비가 내렸다.", GUIDE),
        ("안전 지침서는 30쪽이다.", GUIDE),
    ],
)
def test_what_names_more_than_the_source_stays(statement: str, source: object) -> None:
    assert without_attribution(statement, [source]) == statement  # pyright: ignore[reportArgumentType]


def test_only_the_phrase_goes_and_not_the_name_in_what_is_said() -> None:
    said = "Microsoft's 10-K says that Microsoft's revenue fell in 2022."
    assert without_attribution(said, [FILING]) == "Microsoft's revenue fell in 2022."


def test_somebody_of_the_sources_name_who_speaks_in_it_stays() -> None:
    statement = "According to Niels Bohr, light is a wave."
    titled = names_of({"title": "Niels Bohr"})
    heard = Sources.numbered([("x", "Niels Bohr said that light is a wave.")], names=[titled])
    silent = Sources.numbered([("x", "Light is a wave.")], names=[titled])
    assert content_of(statement, heard) == statement
    assert content_of(statement, silent) == "Light is a wave."
