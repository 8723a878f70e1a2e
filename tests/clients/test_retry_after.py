"""The receiver's Retry-After (A6)."""

from datetime import UTC, datetime
from email.utils import format_datetime

from hypothesis import given
from hypothesis import strategies as st

from clients.http_responses import retry_after_s
from verify_material.rows import for_all_rows

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC).timestamp()


# A6
@for_all_rows(
    ("value", "expected"),
    [
        ("0", 0),
        ("120", 120),
        (" 7 ", 7),
        ("Sun, 22 Nov 2026 12:01:00 GMT", 60),
        ("Sun, 22 Nov 2026 12:01:00 -0000", 60),
        ("Sun, 22 Nov 2026 12:01:00", 60),
        ("Sunday, 22-Nov-26 12:01:00 GMT", 60),
        ("Sun, 22 Nov 2026 14:01:00 +0200", 60),
        ("Sun, 22 Nov 2026 11:00:00 GMT", 0),
        ("Wed, 01 Jan 1800 00:00:00 GMT", 0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("1e3", None),
        ("٣", None),
        ("9" * 5000, None),
        ("Sun, 99 Nov 2026 12:01:00 GMT", None),
        ("Sun, 22 Nov 99999 12:01:00 GMT", None),
    ],
)
def test_seconds_and_dates(value: str, expected: float | None) -> None:
    assert retry_after_s(value, NOW) == expected


@given(st.datetimes(min_value=datetime(1900, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - the strategy adds the zone
def test_every_date_is_read(date: datetime) -> None:
    expected = max(0.0, date.replace(microsecond=0).timestamp() - NOW)
    assert retry_after_s(format_datetime(date, usegmt=True), NOW) == expected


@given(st.text(st.characters(max_codepoint=0xFF)) | st.from_regex(r"\w{3}, \d+ Nov \d+ \d+:\d+:\d+ [+-]\d+"))
def test_whatever_it_says_is_a_number_of_seconds_or_nothing(value: str) -> None:
    found = retry_after_s(value, NOW)
    assert found is None or found >= 0
