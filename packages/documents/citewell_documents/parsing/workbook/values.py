"""Formats cell values as a reader sees them."""

from datetime import date, datetime, time, timedelta

from citewell_documents.parsing.workbook.number_formats import formatted

_SIGNIFICANT = ".15g"  # as Excel stores it: 0.3, not 0.30000000000000004


def shown(value: object, number_format: str) -> str:
    """A cell's text: numbers with the separators, signs and units of their format, dates in ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return _number(value, number_format)
    if isinstance(value, (date, time)):
        return _moment(value)
    if isinstance(value, timedelta):
        return _duration(value)
    return str(value).strip()


def _number(value: float, number_format: str) -> str:
    if abs(value) >= 1e300 or value != value:
        return str(value)
    if (text := formatted(value, number_format)) is not None:
        return text
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    return format(value, _SIGNIFICANT)


def _moment(value: date | time) -> str:
    if isinstance(value, datetime):
        if value.time() == time():
            return value.date().isoformat()
        # Excel counts in fractions of days, so times carry rounding errors of up to half a second.
        return (value + timedelta(milliseconds=500)).replace(microsecond=0).isoformat(" ")
    return value.isoformat() if isinstance(value, date) else value.replace(microsecond=0).isoformat()


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    sign = "-" if seconds < 0 else ""
    minutes, seconds = divmod(abs(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{seconds:02}"
