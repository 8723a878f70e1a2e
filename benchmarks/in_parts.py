"""Claims and facts asked of an answer in parts against one call about the whole (S1.4, S2.1), on recorded answers.

`python -m benchmarks.in_parts --data FOLDER` takes the answers of `benchmarks.streamed` and the offline judge, which
judges sentence by sentence: what differs comes from how the answer is taken apart. Tokens are counted as the simulated
provider counts them, a token per four bytes.
"""

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.streamed import Answer, recorded_answers
from clients.llm.gateway import ModelGateway
from clients.llm.offline import OfflineModel
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from domain.answer_parts import answer_parts, fact_parts
from domain.judgements import CHECK_CLAIMS, CHECK_CLAIMS_PART, CHECK_FACTS, CHECK_FACTS_PART, Claims, Facts
from domain.prompts import render

QUESTION = "What do the sources say?"
MOST_FACTS = 5
_WORD = re.compile(r"\w+")


class Comparison:
    """Asks the offline judge, by words alone, in both ways; `told` counts."""

    def __init__(self) -> None:
        self._models = ModelGateway(OfflineModel(None), ModelSettings())
        self.told = Counter[str]()

    async def claims(self, answer: Answer, most: int) -> None:
        """The table of claims: which ones they are, and status and evidence of those that both ways name."""
        asked = {"sources": answer.sources, "question": QUESTION}
        whole = await self._ask_claims("whole", {**asked, "answer": answer.text})
        parts = answer_parts(answer.text, most)
        fields = [{**asked, "before": part.before, "answer": part.text} for part in parts]
        found = {k: v for each in fields for k, v in (await self._ask_claims(f"by {most}", each)).items()} or whole
        both = whole.keys() & found.keys()
        self.told[f"claims, to compare by {most}"] += len(whole)
        self.told[f"claims that parts of {most} name too"] += len(both)
        self.told[f"claims that only parts of {most} name"] += len(found.keys() - both)
        self.told[f"status or evidence that differs, by {most}"] += sum(whole[k] != found[k] for k in both)

    async def _ask_claims(self, way: str, fields: Mapping[str, object]) -> dict[str, tuple[str, str]]:
        judgement = CHECK_CLAIMS_PART if "before" in fields else CHECK_CLAIMS
        reply = await self._models.ask(judgement, fields, log=CallLog())
        assert isinstance(reply, Claims)  # noqa: S101 - it never fails
        self._count(f"claims, {way}", judgement.name, fields, reply.model_dump_json())
        return {_words(claim.claim): (claim.status, claim.evidence) for claim in reply.claims}

    async def facts(self, answer: Answer, per_call: int) -> None:
        """The key claims: which ones they are, and what is said of those that both ways name."""
        asked = {"sources": answer.sources}
        whole = await self._ask_facts("whole", {**asked, "answer": answer.text})
        parts = fact_parts(answer.text, MOST_FACTS, per_call)
        fields = [{**asked, "most": most, "before": part.before, "answer": part.text} for part, most in parts]
        found = {k: v for each in fields for k, v in (await self._ask_facts("in parts", each)).items()} or whole
        self.told["facts"] += len(whole)
        self.told["facts that the parts name too"] += len(whole.keys() & found.keys())
        self.told["verdicts on facts that differ"] += sum(whole[k] != found[k] for k in whole.keys() & found.keys())
        share, other = (sum(each.values()) / max(1, len(each)) for each in (whole, found))
        self.told["answers whose score of facts differs by 0.2 or more"] += abs(share - other) >= 0.2

    async def _ask_facts(self, way: str, fields: Mapping[str, object]) -> dict[str, bool]:
        judgement = CHECK_FACTS_PART if "before" in fields else CHECK_FACTS
        reply = await self._models.ask(judgement, fields, log=CallLog())
        assert isinstance(reply, Facts)  # noqa: S101 - it never fails
        self._count(f"facts, {way}", judgement.name, fields, reply.model_dump_json())
        return {_words(claim.claim): claim.verified for claim in reply.claims}

    def _count(self, way: str, name: str, fields: Mapping[str, object], reply: str) -> None:
        prompt = render(name, fields)
        self.told[f"{way}: calls"] += 1
        self.told[f"{way}: prompt tokens"] += len((prompt.system + prompt.user).encode()) // 4
        self.told[f"{way}: reply tokens"] += len(reply.encode()) // 4


def _words(claim: str) -> str:
    # What was left where a marker or a bullet was taken out says nothing.
    return " ".join(_WORD.findall(claim.casefold()))


async def _run(folder: Path, count: int) -> Counter[str]:
    comparison = Comparison()
    for answer in recorded_answers(folder, 0, count):
        comparison.told["answers"] += 1
        for most in (1, 2):
            await comparison.claims(answer, most)
        await comparison.facts(answer, 3)
    return comparison.told


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.in_parts", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the three files")
    parser.add_argument("--answers", type=int, default=300)
    given = parser.parse_args()
    for name, count in asyncio.run(_run(given.data, given.answers)).items():
        print(f"| {name} | {count:,} |")


if __name__ == "__main__":
    main()
