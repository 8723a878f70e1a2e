/**
 * Files on their way: sent, read, embedded. They go on while another page is shown, so they are kept here, not in a
 * page.
 */
import { ask } from "./http.js";
import { pause } from "./pause.js";

const SENT_AT_A_TIME = 3;
const LOOKED_AT = 20; // workers take the oldest first, so the others hardly change
const LOOK_MS = 700;
// The file is too large, of a kind that is not read, or cannot be used.
const REFUSED = new Set([400, 413, 415, 422]);

/**
 * The newest first, and what was added together in its order. `state`: waiting, sending, reading, ready, failed (`problem` says why). `told` is what the API
 * tells.
 */
export const uploads = [];
const listeners = new Set();
let sending = 0;
let looking = false;
let added = 0;

/** Call `hear(upload)` when one has changed, `hear(null)` when there are more or fewer; until `signal` aborts. */
export function hearUploads(hear, signal) {
  listeners.add(hear);
  signal.addEventListener("abort", () => listeners.delete(hear));
}

/** Send `files` to a workspace; each .zip as an archive of documents. */
export function addUploads(files, { workspace = "default", metadata = {} } = {}) {
  const news = [...files].map((file) => ({
    turn: (added += 1),
    file,
    workspace,
    metadata,
    name: file.path || file.name,
    size: file.size,
    state: "waiting",
    told: null,
    problem: null,
    path: /\.zip$/i.test(file.name) ? "/v1/imports" : "/v1/documents",
    known: false,
  }));
  uploads.unshift(...news);
  tell(null);
  sendNext();
}

/** Try one that failed once more: what is stored is read again, what is not is sent again. */
export async function retryUpload(upload) {
  upload.problem = null;
  if (upload.told && upload.path === "/v1/documents") {
    change(upload, "reading");
    await attempt(upload, async () => {
      upload.told = await ask(`/v1/documents/${upload.told.id}/retry`, { method: "POST" });
      look();
    });
  } else {
    upload.told = null;
    change(upload, "waiting");
    sendNext();
  }
}

/** Leave out those that have ended. */
export function forgetEnded() {
  const going = uploads.filter((upload) => !ended(upload));
  uploads.splice(0, uploads.length, ...going);
  tell(null);
}

/** Whether trying again can help: not where the file itself is the reason. */
export const canRetry = ({ state, problem, told }) =>
  state === "failed" && (problem ? !REFUSED.has(problem.status) : told?.can_retry !== false);

export const ended = (upload) => upload.state === "ready" || upload.state === "failed";

async function sendNext() {
  const [next] = oldestFirst("waiting");
  if (!next || sending >= SENT_AT_A_TIME) return;
  sending += 1;
  change(next, "sending");
  sendNext();
  await attempt(next, () => sent(next));
  sending -= 1;
  sendNext();
}

async function sent(upload) {
  const form = new FormData();
  form.set("file", upload.file, upload.name);
  form.set("workspace", upload.workspace);
  form.set("metadata", JSON.stringify(upload.metadata));
  form.set("source", "dashboard");
  const accepted = await patiently(() => ask(upload.path, { method: "POST", form }));
  upload.known = !accepted.created;
  upload.told = await ask(accepted.links.self);
  change(upload, stateOf(upload));
  look();
}

/** `work`, again as soon as the server says when it refuses because too much is waiting or comes at once. */
async function patiently(work) {
  for (;;) {
    try {
      return await work();
    } catch (problem) {
      if (![429, 503].includes(problem.status) || !problem.retryAfter) throw problem;
      await pause(problem.retryAfter * 1000);
    }
  }
}

async function attempt(upload, work) {
  try {
    await work();
  } catch (problem) {
    upload.problem = problem;
    change(upload, "failed");
  }
}

async function look() {
  if (looking) return;
  looking = true;
  for (let going = waitedFor(); going.length; going = waitedFor()) {
    await pause(LOOK_MS);
    for (const upload of going) await lookAt(upload);
  }
  looking = false;
}

const waitedFor = () => oldestFirst("reading").slice(0, LOOKED_AT);
const oldestFirst = (state) =>
  uploads.filter((upload) => upload.state === state).sort((left, right) => left.turn - right.turn);

async function lookAt(upload) {
  try {
    upload.told = await ask(`${upload.path}/${upload.told.id}`);
    change(upload, stateOf(upload));
  } catch (problem) {
    // Away or overloaded is not the end of it; gone, or not allowed any more, is.
    if (!problem.status || problem.status >= 500 || problem.status === 429) return;
    upload.problem = problem;
    change(upload, "failed");
  }
}

function stateOf({ told }) {
  if (["queued", "processing", "running"].includes(told.status)) return "reading";
  return told.status === "failed" ? "failed" : "ready";
}

function change(upload, state) {
  upload.state = state;
  tell(upload);
}

function tell(upload) {
  for (const hear of listeners) hear(upload);
}
