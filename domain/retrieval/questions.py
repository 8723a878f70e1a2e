"""What a question is searched by: its own words without those about the form of an answer, and words of statements.

Analysts ask for "capex" or "working capital", and statements say "Purchases of property and equipment" and "Total
current liabilities". These further words weigh less than the question's own (docs/internals/retrieval.md).
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from citewell_verify.text.sentences import split_sentences
from domain.retrieval.lexemes import lexemes

_MOST_CHARS = 4_000  # of a question: a longer one is a text
_MOST_FURTHER = 48
_ABOUT_ANSWERS = re.compile(
    r"^\W*(?:please\s+)?(?:round|answer|respond|reply)\s+(?:your|the\s+(?:answer|result)|in|with|to|briefly|only)\b"
    r"|^\W*you are an?\s(?:\w+\s){0,3}(?:analyst|accountant|assistant|auditor|expert)\b"
    r"|^\W*(?:please\s+)?(?:give|provide|write)\s+(?:me\s+)?(?:an?\s|the\s|your\s|us\s)?(?:short\s|brief\s)?(?:answer|response|solution|reply)\b"
    r"|\b(?:round|base|basing|express|keep)\s+(?:your|the)\s+(?:answers?|judge?ments?|response)\b"
    r"|\b(?:then|please)\s+(?:please\s+)?(?:state|explain|say)\s+(?:that|so|why)\b|\bexplain\s+why\W*$"
    r"|(?:(?:답변|대답|답)(?:은|을|해)|반올림|소수점)[^.?!\n]{0,60}(?:주세요|주십시오|하세요|하시오|바랍니다|할 것)",
    re.IGNORECASE,
)
_TERMS = {
    r"cap-?ex|capital (?:expenditures?|intensive|intensity|spending)": "purchases property plant equipment additions "
    "capital expenditures",
    r"cogs|cost of goods": "cost of goods sold cost of sales cost of revenue",
    r"p ?& ?l|income statement|statements? of (?:income|operations|earnings)|profit and loss": "consolidated "
    "statements of income operations earnings",
    r"balance sheet|statement of financial position": "consolidated balance sheets total assets total liabilities",
    r"operating cash ?flows?|cash (?:flows? )?from operat\w+": "net cash provided by operating activities",
    r"free cash ?flows?|(?-i:FCF)": "net cash provided by operating activities purchases property plant equipment",
    r"(?:statement of )?cash ?flows?(?: statement)?": "consolidated statements of cash flows",
    r"working capital|current ratio": "total current assets total current liabilities",
    r"quick ratio|liquidity": "total current assets total current liabilities cash equivalents receivables",
    r"gross margins?": "gross profit cost of sales net sales revenue",
    r"operating margins?|ebit": "operating income income from operations net sales revenue",
    r"ebitda|d ?& ?a": "operating income depreciation amortization",
    r"inventory turnover|days inventory": "inventories cost of sales",
    r"days payables?(?: outstanding)?|(?-i:DPO)": "accounts payable cost of sales inventories",
    r"days sales outstanding|(?-i:DSO)": "accounts receivable net sales revenue",
    r"return on (?:assets|equity)|(?-i:ROA|ROE)": "net income total assets total equity",
    r"payout ratio|retention ratio": "dividends paid net income",
    r"top ?-?line": "net sales revenues",
    r"interest coverage": "operating income interest expense",
    r"sg ?& ?a": "selling general administrative expenses",
    r"r ?& ?d": "research development expenses",
    r"pp ?& ?e|ppne|fixed assets?": "property plant equipment net",
    r"(?-i:EPS)": "earnings per share diluted",
    r"effective tax rate": "effective income tax rate provision for income taxes",
}
_TERM = re.compile("|".join(rf"(?P<t{at}>(?<!\w)(?:{term})(?!\w))" for at, term in enumerate(_TERMS)), re.IGNORECASE)
_FURTHER = {f"t{at}": tuple(lexemes(words)) for at, words in enumerate(_TERMS.values())}


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """The lexemes of a question in order, and further ones that its answer may stand under."""

    own: tuple[str, ...]
    further: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def searched_question(question: str) -> SearchedQuestion:
    own = tuple(lexemes(without_instructions(question)))
    terms = _TERM.finditer(question[:_MOST_CHARS])
    further = dict.fromkeys(lexeme for term in terms for lexeme in _FURTHER[term.lastgroup or ""])
    return SearchedQuestion(own, tuple(lexeme for lexeme in further if lexeme not in own)[:_MOST_FURTHER])


def without_instructions(question: str) -> str:
    """The question without sentences that say how to answer, if one that asks is left."""
    sentences = [question[sentence.start : sentence.end] for sentence in split_sentences(question[:_MOST_CHARS])]
    kept = [
        sentence for sentence in sentences if sentence.rstrip().endswith("?") or not _ABOUT_ANSWERS.search(sentence)
    ]
    asks = any(sentence.rstrip().endswith("?") for sentence in kept) and len(question) <= _MOST_CHARS
    return " ".join(sentence.strip() for sentence in kept) if asks and len(kept) < len(sentences) else question
