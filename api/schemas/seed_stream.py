"""S4's streamed query on the wire."""

from typing import Literal

from pydantic import BaseModel, Field

from api.schemas.answers import SourceRead
from api.schemas.citations import VerifiedCitation
from api.schemas.texts import Input, WorkspaceName


class StreamAsk(Input):
    """S4: a question whose answer is streamed while it is written."""

    query: str = Field(description="The question.", examples=["What is the refund policy?"])
    workspace: WorkspaceName = Field(default="default", description="The collection of documents that is asked.")


class FinalEvent(BaseModel):
    """S4.3: the last event of the stream."""

    type: Literal["final"]
    data: str = Field(description="The answer after the checks.")
    sources: list[SourceRead] = Field(description="The passages that the answer was written from.")
    citations: list[VerifiedCitation] = Field(description="S4.2: the citations of the answer.")
