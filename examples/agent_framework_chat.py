"""A workspace as the model of an agent of Microsoft's Agent Framework: `pip install agent-framework-core
agent-framework-openai`, then `python agent_framework_chat.py QUESTION`."""

import asyncio
import os
import sys

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient

URL, KEY = os.environ.get("CITEWELL_URL", "http://localhost:8000"), os.environ.get("CITEWELL_API_KEY", "not-needed")
QUESTION = sys.argv[1] if len(sys.argv) > 1 else "Within how many days must returns be made?"
WORKSPACE = os.environ.get("CITEWELL_WORKSPACE", "default")


async def main() -> None:
    client = OpenAIChatClient(model=WORKSPACE, base_url=f"{URL}/v1", api_key=KEY)
    agent = Agent(client, instructions="Answer from the documents.")
    session = agent.create_session()
    answer = await agent.run(QUESTION, session=session)
    print(answer.text)
    for content in answer.messages[-1].contents:
        for cited in content.annotations or ():
            region = cited["annotated_regions"][0]
            print(f"[{region['start_index']}:{region['end_index']}] {cited['title']} {cited['url']}")
    async for update in agent.run("Is a receipt required?", session=session, stream=True):
        # The end of a text says all of it again, to replace what was sent in pieces.
        print(
            "".join(part.text for part in update.contents if part.type == "text" and part.merge_mode == "append"),
            end="",
        )
    print()


asyncio.run(main())
