"""NeMo Guardrails: a rail that lets only verified sentences out.

    pip install nemoguardrails
    citewell up                                (in another terminal)
    python examples/guard_nemo.py

CITEWELL_URL names another server, CITEWELL_API_KEY is sent when it is set. NeMo's own retrieval or yours puts what was
found into the context variable `relevant_chunks`.
"""

import sys

from rag_verification import verify

try:
    from nemoguardrails import LLMRails, RailsConfig
    from nemoguardrails.actions import action
except ImportError:
    sys.exit("this example needs NeMo Guardrails: pip install nemoguardrails")

COLANG = """
define flow citewell
  $verified = execute citewell_verify
  $bot_message = $verified
"""
CONFIG = """
models: []
rails:
  output:
    flows:
      - citewell
"""
REFUSAL = "I don't know based on the documents."


@action(name="citewell_verify")
async def citewell_verify(context: dict) -> str:
    """The bot's message without what its sources do not say; a check that fails raises, and NeMo then refuses."""
    sources = context.get("relevant_chunks")
    if not sources:
        return REFUSAL
    result = verify({"answer": context["bot_message"], "sources": [{"text": sources}]})
    kept = [s["text"] for s in result["sentences"] if s["status"] in ("supported", "no_claim")]
    return " ".join(kept) or REFUSAL


rails = LLMRails(RailsConfig.from_content(colang_content=COLANG, yaml_content=CONFIG))
rails.register_action(citewell_verify)

POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
ANSWER = "Returns must be made within 60 days. A receipt is required."  # wrong on purpose
messages = [
    {"role": "context", "content": {"relevant_chunks": POLICY}},
    {"role": "user", "content": "How long do customers have?"},
    {"role": "assistant", "content": ANSWER},
]
print("said:    ", ANSWER)
print("let out: ", rails.generate(messages=messages, options={"rails": ["output"]}).response[-1]["content"])
