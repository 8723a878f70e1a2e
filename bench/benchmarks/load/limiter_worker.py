"""A worker process of `benchmarks.load.limiter`: calls without end, with or without the limiter."""

import asyncio
import random
import sys

from pydantic import SecretStr

from citewell_verify.prompting.judgements import CHECK_STATEMENT, StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from clients.limiter import Limiter, Priority, Unlimited, make_limiter
from clients.llm.completions.providers import GroqModel
from clients.llm.protocol import ModelError, ModelRateLimited, ModelRequest
from config.models import ModelSettings
from config.settings import Settings

FAST = "openai/gpt-oss-20b"
_WORDS = "refund token client return receipt signing expires within days every policy access guide opened paid".split()
_FOR_EVER_S = 3_600.0


def request(words: int) -> ModelRequest:
    """Return a check of a statement, with passages of different lengths, `words` at most."""
    texts = [" ".join(random.choices(_WORDS, k=random.randint(words // 10, words))) for _ in range(2)]
    fields = {"sources": Sources.numbered([("a.md", texts[0]), ("b.md", texts[1])]), "statement": "Refunds are paid."}
    return ModelRequest(CHECK_STATEMENT.name, fields, FAST, 250, 30.0, reply=StatementCheck)


async def work(model: GroqModel, limiter: Limiter, words: int) -> None:
    """Send one request after the other; after a refusal continue when the server says."""
    while True:
        asked = request(words)
        lease = await limiter.acquire(FAST, model.reserves(asked), Priority(), patience_s=_FOR_EVER_S)
        try:
            outcome = await model.complete(asked)
        except ModelError as error:
            outcome = error
        await limiter.settle(lease, outcome)
        if isinstance(outcome, ModelRateLimited) and isinstance(limiter, Unlimited):
            await asyncio.sleep(outcome.retry_after_s or 1.0)


async def main(policy: str, base_url: str, redis_url: str, key: str, words: int, in_flight: int) -> None:
    """Work until the process is killed."""
    settings = Settings(
        redis_url=SecretStr(redis_url),
        groq_api_key=SecretStr(key),
        groq_base_url=base_url,
        models=ModelSettings(provider="groq"),
    )
    model = GroqModel(key, base_url, catalogue=settings.models.catalogue)
    limiter = Unlimited() if policy == "bare" else make_limiter(settings)
    await asyncio.gather(*(work(model, limiter, words) for _ in range(in_flight)))


if __name__ == "__main__":
    policy, base_url, redis_url, key, words, in_flight = sys.argv[1:]
    asyncio.run(main(policy, base_url, redis_url, key, int(words), int(in_flight)))
