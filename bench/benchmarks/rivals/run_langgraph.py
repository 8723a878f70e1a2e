# type: ignore  # its packages live in an environment of their own
"""LangGraph: the corrective RAG graph of its tutorials, with the two graders of answers that come with it.

Passages are graded together, the answer is graded for being grounded and for resolving the question, at the same time.
A graph would write again what is not grounded; the simulated model would write the same, so that edge is left out, to
its advantage. One process, no checkpointer: nothing is stored.
"""

import asyncio
from typing import Literal, TypedDict

from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from loop import FAST, MAIN, Outcome, Work, read_work, serve
from pydantic import BaseModel, Field

_GRADE_DOCUMENT = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "You are a grader who assesses the relevance of a retrieved document to a user question. If the document "
            "contains keywords or meaning related to the question, grade it as relevant. Give a binary score, 'yes' or "
            "'no', as json.",
        ),
        ("human", "Retrieved document: \n\n {document} \n\n User question: {question}"),
    ]
)
_ANSWER = ChatPromptTemplate.from_messages(
    [
        (
            "human",
            "You are an assistant for question-answering tasks. Use the following pieces of retrieved context to "
            "answer the question, and cite the number of a piece behind each sentence, as [1]. If you don't know the "
            "answer, say so.\n\n{context}\n\nQuestion: {question}",
        )
    ]
)
_GRADE_GROUNDED = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "You are a grader who assesses whether an LLM generation is grounded in a set of retrieved facts. Give a "
            "binary score, 'yes' or 'no', as json. 'Yes' means that the facts support the whole answer.",
        ),
        ("human", "Set of facts: \n\n {documents} \n\n LLM generation: {generation}"),
    ]
)
_GRADE_ANSWER = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            "You are a grader who assesses whether an answer resolves a question. Give a binary score, 'yes' or 'no', "
            "as json.",
        ),
        ("human", "User question: \n\n {question} \n\n LLM generation: {generation}"),
    ]
)


class Grade(BaseModel):
    """A binary score."""

    binary_score: Literal["yes", "no"] = Field(description="'yes' or 'no'")


class State(TypedDict, total=False):
    """What the graph carries."""

    question: str
    documents: list[str]
    generation: str
    grounded: bool
    resolved: bool


class System:
    """The graph."""

    def __init__(self, work: Work):
        self._work = work
        fast, main = (
            ChatOpenAI(model=name, base_url=work.base_url, api_key="none", temperature=0.0) for name in (FAST, MAIN)
        )
        grading = fast.with_structured_output(Grade, method="json_schema")
        self._document = _GRADE_DOCUMENT | grading
        self._grounded = _GRADE_GROUNDED | grading
        self._answered = _GRADE_ANSWER | grading
        self._writing = _ANSWER | main
        graph = StateGraph(State)
        nodes = (self.retrieve, self.grade_documents, self.generate, self.grade_grounded, self.grade_answer)
        for node in nodes:
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "retrieve")
        graph.add_edge("retrieve", "grade_documents")
        graph.add_conditional_edges("grade_documents", self.decide, {"generate": "generate", "none": END})
        graph.add_edge("generate", "grade_grounded")
        graph.add_edge("generate", "grade_answer")
        graph.add_edge("grade_grounded", END)
        graph.add_edge("grade_answer", END)
        self._graph = graph.compile()

    async def ask(self) -> Outcome:
        state = await self._graph.ainvoke({"question": self._work.question})
        return Outcome(grounded=state["grounded"])

    async def retrieve(self, state: State) -> State:
        """Find what was given."""
        return {"documents": self._work.found}

    async def grade_documents(self, state: State) -> State:
        """Keep the relevant passages."""
        asked = [{"document": text, "question": state["question"]} for text in state["documents"]]
        grades = await self._document.abatch(asked)
        kept = [text for text, grade in zip(state["documents"], grades, strict=True) if grade.binary_score == "yes"]
        return {"documents": kept}

    def decide(self, state: State) -> str:
        """Write only from something."""
        return "generate" if state["documents"] else "none"

    async def generate(self, state: State) -> State:
        context = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(state["documents"], 1))
        message = await self._writing.ainvoke({"context": context, "question": state["question"]})
        return {"generation": message.content}

    async def grade_grounded(self, state: State) -> State:
        """Is the whole answer in the passages?"""
        asked = {"documents": "\n\n".join(state["documents"]), "generation": state["generation"]}
        return {"grounded": (await self._grounded.ainvoke(asked)).binary_score == "yes"}

    async def grade_answer(self, state: State) -> State:
        """Does it resolve the question?"""
        asked = {"question": state["question"], "generation": state["generation"]}
        return {"resolved": (await self._answered.ainvoke(asked)).binary_score == "yes"}


async def main():
    work, _ = read_work()
    await serve(System(work).ask, work)


if __name__ == "__main__":
    asyncio.run(main())
