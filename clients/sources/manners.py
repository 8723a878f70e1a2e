"""Polite requests: robots.txt is obeyed, and no host is asked too often. All sources of a process share this state."""

import threading
import time
from dataclasses import dataclass

from protego import Protego
from yarl import URL

from citewell_verify.errors import CitewellError
from clients.sources.pages import AGENT, Pages
from domain.errors.requests import PlaceForbidden, RobotsDisallow
from domain.errors.service import PlaceUnreachable

_KEPT_S = 3_600.0
_KEPT_CLOSED_S = 60.0
_MOST_KEPT = 1_000
_MAX_BYTES = 512_000
_LONGEST_DELAY_S = 30.0

_lock = threading.Lock()
_kept: dict[str, tuple[float, "_Rules"]] = {}
_free_at: dict[str, float] = {}


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of a host's robots.txt, or the reason why it could not be read; then no page is requested."""

    robots: Protego | None = None
    trouble: str | None = None


class Manners:
    """Asks for pages politely."""

    def __init__(self, pages: Pages, delay_s: float) -> None:
        self._pages, self._delay_s = pages, delay_s

    def may(self, url: str) -> None:
        """Wait for the host's turn. Raise RobotsDisallow or PlaceUnreachable when the page must not be requested."""
        rules = self._rules(url)
        if rules.trouble is not None:
            raise PlaceUnreachable(f"The robots.txt of the site cannot be read: {rules.trouble}")
        if rules.robots is not None and not rules.robots.can_fetch(url, AGENT):
            raise RobotsDisallow
        asked = rules.robots.crawl_delay(AGENT) if rules.robots is not None else None
        _take_turn(str(URL(url).host), max(self._delay_s, min(float(asked or 0), _LONGEST_DELAY_S)))

    def _rules(self, url: str) -> _Rules:
        origin = str(URL(url).origin())
        kept = _kept.get(origin)
        if kept and kept[0] > time.monotonic():
            return kept[1]
        rules = self._read(origin)
        with _lock:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[origin] = (time.monotonic() + (_KEPT_CLOSED_S if rules.trouble else _KEPT_S), rules)
        return rules

    def _read(self, origin: str) -> _Rules:
        try:
            page = self._pages.get(f"{origin}/robots.txt", _MAX_BYTES, lambda _: None)
        except PlaceForbidden:  # the page itself would be forbidden, too
            raise
        except CitewellError as error:
            return _Rules(trouble=error.message)
        if page.status >= 500 or page.status == 429:
            return _Rules(trouble=f"the server answers {page.status}.")
        if not 200 <= page.status < 300:
            return _Rules()
        return _Rules(Protego.parse(page.body.decode(errors="replace")))


def _take_turn(host: str, delay_s: float) -> None:
    with _lock:
        now = time.monotonic()
        turn = max(now, _free_at.get(host, 0.0))
        if len(_free_at) >= _MOST_KEPT:
            _free_at.clear()
        _free_at[host] = turn + delay_s
    time.sleep(max(0.0, turn - now))


def forget() -> None:
    with _lock:
        _kept.clear()
        _free_at.clear()
