"""Parses the Retry-After header."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[0-9]{1,12}")


def retry_after_s(value: str, now: float) -> float | None:
    """Seconds from `now` (Unix time) until the time in Retry-After, a number or a date; None for anything else."""
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    # A date without a zone is in GMT: HTTP allows no other.
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
