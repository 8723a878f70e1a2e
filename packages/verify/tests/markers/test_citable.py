"""Names in citations become the numbers of the sources that have them."""

from citewell_verify.markers.citable import Citable, citable, citable_sources
from verify_material.rows import for_all_rows

FILINGS = citable_sources(
    [
        {"filename": "aapl0.md", "metadata": {"ticker": "AAPL", "year": 2023, "filing_type": "10-Q"}},
        {"filename": "aapl1.md", "metadata": {"ticker": "AAPL", "year": 2022, "filing_type": "10-K"}},
        {"filename": "refund-policy.md", "section": "Returns and Fees", "page_number": 2},
        {"filename": "refund-policy.md", "section": "Shipping", "page_number": 7},
        {"title": "환불 규정", "id": "kr-7", "url": "https://a.example/kr"},
    ]
)


@for_all_rows(
    ("name", "numbers"),
    [
        ("AAPL 10-Q 2023", (1,)),
        ("2023 AAPL 10Q", (1,)),
        ("the Form 10-K of AAPL for fiscal 2022", (2,)),
        ("AAPL", (1, 2)),
        ("aapl0.md", (1,)),
        ("`aapl0`", (1,)),
        ("refund-policy.md", (3, 4)),
        ("refund-policy.md, p. 7", (4,)),
        ("refund-policy.md, page 9", (3, 4)),
        ("Refund-Policy.md, Returns and Fees", (3,)),
        ("aapl0.md; refund-policy.md, p. 2", (1, 3)),
        ("aapl0.md and 환불 규정", (1, 5)),
        ("환불 규정, 3쪽", (5,)),
        ("kr-7", (5,)),
        ("https://a.example/kr", (5,)),
    ],
)
def test_a_name_is_the_number_of_the_source_that_has_it(name: str, numbers: tuple[int, ...]) -> None:  # V5, S1.3
    assert FILINGS.resolve(name) == (numbers, ())


@for_all_rows("name", ["AAPL 10-Q 2021", "MSFT 10-K 2022", "policy.pdf", "aapl", "10-Q of whales", "p. 7"])
def test_a_name_that_no_source_has_is_missing(name: str) -> None:  # V5
    numbers, missing = FILINGS.resolve(name)
    assert (numbers, missing) == (((1, 2), ()) if name == "aapl" else ((), missing))


def test_of_several_names_the_unknown_ones_are_told() -> None:  # V5
    assert FILINGS.resolve("aapl0.md; lost.pdf, p. 3") == ((1,), ("lost.pdf",))


def test_a_number_stands_for_sources_without_names() -> None:  # V5
    three = citable(3)
    assert three is not None
    assert (three.count, 3 in three, 4 in three, 0 in three) == (3, True, False, False)
    assert three.resolve("a.pdf") == ((), ("a.pdf",))
    assert citable(three) is three
    assert citable(None) is None
    assert isinstance(three, Citable)


def test_long_names_take_no_long_time() -> None:  # N2
    many = citable_sources({"title": "word " * 10_000, "section": f"part {n}"} for n in range(50))
    assert many.resolve("words, " * 200)[0] == ()
