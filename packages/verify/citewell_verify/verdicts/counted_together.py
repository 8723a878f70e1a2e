"""Finds the figures of several cited sources that a statement adds up or compares (V7).

"Together, the two depots shipped 2,055 crates" follows from 1,310 crates in one source and 745 in another; "565 more"
from their difference; "rose from 48,000 in 2020 to 61,500 in 2023" from both figures themselves.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, islice, permutations, product
from math import isclose

from citewell_verify.entities.quantities import Quantity
from citewell_verify.facts.reading.token_alignment import has_token
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.text.quotes import parse_sentences
from citewell_verify.text.sentences import Sentence

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
_MOST_SOURCES, _MOST_OPERANDS = 4, 3  # sources with operands; operands of one source


@dataclass(frozen=True, slots=True)
class Operand:
    """A figure of a sentence of one source."""

    source: int
    sentence: Sentence
    tokens: tuple[Token, ...]
    figure: Token
    value: Quantity


def find_operands(statement: str, sources: Sequence[str]) -> tuple[Operand, ...]:
    """Return the figures, each of another source, that a statement adds, subtracts or lists; () if they do not give its
    result.

    The statement and the sentences of the figures have the same words, except the words for the calculation.
    """
    stated = _Stated(statement, tokenize(statement))
    by_source = [
        list(islice(_operands(stated.tokens, number, text), _MOST_OPERANDS)) for number, text in enumerate(sources)
    ]
    telling = [operands for operands in by_source if operands][:_MOST_SOURCES]
    for size in range(len(telling), 1, -1):
        for chosen in combinations(telling, size):
            for operands in product(*chosen):
                if stated.follows_from(operands):
                    return operands
    return ()


def _operands(stated: Sequence[Token], source: int, text: str) -> Iterator[Operand]:
    """Yield the figures of sentences whose other words are all in the statement."""
    for sentence in parse_sentences(text).sentences:
        tokens = tokenize(sentence.text)
        figures = [(token, value) for token in tokens if (value := _value(token))]
        untold = (token for token in tokens if (token.is_content or token.cue) and not has_token(stated, token))
        first_untold = list(islice(untold, 2)) if figures else []
        for figure, value in figures:
            if all(token is figure for token in first_untold):
                yield Operand(source, sentence, tokens, figure, value)


@dataclass(frozen=True)
class _Stated:
    text: str
    tokens: tuple[Token, ...]

    def follows_from(self, operands: Sequence[Operand]) -> bool:
        added = [token for token in self._beyond(operands) if token.is_content or token.cue]
        results = [value for token in added if (value := _value(token))]
        arithmetic = (_SUM, _GAP, _LESS, _MORE, _COUNT)
        has_other_words = not all(
            _value(token) or any(form.fullmatch(token.text) for form in arithmetic) for token in added
        )
        if len(results) > 1 or has_other_words or not self._keeps_together(operands):
            return False
        if results:
            return self._is_result(results[0], operands)
        return self._change(operands) > 0 and all(has_token(self.tokens, operand.figure) for operand in operands)

    def _beyond(self, operands: Sequence[Operand]) -> list[Token]:
        known = [token for operand in operands for token in operand.tokens]
        return [token for token in self.tokens if not has_token(known, token)]

    def _keeps_together(self, operands: Sequence[Operand]) -> bool:
        """Return whether the statement has words that only one of the sentences has, and keeps those of each sentence
        together.
        """
        owners = [owner for token in self.tokens if (owner := _owner(operands, token)) is not None]
        return tuple(owner for owner, _ in groupby(owners)) in permutations(range(len(operands)))

    def _is_result(self, result: Quantity, operands: Sequence[Operand]) -> bool:
        values = [operand.value for operand in operands]
        unit, is_share = values[0].unit, values[0].dimension == "percent"
        if {(value.unit, value.bound) for value in values} != {(unit, result.bound)}:
            return False
        # A share that rises from 3 % to 5 % rises by 2 percentage points, and not by 2 %.
        if result.dimension != "percentage points" if is_share else result.unit != unit:
            return False
        change = self._change(operands)
        if _SUM.search(self.text):
            return not is_share and change == 0 and isclose(result.value, sum(value.value for value in values))
        is_gap = len(values) == 2 and isclose(result.value, abs(values[0].value - values[1].value))
        return is_gap and (change > 0 or (change == 0 and _GAP.search(self.text) is not None))

    def _change(self, operands: Sequence[Operand]) -> int:
        """Return 1 if the values change as the statement says, -1 if they do not, 0 if it states no change."""
        words = [token.text for token in self._beyond(operands)]
        less, more = (any(map(form.fullmatch, words)) for form in (_LESS, _MORE))
        if not (less or more):
            return 0
        base = self._base(operands)
        if base is None or len(operands) != 2:
            return -1
        change = operands[1 - base].value.value - operands[base].value.value
        return 1 if (change < 0 if less else change > 0) else -1

    def _base(self, operands: Sequence[Operand]) -> int | None:
        """Return the index of the operand with which the other one is compared: it is after "than" or before `보다`."""
        owners = [_owner(operands, token) for token in self.tokens]
        for word, case in _BASE:
            for at, token in enumerate(self.tokens):
                if word == token.key or case == token.case:
                    beside = owners[at:] if word == token.key else owners[at::-1]
                    return next((owner for owner in beside if owner is not None), None)
        return None


def _owner(operands: Sequence[Operand], token: Token) -> int | None:
    owners = [at for at, operand in enumerate(operands) if has_token(operand.tokens, token)]
    return owners[0] if len(owners) == 1 and token.is_content else None


def _value(token: Token) -> Quantity | None:
    return token.value.quantity if token.value and token.value.date is None else None
