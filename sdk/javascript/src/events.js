/** The events of a question, joined from several connections where one breaks. */
import { ApiProblem, ServerUnreachable, notCitewell } from "./errors.js";
import { Retries, pause } from "./waiting.js";

const ENDS = new Set(["final", "failed", "cancelled", "held"]);
// The server sends a comment every 15 s; a connection that is silent for longer is dead, whatever its state.
const SILENCE_S = 30;
const PAUSE_S = 0.5;

/** Every event once, in order, up to the last one: `{ id, type, data }`. */
export async function* events(connection, path, { lastEventId, signal } = {}) {
  const state = { last: lastEventId ?? null, pause: PAUSE_S, over: false };
  let retries = new Retries(true);
  while (!state.over) {
    const arrived = { bytes: 0 };
    let broken = new ServerUnreachable(connection.url, "the events end without the last one", { passing: true });
    try {
      yield* followed(connection, path, state, arrived, signal);
    } catch (error) {
      // Data before the break counts as progress; no retry helps against a refusal or a response that is no stream.
      if (arrived.bytes && !(error instanceof ServerUnreachable)) throw error;
      broken = error;
    }
    if (state.over) return;
    if (arrived.bytes) retries = new Retries(true);
    await pause(arrived.bytes ? state.pause : retries.pauseAfter(broken), signal);
  }
}

/** The events of one connection that were not seen before. */
async function* followed(connection, path, state, arrived, signal) {
  const seen = state.last;
  const headers = { Accept: "text/event-stream", ...(seen === null ? {} : { "Last-Event-ID": `${seen}` }) };
  const { response, patience } = await connection.open({ path, headers, signal, wait: SILENCE_S });
  try {
    // 204 means that no more events will come.
    state.over = response.status === 204;
    if (state.over) return;
    if (!/^text\/event-stream\b/.test(response.headers.get("Content-Type") ?? "")) throw notCitewell(response);
    for await (const sent of decoded(response, patience, arrived)) {
      if (sent.retry !== null) state.pause = sent.retry / 1000;
      if (!sent.data) continue;
      const event = parsed(response, sent);
      if (event.id !== null && seen !== null && event.id <= seen) continue;
      state.last = event.id ?? state.last;
      state.over = ENDS.has(event.type);
      yield event;
      if (state.over) return;
    }
  } catch (error) {
    throw error instanceof ApiProblem ? error : patience.explained(error, connection.url);
  } finally {
    patience.end();
  }
}

/** The server-sent events in a body. */
async function* decoded(response, patience, arrived) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [rest, event] = ["", blank()];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      patience.again();
      arrived.bytes += value.length;
      // A CR at the very end may be the first half of a CRLF.
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) {
        if (line) {
          take(event, line);
          continue;
        }
        yield { ...event, data: event.data.join("\n") };
        event = blank(event.id);
      }
    }
  } finally {
    // A reader who stops closes the connection.
    await reader.cancel().catch(() => {});
  }
}

const blank = (id = "") => ({ id, type: "message", data: [], retry: null });

function take(event, line) {
  const [, name, value] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line);
  if (name === "data") event.data.push(value);
  else if (name === "event") event.type = value;
  else if (name === "id" && !value.includes("\0")) event.id = value;
  else if (name === "retry" && /^\d+$/.test(value)) event.retry = Number(value);
}

function parsed(response, { id, type, data }) {
  try {
    const event = { id: id ? Number(id) : null, type, data: JSON.parse(data) };
    if (!Number.isNaN(event.id) && event.data?.constructor === Object) return event;
  } catch {
    // Reported below, like any other data that is no event.
  }
  throw notCitewell(response);
}
