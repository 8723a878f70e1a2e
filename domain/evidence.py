from dataclasses import dataclass
from collections.abc import Sequence, Set
from typing import Literal
from domain.words import content_stems, STOP_WORDS, words, stem
from domain.numbers import *
from domain.dates import *
from domain.negation import *
from domain.sentences import split_sentences, CITATION_MARK


def overlap(claim: Sequence[str], source: Set[str]) -> float:
    """Share of claim stems found in source, weight by length; prefix matches count partly."""
    if not claim: return 0.0
    heads = {}
    for s in source:
        heads.setdefault(s[:2] if s[0]>='가' else s[:4], []).append(s)
    tot=0;got=0.0
    for c in claim:
        w = weight(c)
        tot += w
        if c in source: got += w
        else:
            hangul = c[0]>='가'
            best=0.0
            for s in heads.get(c[:2] if hangul else c[:4], []):
                n=0
                for a,b in zip(c,s):
                    if a!=b: break
                    n+=1
                if (hangul and n>=2) or n>=5 or (n>=4 and n>=0.75*max(len(c),len(s))):
                    best=max(best, n/max(len(c),len(s)))
            got += w*best
    return got/tot

def weight(s):
    return 1.0
