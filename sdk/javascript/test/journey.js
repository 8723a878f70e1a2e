/** What a program does with a live server, in Node and in a browser; what comes of it, without ids and times. */
const QUESTION = "How long do customers have to return a product?";
const POLICY = "Customers may return a product within 30 days of the purchase date.\n";

export async function journey({ Citewell, NotFound, InputRefused }, url, workspace) {
  const citewell = new Citewell({ url, priority: "interactive" });
  const told = {};

  const states = [];
  const file = new Blob([POLICY]);
  const sent = await citewell.upload(file, {
    filename: "policy.md",
    workspace,
    metadata: { year: 2026 },
    wait: true,
    onLook: ({ status }) => states.push(status),
  });
  told.upload = [sent.status, states.at(-1)];
  told.documents = await all(
    citewell.documents.list({ workspace, metadata: { year: 2026 } }),
    (document) => document.filename,
  );
  told.text = await citewell.documents.text(sent.id, { start: 0, end: 13 });
  told.original = await (await citewell.documents.original(sent.id)).text();

  const query = await citewell.ask(QUESTION, { workspace, mode: "low" });
  told.answer = query.answer;
  told.citation = query.citations[0].text_span;
  const stream = citewell.stream(QUESTION, { workspace });
  told.sentences = await all(stream, (sentence) => [sentence.text, sentence.citations[0].status]);
  told.streamed = [stream.query.status, stream.query.answer === query.answer, typeof stream.id];
  const types = await all(citewell.events(query.id), (event) => event.type);
  told.events = [types.includes("sentence.verified"), types.at(-1)];
  told.queries = (await all(citewell.queries({ workspace, limit: 1 }), (record) => record.question)).length;
  told.export = (await (await citewell.export(query.id)).text()).includes("30 days");

  const conversation = await citewell.conversations.create({ workspace });
  const turn = await citewell.conversations.ask(conversation.id, QUESTION);
  told.conversation = [turn.answer, (await all(citewell.conversations.turns(conversation.id), () => 1)).length];
  told.renamed = (await citewell.conversations.rename(conversation.id, "Returns")).title;
  told.deleted = await citewell.conversations.delete(conversation.id);

  const another = `${workspace}-other`;
  await citewell.workspaces.create(another, { title: "Other" });
  told.workspaces = (await all(citewell.workspaces.list(), (space) => space.name)).includes(another);
  told.gone = await citewell.workspaces.delete(another);

  const answer = "Customers may return a product within 60 days of the purchase date [1].";
  const verification = await citewell.verify(answer, [{ title: "policy", text: POLICY }], { question: QUESTION });
  told.verification = [verification.sentences[0].status, verification.repaired_answer];
  const batch = await citewell.verifications.submitBatch([{ answer, sources: [{ text: POLICY }], custom_id: "a" }]);
  while (!(await citewell.verifications.batch(batch.id)).finished_at) await new Promise((go) => setTimeout(go, 200));
  told.batch = (await citewell.verifications.batchResults(batch.id)).map((item) => [item.custom_id, item.status]);

  told.feedback = (await citewell.feedback.give(query.id, { rating: "up" })).rating;
  const { url: link } = await citewell.share(query.id, { hours: 1 });
  told.shared = (await (await fetch(link, { headers: { Accept: "application/json" } })).json()).answer === query.answer;

  told.unknown = await failure(citewell.query("00000000-0000-0000-0000-000000000000"), NotFound);
  told.refused = await failure(citewell.ask("Why?", { workspace, mode: "extreme" }), InputRefused);
  const aborted = new AbortController();
  const waiting = failure(
    citewell.call("get_query", { query_id: query.id, wait: 0 }, { signal: aborted.signal }),
    Error,
  );
  aborted.abort();
  told.aborted = await waiting;
  return told;
}

async function all(items, of) {
  const list = [];
  for await (const item of items) list.push(of(item));
  return list;
}

async function failure(promise, Kind) {
  try {
    await promise;
    return "no failure";
  } catch (error) {
    return [error instanceof Kind, error.name === "AbortError" ? error.name : error.code];
  }
}
