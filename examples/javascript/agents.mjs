/** A workspace as the model of an agent: `npm install @openai/agents zod`, then `node agents.mjs QUESTION`. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents";

const {
  CITEWELL_URL = "http://localhost:8000",
  CITEWELL_API_KEY = "not-needed",
  CITEWELL_WORKSPACE = "default",
} = process.env;
const question = process.argv[2] ?? "Within how many days must returns be made?";

// Otherwise the SDK sends what its agents did to OpenAI.
setTracingDisabled(true);
const modelProvider = new OpenAIProvider({ apiKey: CITEWELL_API_KEY, baseURL: `${CITEWELL_URL}/v1` });
const runner = new Runner({ modelProvider });
const agent = new Agent({
  name: "Librarian",
  instructions: "Answer from the documents.",
  model: CITEWELL_WORKSPACE,
});

const result = await runner.run(agent, question);
console.log(result.finalOutput);
for (const item of result.newItems) {
  for (const cited of item.rawItem.content[0].providerData?.annotations ?? []) {
    console.log(`[${cited.start_index}:${cited.end_index}] ${cited.title}`);
  }
}

const stream = await runner.run(agent, "Is a receipt required?", {
  stream: true,
  previousResponseId: result.lastResponseId,
});
for await (const text of stream.toTextStream()) process.stdout.write(text);
await stream.completed;
console.log();
