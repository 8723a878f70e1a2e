"""A workspace as a model of the Responses API: `pip install openai`, then `python openai_responses.py QUESTION`."""

import os
import sys
import time

from openai import OpenAI

URL, KEY = os.environ.get("CITEWELL_URL", "http://localhost:8000"), os.environ.get("CITEWELL_API_KEY", "not-needed")
QUESTION = sys.argv[1] if len(sys.argv) > 1 else "Within how many days must returns be made?"
WORKSPACE = os.environ.get("CITEWELL_WORKSPACE", "default")

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY)

with client.responses.stream(model=WORKSPACE, input=QUESTION) as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)
    response = stream.get_final_response()
print()
for cited in response.output[0].content[0].annotations:
    print(f"{response.output_text[cited.start_index : cited.end_index]} {cited.title}: {cited.text_span}")

after = client.responses.create(model=WORKSPACE, input="Is a receipt required?", previous_response_id=response.id)
print(after.output_text)

job = client.responses.create(model=WORKSPACE, input=QUESTION, background=True)
while job.status in ("queued", "in_progress"):
    time.sleep(0.2)
    job = client.responses.retrieve(job.id)
print(f"in the background: {job.status}, {job.output_text}")
