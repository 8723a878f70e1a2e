"""Made-up fact sheets: sources of which every fact is known, for the kinds that real texts seldom have.

`sheets_en.txt` and `sheets_ko.txt` hold the sentences, `words_*.txt` the names that are put into them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from benchmarks.metamorphic.cases import Case, right, wrong
from benchmarks.metamorphic.korean import with_particles
from benchmarks.metamorphic.pools import Words, capacity, drawn
from benchmarks.metamorphic.tables import table_cases

_FOLDER = Path(__file__).parent
_SLOT = re.compile(r"\{([a-z]+2?)\}")
_MOST_SUBJECTS = 4
_VARIED = ("swap: directions", "swap: orders")


@dataclass(frozen=True, slots=True)
class Facts:
    """A sentence form that gives each of its subjects another value."""

    subjects: str
    values: str
    form: str

    def sentence(self, subject: str, value: str) -> str:
        return with_particles(self.form.replace("{s}", subject).replace("{v}", value))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two forms of a sentence with the same slots; `both_ways` where the first does not follow from the second."""

    first: str
    second: str
    both_ways: bool


def sheet_cases(kind: str, language: str, rng: Random) -> Iterator[Case]:
    """Yield cases of `kind` without end; none if the sheets have no sentences for the kind in this language."""
    facts, pairs, single = _sheets(language)
    while True:
        if kind.endswith(": cells"):
            yield table_cases(kind, language, rng)
        elif kind == "missing subject":
            yield _missing(rng.choice([each for forms in facts.values() for each in forms]), language, rng)
        elif kind in facts:
            yield _swapped(kind, rng.choice(facts[kind]), language, rng)
        elif kind == "verbatim":
            yield _word_for_word(rng.choice(single), language, rng)
        elif kind in pairs:
            yield _changed(kind, rng.choice(pairs[kind]), language, rng)
        else:
            return


def _swapped(kind: str, facts: Facts, language: str, rng: Random) -> Case:
    subjects, values = _subjects_and_values(facts, language, rng.randint(2, _MOST_SUBJECTS), rng)
    said = [facts.sentence(subject, value) for subject, value in zip(subjects, values, strict=True)]
    one, other = rng.sample(range(len(said)), 2)
    return wrong(kind, language, facts.sentence(subjects[one], values[other]), _laid_out(said, language, rng))


def _missing(facts: Facts, language: str, rng: Random) -> Case:
    """Return a statement that gives a fact of the source to a subject that the source does not have."""
    most = min(capacity(facts.subjects, language), capacity(facts.values, language))
    subjects, values = _subjects_and_values(facts, language, rng.randint(3, most), rng)
    *present, absent = zip(subjects, values, strict=True)
    said = [facts.sentence(subject, value) for subject, value in present]
    value = rng.choice(present)[1] if rng.random() < 0.7 else absent[1]
    statement = facts.sentence(absent[0], value)
    return wrong("missing subject", language, statement, _laid_out(said, language, rng))


def _subjects_and_values(facts: Facts, language: str, count: int, rng: Random) -> tuple[list[str], list[str]]:
    if facts.subjects == facts.values:
        both = drawn(facts.subjects, language, 2 * count, rng)
        return both[:count], both[count:]
    return drawn(facts.subjects, language, count, rng), drawn(facts.values, language, count, rng)


def _changed(kind: str, pair: Pair, language: str, rng: Random) -> Case:
    words = Words(language, rng)
    first, second = _filled(pair.first, words), _filled(pair.second, words)
    if pair.both_ways and rng.random() < 0.5:
        first, second = second, first
    source = _laid_out([first], language, rng)
    return (right if kind.startswith("faithful") else wrong)(kind, language, second, source)


def _word_for_word(form: str, language: str, rng: Random) -> Case:
    statement = _filled(form, Words(language, rng))
    return right("verbatim", language, statement, _laid_out([statement], language, rng), unchanged=True)


def _filled(form: str, words: Words) -> str:
    return with_particles(_SLOT.sub(lambda slot: words[slot[1]], form))


def _laid_out(said: Sequence[str], language: str, rng: Random) -> str:
    """Return a source with these statements: as prose among other sentences, as a list, or in one sentence."""
    others = drawn("filler", language, rng.randint(1, 3), rng)
    layout = rng.choice(("prose", "prose", "list", "mixed"))
    if layout == "list":
        return "\n".join([others[0], *(f"- {sentence}" for sentence in said), *others[1:]])
    if layout == "mixed":
        sentences = [*said, *others]
        rng.shuffle(sentences)
        return " ".join(sentences)
    if language == "en" and len(said) == 2 and rng.random() < 0.4:
        said = [f"{said[0].removesuffix('.')}, {rng.choice(('and', 'while'))} {_inner(said[1])}"]
    return " ".join([others[0], *said, *others[1:]])


def _inner(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:] if sentence.startswith(("The ", "A ")) else sentence


@lru_cache(maxsize=2)
def _sheets(language: str) -> tuple[dict[str, list[Facts]], dict[str, list[Pair]], list[str]]:
    facts: dict[str, list[Facts]] = {}
    pairs: dict[str, list[Pair]] = {}
    single: list[str] = []
    kind = ""
    for line in (_FOLDER / f"sheets_{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            if kind == "verbatim":
                single.append(line)
            elif kind.startswith("swap") and kind not in _VARIED:
                facts.setdefault(kind, []).append(Facts(*(part.strip() for part in line.split("|"))))
            else:
                first, sign, second = re.split(r"\s(\||=>)\s", line)
                pairs.setdefault(kind, []).append(Pair(first, second, both_ways=sign == "|"))
    return facts, pairs, single
