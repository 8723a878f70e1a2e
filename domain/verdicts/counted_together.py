"""Finds what a statement counts together or compares from figures of several cited sources (V7).

"Together, the two depots shipped 2,055 crates" follows from 1,310 crates of one source and 745 of another; "565 more"
from their difference; "rose from 48,000 in 2020 to 61,500 in 2023" from both as they stand.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, islice, permutations, product
from math import isclose

from domain.entities.quantities import Quantity
from domain.facts.reading.token_alignment import tokens_match
from domain.facts.reading.tokens import Token, tokenize
from domain.text.sentences import Sentence
from domain.text.word_index import parse_sentences

_SUM = re.compile(
    r"\b(?:together|total(?:s|ed)?|sum|combined|altogether)\b|합[쳐치하한해]\w*|합계\w*|모두|총", re.IGNORECASE
)
_GAP = re.compile(r"\b(?:difference|gap)\b|차이\w*|격차\w*", re.IGNORECASE)
_LESS = re.compile(
    r"\b(?:less|fewer|lower|smaller|shorter|f[ae]ll\w*|declin\w*|decreas\w*|drop\w*|shrank|shrunk)\b"
    r"|적[게었은다]\w*|줄[었어]\w*|감소\w*|낮\w*|내[렸려]\w*|하락\w*",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more|higher|larger|greater|longer|r[io]s\w*|increas\w*|gr[eo]w\w*)\b"
    r"|더|많\w*|늘\w*|증가\w*|높\w*|올[랐라]\w*|오[르른]\w*|상승\w*",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(?:numbers?|amounts?|both|as|compared)\b|수[는가를의]?", re.IGNORECASE)
_BASE = (("than", "than"), ("from", "source"))  # words, and the cases of Korean particles
_MOST_SOURCES = 4
_MOST_OPERANDS = 6  # of one source


@dataclass(frozen=True, slots=True)
class Operand:
    """A figure of a sentence of one source."""

    source: int
    sentence: Sentence
    tokens: tuple[Token, ...]
    figure: Token


def find_operands(statement: str, sources: Sequence[str]) -> tuple[Operand, ...]:
    """Return the figures, each of another source, that a statement adds, subtracts or lists; () if they do not give it.

    The statement and the sentences of the figures have the same words, but for those of the calculation.
    """
    stated = _Stated(statement, tokenize(statement))
    known = [
        list(islice(_operands(stated.tokens, number, text), _MOST_OPERANDS)) for number, text in enumerate(sources)
    ]
    known = [each for each in known if each]
    for size in range(min(len(known), _MOST_SOURCES), 1, -1):
        for chosen in combinations(known, size):
            for operands in product(*chosen):
                if stated.follows_from(operands):
                    return operands
    return ()


def _operands(stated: Sequence[Token], source: int, text: str) -> Iterator[Operand]:
    """Yield the figures of the sentences of which the statement has all other words."""
    for sentence in parse_sentences(text).sentences:
        tokens = tokenize(sentence.text)
        untold = [each for each in tokens if (each.is_content or each.cue) and not _has(stated, each)]
        for figure in (each for each in tokens if _figure(each) and all(one is each for one in untold)):
            yield Operand(source, sentence, tokens, figure)


@dataclass(frozen=True)
class _Stated:
    text: str
    tokens: tuple[Token, ...]

    def follows_from(self, operands: Sequence[Operand]) -> bool:
        known = [token for each in operands for token in each.tokens]
        added = [each for each in self.tokens if each.is_content or each.cue]
        added = [each for each in added if not _has(known, each)]
        results = [value for each in added if (value := _figure(each))]
        words = [each for each in added if not _figure(each)]
        if len(results) > 1 or not all(map(_is_arithmetic, words)) or not self._keeps_together(operands):
            return False
        values = [value for each in operands if (value := _figure(each.figure))]
        if results:
            return self._counts(results[0], values, operands)
        return all(_has(self.tokens, each.figure) for each in operands) and self._change(values, operands) > 0

    def _keeps_together(self, operands: Sequence[Operand]) -> bool:
        """Say whether the statement has words that only one of the sentences has, and those of each together."""
        owners = [owner for each in self.tokens if (owner := _owner(operands, each)) is not None]
        return tuple(owner for owner, _ in groupby(owners)) in permutations(range(len(operands)))

    def _counts(self, result: Quantity, values: Sequence[Quantity], operands: Sequence[Operand]) -> bool:
        # A share that rises from 3 % to 5 % rises by 2 percentage points, and not by 2 %.
        shares = values[0].dimension == "percent"
        unit = result.unit if shares and result.dimension == "percentage points" else values[0].unit
        is_of_one_kind = {(each.unit, each.bound) for each in values} == {(values[0].unit, result.bound)}
        if not is_of_one_kind or result.unit != unit or (shares and unit == values[0].unit):
            return False
        change = self._change(values, operands)
        if _SUM.search(self.text):
            return not shares and change == 0 and isclose(result.value, sum(each.value for each in values))
        is_gap = len(values) == 2 and isclose(result.value, abs(values[0].value - values[1].value))
        return is_gap and (change > 0 or (change == 0 and _GAP.search(self.text) is not None))

    def _change(self, values: Sequence[Quantity], operands: Sequence[Operand]) -> int:
        """Return 1 if the values change as the statement says, -1 if they do not, 0 if it speaks of no change."""
        known = [token for each in operands for token in each.tokens]
        less, more = (
            any(form.fullmatch(each.text) for each in self.tokens if not _has(known, each)) for form in (_LESS, _MORE)
        )
        if not (less or more):
            return 0
        base = self._base(operands)
        if base is None or len(values) != 2:
            return -1
        before, after = values[base].value, values[1 - base].value
        return 1 if (after < before if less else after > before) else -1

    def _base(self, operands: Sequence[Operand]) -> int | None:
        """Return which of two operands the other is compared with: that behind "than" or before `보다`."""
        owners = [_owner(operands, each) for each in self.tokens]
        for word, case in _BASE:
            for at, token in enumerate(self.tokens):
                if word == token.key or case == token.case:
                    beside = owners[at:] if word == token.key else owners[at::-1]
                    return next((each for each in beside if each is not None), None)
        return None


def _owner(operands: Sequence[Operand], token: Token) -> int | None:
    owners = [at for at, each in enumerate(operands) if _has(each.tokens, token)]
    return owners[0] if len(owners) == 1 and token.is_content else None


def _is_arithmetic(token: Token) -> bool:
    return any(form.fullmatch(token.text) for form in (_SUM, _GAP, _LESS, _MORE, _COUNT))


def _figure(token: Token) -> Quantity | None:
    return token.value.quantity if token.value and token.value.date is None else None


def _has(tokens: Sequence[Token], wanted: Token) -> bool:
    return any(tokens_match(wanted, each) for each in tokens)
