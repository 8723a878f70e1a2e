"""Hand-written statements beside their sources, and the verdicts that users get on them.

Three verdicts on each: the published verdict of the offline provider, the verdict on a model that says yes to
everything and quotes a real sentence of the source as its proof, and that of `/api/verify-citation`. None needs a
server.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from rich.console import Console
from rich.table import Table

from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.evidence.citation_scoring import score_citation
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import content_stems, coverage
from citewell_verify.verdicts.ruling import Grounds, Ruling
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status

_NO = (SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The published state of one statement (N4), and whether the citation of its source is accurate (S4.4).

    `offline` and `yes` are states of a sentence: of the offline provider, and of a model that says yes to everything.
    `denied` says that the offline provider rather says no (P(supported) < 0.5), `struck` that its state says so too:
    contradicted or unsupported, not partial. `mismatches` are the issues of S4.4 that say the values differ.
    """

    offline: SentenceStatus
    yes: SentenceStatus
    citation: bool
    mismatches: tuple[str, ...]
    why: str
    denied: bool
    struck: bool

    @property
    def passes(self) -> tuple[bool, bool, bool]:
        """Return whether each of the three lets the statement pass as proven."""
        return self.offline is SentenceStatus.SUPPORTED, self.yes is SentenceStatus.SUPPORTED, self.citation

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def verdicts(statement: str, source: str) -> Verdicts:
    """Judge `statement` against the one `source` that it cites."""
    grounds = Grounds.of(statement, [source])
    offline = grounds.rule(check_statement(statement, Sources.numbered([("source", source)]), _meaning()))
    yes = grounds.rule(_yes(_likeliest_sentence(statement, source)))
    state = _state(offline)
    cited = score_citation(statement, source)
    return Verdicts(
        offline=state,
        yes=_state(yes),
        citation=cited.is_accurate,
        mismatches=tuple(str(issue) for issue in cited.issues if issue.endswith("_mismatch")),
        why=offline.explanation,
        denied=not offline.supports,
        struck=state in _NO,
    )


def _state(ruling: Ruling) -> SentenceStatus:
    return sentence_status(claim=True, checks=[PairVerdict.from_json(1, ruling.as_json())])


@cache
def _meaning() -> Meaning:
    return Meaning(default_embedder())


def _yes(quotation: str) -> StatementCheck:
    """The reply of a model that says yes: it sees no difference and gives no reason."""
    said: dict[str, object] = {
        "evidence": quotation,
        "differences": [],
        "explanation": "",
        "relation": "supports",
        "is_accurate": True,
        "confidence": 1.0,
    }
    return StatementCheck.model_validate({name: said[name] for name in StatementCheck.model_fields})


def _likeliest_sentence(statement: str, source: str) -> str:
    """Return the sentence of `source` that shares most words with `statement`, as a model would quote it."""
    wanted = content_stems(statement)
    quotable = [sentence.text for sentence in split_sentences(source)] or [source]
    return max(quotable, key=lambda text: coverage(wanted, set(content_stems(text))))


def share(flags: Iterable[bool]) -> float:
    """Return the share of `flags` that are true; 0 without any."""
    listed = list(flags)
    return sum(listed) / len(listed) if listed else 0.0


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table whose first two columns are words."""
    table = Table(title=title)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place < 2 else "right")
    for row in rows:
        table.add_row(*(f"{value:.0%}" if isinstance(value, float) else str(value) for value in row))
    Console(width=140).print(table)
