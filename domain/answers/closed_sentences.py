"""Batches the sentences of a growing answer that can be checked before its end (N1)."""

import json
from hashlib import sha256

from citewell_verify.answers.statements import GrowingAnswer, Statement, check_key, numbers_to_check, same_words
from citewell_verify.markers.citable import Citable
from domain.query.outcomes import Closed, ClosedSentence


class ClosingSentences:
    """Collects the checks of an answer from `sources` (or that many of them), at most `most` sentences per batch."""

    def __init__(self, sources: Citable | int, most: int) -> None:
        self._answer = GrowingAnswer(sources)
        self._sources = sources if isinstance(sources, int) else sources.count
        self._most = most
        self._width = 1
        self._waiting: list[ClosedSentence] = []
        self._seen: set[tuple[str, int | None]] = set()

    def read(self, text: str) -> None:
        for statement in self._answer.closed_by(text):
            self._add(statement)

    def _add(self, statement: Statement) -> None:
        wanted = numbers_to_check(statement, self._sources)
        pairs = {(same_words(statement.text), number): number for number in wanted}
        new = [number for pair, number in pairs.items() if pair not in self._seen]
        self._seen |= pairs.keys()
        if new:
            self._waiting.append(
                ClosedSentence(
                    index=statement.index,
                    start=statement.start,
                    end=statement.end,
                    text=statement.text,
                    claim=statement.claim,
                    numbers=[number or 0 for number in new],
                    whole=len(new) == len(wanted),
                )
            )

    def take_batch(self) -> Closed | None:
        """The next batch of sentences: 1, 2, 4 … as soon as there are that many, for an early first verdict and few
        messages."""
        if len(self._waiting) < self._width:
            return None
        batch = Closed(sentences=self._waiting)
        self._waiting, self._width = [], min(self._width * 2, self._most)
        return batch


def batch_item(closed: Closed) -> str:
    """A name from the content, so that a rewritten answer gets new names."""
    return sha256(json.dumps(closed).encode()).hexdigest()[:32]


def batch_keys(closed: Closed) -> list[str]:
    return [
        check_key(sentence["text"], number or None)
        for sentence in closed["sentences"]
        for number in sentence["numbers"]
    ]
