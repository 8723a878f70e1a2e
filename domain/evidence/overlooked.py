"""Finds what a statement overlooks of the sentence that otherwise says it (V3).

Its limits: "refunded whenever the receipt comes" does not follow from "only if it comes within 30 days". The verb that
governs it: "the light is flashing" is not said by "until the light stops flashing". The outcome of a comparison. Silent
when in doubt; what it finds is unproven, not contradicted.
"""

import re
from collections.abc import Iterator, Sequence

from domain.evidence.converses import is_compared_otherwise
from domain.facts.kinds import Disagreement
from domain.facts.reading.vocabulary import keys_of
from domain.text.words import content_stems, coverage, words

_MOST_CHARS = 600  # of a sentence that is searched
_WIDE = re.compile(
    r"\b(?:(?:at|on|in|for|by|to|with|of|from) any(?: other)? \w+|at all times|any ?time|around the clock|whenever"
    r"|wherever|whoever|whatever|whichever|however (?:many|much|long|often|large|small|high|old)|regardless(?: of)?"
    r"|irrespective of|no matter|in (?:all|every) \w+|under (?:all|any) \w+"
    r"|even (?:if|when|though|after|before|without)"
    r"|anyone|anybody|anything|anywhere|without (?:any )?(?:limits?|conditions?|restrictions?|exceptions?)"
    r"|unlimited(?:ly)?|unconditional(?:ly)?)\b"
    r"|언제든지?|언제나|아무 때나|누구나|누구든지?|어디서나|(?:관계|상관) ?없이|무조건|무제한|어떤 경우에도",
    re.IGNORECASE,
)
"""Says of all what the source may say of some; a rule "in any case" is wide as well."""
_LIMITED = re.compile(
    r"\b(?:if|unless|only|except|excluding|provided|as long as|until|till|before|after|between|within|during|when"
    r"|at (?:most|least)|up to|no (?:more|later|earlier) than|from \S+ to)\b"
    r"|[하되으이라다시지오내]면(?=[\s,])|경우|에 한해|[가-힣]만(?=[\s,])|까지|부터|이내|이상|이하|제외|동안",
    re.IGNORECASE,
)
_GOVERNS = re.compile(
    r"\b(?:(?P<ends>stop(?:s|ped)?|ceas(?:e|es|ed)|quit|avoid(?:s|ed)?) (?P<doing>\w+ing)"
    r"|(?P<not>fail(?:s|ed)?|refus(?:e|es|ed)|declin(?:e|es|ed)|forg(?:et|ets|ot)) to (?P<undone>\w+)"
    r"|(?P<open>tr(?:y|ies|ied)|attempt(?:s|ed)?|want(?:s|ed)?|hop(?:e|es|ed)|wish(?:es|ed)?|intend(?:s|ed)?|offer(?:s|ed)?"
    r"|threaten(?:s|ed)?|promis(?:e|es|ed)|propos(?:e|es|ed)) to (?P<planned>\w+))\b",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:not|no|never|without|cannot|un\w+|stop\w*|ceas\w*|quit|avoid\w*|fail\w*|refus\w*|declin\w*|forg[eo]t\w*|tr(?:y|ies|ied)"
    r"|attempt\w*|want\w*|hop\w*|wish\w*|intend\w*|offer\w*|threaten\w*|promis\w*|propos\w*|plan\w*|will|would|may|might|could"
    r"|should|goal|aim\w*|wants?|seek\w*|sought|suggest\w*|idea|longer|until|end\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
"""How a statement may keep such a verb in other words."""
_SAME_MATTER, _SHOWN = 0.4, 40


def overlooked(statement: str, sentence: str) -> Sequence[Disagreement]:
    """Return what the statement overlooks of a `sentence` of its source that is about the same. Linear in both."""
    read = sentence[:_MOST_CHARS]
    if coverage(content_stems(statement), set(content_stems(read))) < _SAME_MATTER:
        return ()
    return (*_widened(statement, read), *_ungoverned(statement, read), *_compared(statement, read))


def _widened(statement: str, sentence: str) -> Iterator[Disagreement]:
    wide = _WIDE.search(statement)
    limit = _LIMITED.search(sentence)
    if wide and limit and not _WIDE.search(sentence):
        known = sentence[limit.start() : limit.start() + _SHOWN].partition(",")[0]
        message = f"the statement says “{wide[0]}”, the source sets a limit: “{known}”"
        yield Disagreement("quantifier", wide[0], known, message, sure=False)


def _ungoverned(statement: str, sentence: str) -> Iterator[Disagreement]:
    """Yield the verb of the sentence that another governs there, and nothing in the statement."""
    governed = None if _SETTLED.search(statement) else _GOVERNS.search(sentence)
    if governed is None:
        return
    verb = governed["doing"] or governed["undone"] or governed["planned"]
    if keys_of(verb.casefold()) & keys_of(" ".join(words(statement))):
        message = f"the source says “{governed[0]}”, the statement only “{verb}”"
        yield Disagreement("modality", verb, governed[0], message, sure=False)


def _compared(statement: str, sentence: str) -> Iterator[Disagreement]:
    if is_compared_otherwise(statement, sentence):
        stated = statement.strip(" .。")
        yield Disagreement("order", stated, sentence, "the source compares the two the other way round", sure=False)
