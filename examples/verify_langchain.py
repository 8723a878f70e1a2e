"""Verify what a LangChain chain answers.

    pip install langchain-core
    citewell up                                (in another terminal)
    python examples/verify_langchain.py

CITEWELL_URL names another server, CITEWELL_API_KEY is sent when it is set.
"""

import sys

from rag_verification import from_langchain, show, verify

try:
    from langchain_core.documents import Document
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough
except ImportError:
    sys.exit("this example needs LangChain: pip install langchain-core")

QUESTION = "How long do customers have to return a product, and what do they need?"
POLICY = Document(
    page_content="All returns must be made within 30 days of the purchase date. "
    "A receipt is required for every return.",
    metadata={"source": "refund-policy.pdf", "page": 2},
)

retriever = RunnableLambda(lambda _: [POLICY])  # yours: vector_store.as_retriever()
model = FakeListChatModel(responses=["Returns must be made within 60 days. A receipt is required."])  # wrong on purpose
prompt = ChatPromptTemplate.from_template("Answer from these documents: {context}\n\nQuestion: {question}")
# `assign` keeps the documents beside the answer: the verification needs both.
chain = {"question": RunnablePassthrough(), "context": retriever} | RunnablePassthrough.assign(
    answer=prompt | model | StrOutputParser()
)

result = chain.invoke(QUESTION)
print(f"LangChain: {result['answer']}\n")
show(verify(from_langchain(result["answer"], result["context"], QUESTION)))
