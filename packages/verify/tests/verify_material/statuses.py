"""The states of a statement under the judges that tests compare."""

from citewell_verify.facts.comparison import compare
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.verdicts.ruling import Grounds
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status


def statuses(statement: str, source: str) -> set[SentenceStatus]:
    """What becomes of a statement without a model, and with one that says yes and quotes what the offline one does."""
    offline = check_statement(statement, Sources([Source(1, "manual.md", source, "")]), Meaning(None))
    place = compare(statement, source).place or source.strip().rpartition("\n")[2]
    yes = StatementCheck(is_accurate=True, relation="supports", confidence=1.0, evidence=place, explanation="Yes.")
    grounds = Grounds.of(statement, [source], [""])
    return {
        sentence_status(True, [PairVerdict.from_json(1, grounds.rule(reply).as_json())]) for reply in (offline, yes)
    }
