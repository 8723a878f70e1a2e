"""A gateway as the judge of `citewell_verify`: every call of it goes into one log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from citewell_verify.judging.model import Failure
from citewell_verify.prompting.judgements import Judgement, Reply
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog

_R = TypeVar("_R", bound=Reply)


@dataclass(frozen=True, slots=True)
class RecordedJudge:
    """A `JudgeModel` whose attempts are appended to `log`; it raises CallDeferred according to the log's terms."""

    models: ModelGateway
    log: CallLog

    @property
    def judges_offline(self) -> bool:
        return self.models.judges_offline

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object], *, item: str = "") -> _R | Failure:
        return await self.models.ask(judgement, fields, log=self.log, item=item)
