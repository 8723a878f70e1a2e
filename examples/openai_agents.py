"""A workspace as the model of an agent: `pip install openai-agents`, then `python openai_agents.py QUESTION`."""

import os
import sys

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

URL, KEY = os.environ.get("CITEWELL_URL", "http://localhost:8000"), os.environ.get("CITEWELL_API_KEY", "not-needed")
QUESTION = sys.argv[1] if len(sys.argv) > 1 else "Within how many days must returns be made?"
WORKSPACE = os.environ.get("CITEWELL_WORKSPACE", "default")

# Otherwise the SDK sends what its agents did to OpenAI.
set_tracing_disabled(True)
client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY)
agent = Agent(
    name="Librarian",
    instructions="Answer from the documents.",
    model=OpenAIResponsesModel(model=WORKSPACE, openai_client=client),
)

result = Runner.run_sync(agent, QUESTION)
print(result.final_output)
for item in result.new_items:
    for cited in item.raw_item.content[0].annotations:
        print(f"[{cited.start_index}:{cited.end_index}] {cited.title}")

# The next turn: with all that was said, or by the id of the response before.
told = Runner.run_sync(agent, [*result.to_input_list(), {"role": "user", "content": "Is a receipt required?"}])
print(told.final_output)
told = Runner.run_sync(agent, "Is a receipt required?", previous_response_id=result.last_response_id)
print(told.final_output)
