/**
 * Server-sent events through fetch: EventSource cannot send a key. Goes on behind the last event after a lost
 * connection.
 */
import { inLanguage, send } from "./http.js";
import { words } from "./i18n.js";
import { standing } from "./parts/notices.js";
import { pause } from "./pause.js";

const t = words("stream");

const LAST = new Set(["final", "failed", "cancelled", "held"]);
const PASSING = new Set([429, 502, 503, 504]);
const PAUSE_MS = 1000;

/**
 * Call `hear({ id, type, data })` for every event of a stream until its last one, or until `signal` aborts.
 * Throws Problem when the server refuses; a lost connection is told and tried again for as long as it takes.
 */
export async function listen(path, hear, signal) {
  const state = { last: "", told: null };
  const seen = () => {
    state.told?.();
    state.told = null;
  };
  signal.addEventListener("abort", seen);
  try {
    while (!signal.aborted && !(await followed(path, hear, signal, state, seen))) {
      if (!signal.aborted) await pause(PAUSE_MS, signal);
    }
  } finally {
    seen();
  }
}

/** One connection; whether it told the last event. */
async function followed(path, hear, signal, state, seen) {
  try {
    const headers = { Accept: "text/event-stream", ...(state.last ? { "Last-Event-ID": state.last } : {}) };
    const response = await send(path, { headers, signal });
    seen();
    if (response.status === 204) return true;
    for await (const event of events(response.body)) {
      state.last = event.id || state.last;
      hear(await inLanguage(event));
      if (LAST.has(event.type)) return true;
    }
  } catch (error) {
    if (signal.aborted) return true;
    if (!(error instanceof TypeError) && !PASSING.has(error.status)) throw error;
    state.told ??= standing(t("lost"));
  }
  return false;
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
  }
}

function parsed(block) {
  const event = { id: "", type: "message", data: "" };
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) || [];
    if (name === "data") event.data += value;
    else if (name === "event") event.type = value;
    else if (name === "id") event.id = value;
  }
  return event.data ? { ...event, data: JSON.parse(event.data) } : null;
}
