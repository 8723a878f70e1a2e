/**
 * One conversation: its questions with their answers, a box for the next one, and each question once more in other
 * words.
 */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";
import { answerText } from "../parts/answer.js";
import { honest } from "../parts/confidence.js";
import { conflictsOf } from "../parts/conflicts.js";
import { confirmed, opened } from "../parts/dialogs.js";
import { questionBox } from "../parts/follow_up.js";
import { live } from "../parts/live.js";
import { notice, standing, told, trouble } from "../parts/notices.js";
import { offlineBanner } from "../parts/offline.js";
import { refusal } from "../parts/refusal.js";
import { signalLine } from "../parts/signal.js";
import { go } from "../router.js";
import { listen } from "../stream.js";

const t = words("pages/conversation");

const FINAL = new Set(["succeeded", "failed", "cancelled"]);
const AT_A_TIME = 100;

/** `#/conversations/ID`. */
export async function page(view, { params, signal }) {
  const path = `/v1/conversations/${encodeURIComponent(params.id)}`;
  const head = h("header", { class: "query-head" });
  const thread = h("ol", { class: "thread" });
  let going = []; // what is being worked on: a follow-up may refer to it
  const send = async (question, replaces) => {
    try {
      if (!replaces) await ended(going);
      await ask(`${path}/turns`, { method: "POST", json: { question, ...(replaces ? { replaces } : {}) } });
    } catch (error) {
      notice(told(error));
      throw error;
    }
    await draw();
  };
  const box = questionBox({ label: t("next"), action: t("ask"), send: (question) => send(question) });
  async function draw() {
    const [conversation, turns] = await Promise.all([ask(path, { signal }), allTurns(path, signal)]);
    show(head, ...headOf(conversation, path, draw));
    const drawn = turns.map((turn) => drawTurn(turn, { send, draw, signal }));
    show(thread, drawn.length ? drawn.map((turn) => turn.element) : h("li", { class: "muted" }, t("empty")));
    going = drawn.map((turn) => turn.going).filter(Boolean);
    // The newest is in sight, above the box for the next.
    await Promise.all(drawn.map((turn) => turn.done));
    if (!signal.aborted) window.scrollTo(0, document.body.scrollHeight);
  }
  show(view, head, thread, box.element);
  await draw();
  box.focus();
}

/** A question that follows before the one before is answered waits for it. */
async function ended(going) {
  if (!going.length) return;
  const told = standing(t("waits"));
  await Promise.allSettled(going);
  told();
}

async function allTurns(path, signal) {
  const turns = [];
  let cursor = "";
  do {
    const listing = await ask(withQuery(`${path}/turns`, { cursor, limit: AT_A_TIME }), { signal });
    turns.push(...listing.turns);
    cursor = listing.next_cursor;
  } while (cursor);
  return turns;
}

function headOf(conversation, path, draw) {
  document.title = `${conversation.title || t("untitled")} · Citewell`;
  return [
    h("p", { class: "small" }, h("a", { href: "#/conversations" }, t("all"))),
    h("h1", { dir: "auto" }, conversation.title || t("untitled")),
    h(
      "div",
      { class: "row spread" },
      h("p", { class: "small muted" }, h("bdi", {}, conversation.workspace)),
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", onclick: () => renamed(conversation, path, draw) }, t("rename")),
        h("button", { type: "button", class: "danger", onclick: () => removed(path) }, t("remove")),
      ),
    ),
  ];
}

async function renamed(conversation, path, draw) {
  const title = h("input", { maxlength: "200", value: conversation.title || "", autofocus: true });
  const buttons = h(
    "div",
    { class: "row end" },
    h("button", { value: "" }, t("cancel")),
    h("button", { class: "primary", value: "yes" }, t("save")),
  );
  if ((await opened(t("rename"), [h("label", {}, t("name"), title), buttons])) !== "yes") return;
  // Without a title it takes one from its first question again.
  await ask(path, { method: "PATCH", json: { title: title.value.trim() || null } })
    .then(draw)
    .catch((error) => notice(told(error)));
}

async function removed(path) {
  if (!(await confirmed(t("sure"), t("kept"), t("remove")))) return;
  await ask(path, { method: "DELETE" })
    .then(() => go("/conversations"))
    .catch((error) => notice(told(error)));
}

function drawTurn(turn, doing) {
  const answer = h("div", { class: "stack" });
  const buttons = h("div", { class: "row actions" });
  const element = h(
    "li",
    { class: "turn" },
    h("h2", { dir: "auto" }, turn.question),
    turn.restated_question &&
      h("p", { class: "small muted", dir: "auto" }, t("restated", { q: turn.restated_question })),
    h("div", { class: "card" }, answer, buttons),
  );
  const edit = h("button", { type: "button", onclick: () => edited(turn, buttons, doing) }, t("edit"));
  if (FINAL.has(turn.status)) {
    show(buttons, edit, h("a", { class: "button", href: `#/query/${turn.id}` }, t("proof")));
    return { element, done: drawAnswer(answer, turn, doing.signal) };
  }
  show(
    buttons,
    h("button", { type: "button", class: "danger", onclick: (event) => stopped(event.currentTarget, turn) }, t("stop")),
    edit,
  );
  // Not waited for: it goes on while the page is used.
  return { element, done: null, going: watch(answer, turn, doing) };
}

async function drawAnswer(place, turn, signal) {
  if (turn.status === "cancelled") return void show(place, h("p", { class: "muted" }, t("stopped")));
  if (turn.status === "failed")
    return void show(
      place,
      h("div", { class: "problem" }, h("strong", {}, t("failed")), h("div", { dir: "auto" }, turn.error?.message)),
    );
  show(place, h("div", { class: "answer", dir: "auto" }, turn.answer)); // until its proof is here
  try {
    const query = await ask(turn.links.self, { signal });
    show(
      place,
      query.provider === "offline" && turn.position === 1 && offlineBanner(),
      query.abstained ? refusal(query) : proven(query),
    );
  } catch (error) {
    if (!signal.aborted) place.append(trouble(error));
  }
}

function proven(query) {
  const answer = answerText({
    text: query.answer,
    sentences: query.verification ? honest(query.verification.sentences, query.verification) : [],
    citations: honest(query.citations, query.verification || {}),
    passages: query.sources,
  });
  answer.classList.add("quiet");
  return [
    query.signal && signalLine(query.signal),
    answer,
    conflictsOf(query),
    query.references.length > 0 &&
      h(
        "ul",
        { class: "small muted plain-list", "aria-label": t("references") },
        query.references.map((reference) => h("li", { dir: "auto" }, reference)),
      ),
  ];
}

async function watch(place, turn, { draw, signal }) {
  const watched = live(signal);
  show(place, watched.element);
  try {
    await listen(turn.links.events, (event) => watched.hear(event), signal);
    watched.end();
    if (!signal.aborted && place.isConnected) await draw();
  } catch (error) {
    if (!signal.aborted) place.prepend(trouble(error));
  }
}

async function stopped(button, turn) {
  button.disabled = true;
  await ask(turn.links.self, { method: "DELETE" }).catch((error) => notice(told(error)));
}

/** The question in a box of its own; what it is asked instead of goes out of the thread. */
function edited(turn, buttons, { send, draw }) {
  const back = h("button", { type: "button", onclick: () => draw() }, t("cancel"));
  const box = questionBox({
    label: t("edited"),
    action: t("ask"),
    value: turn.question,
    more: [back],
    send: (question) => send(question, turn.id),
  });
  show(buttons, h("div", { class: "stack wide" }, h("p", { class: "small muted" }, t("aside")), box.element));
  box.focus();
}
