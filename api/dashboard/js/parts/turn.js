/** A question of a thread: live while it is worked on, then its answer, and what can be done with it. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { listen } from "../stream.js";
import { live } from "./live.js";
import { menu } from "./menu.js";
import { notice, told, trouble } from "./notices.js";
import { choiceFields, questionBox } from "./question.js";
import { stillReading } from "./reading.js";
import { ended, result } from "./result.js";

const t = words("parts/turn");

const FINAL = new Set(["succeeded", "failed", "cancelled", "held"]);
const NEAR = "600px";

/**
 * `{ element, ended }`: the latter is a promise that is kept at the end of the question, null where it has ended.
 * `asked` is a turn of a conversation, or the question itself. `doing` has `send(body)`, `replayed(id)`,
 * `drawn(query)` and the `signal` of the page.
 */
export function turn(asked, doing) {
  const path = `/v1/queries/${asked.id}`;
  const { signal } = doing;
  const understood = h("p", { class: "small muted", dir: "auto" });
  const editor = h("div", { class: "turn-body" });
  const place = h("div", { class: "turn-body" });
  const said = h("p", { class: "sr-only", role: "status" });
  const element = h(
    "li",
    { class: "turn", id: `turn-${asked.id}` },
    h("h2", { dir: "auto" }, asked.question),
    understood,
    editor,
    place,
    said,
  );
  let known = asked;
  const edit = () => edited(editor, known, doing);
  const editing = () => h("button", { type: "button", class: "plain small", onclick: edit }, t("edit"));

  function draw(query) {
    known = query;
    doing.drawn(query);
    show(understood, query.restated_question && t("restated", { q: query.restated_question }));
    const again = (changes) => doing.send(anew(query, changes));
    const more = [againMenu(query, again), editing()];
    show(
      place,
      query.status === "succeeded"
        ? result(query, path, { signal, again, more })
        : ended(query, path, { signal, more: [replay(path, doing), ...more] }),
    );
  }

  async function read() {
    try {
      draw("sources" in asked && FINAL.has(asked.status) ? asked : await ask(path, { signal }));
    } catch (error) {
      if (!signal.aborted) show(place, trouble(error, h("button", { type: "button", onclick: read }, t("retry"))));
    }
  }

  async function watch() {
    const watched = live(signal);
    const stop = h("button", { type: "button", class: "danger small", onclick: () => stopped(stop, path) }, t("stop"));
    show(place, watched.element, h("div", { class: "row" }, stop, editing()));
    try {
      await listen(`${path}/events`, (event) => watched.hear(event), signal);
      watched.end();
      if (signal.aborted || !element.isConnected) return;
      const query = await ask(path, { signal });
      draw(query);
      const note = await stillReading(query.workspace, signal);
      if (note && element.isConnected) place.prepend(note);
      said.textContent = t("arrived");
    } catch (error) {
      if (!signal.aborted) place.prepend(trouble(error));
    }
  }

  if (!FINAL.has(asked.status)) return { element, ended: watch() };
  // Until its proof is here; that of turns far away is asked for when they come near.
  show(place, h("div", { class: "answer", dir: "auto" }, asked.answer));
  show(understood, asked.restated_question && t("restated", { q: asked.restated_question }));
  whenNear(element, read, signal);
  return { element, ended: null };
}

function whenNear(element, act, signal) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      act();
    },
    { rootMargin: NEAR },
  );
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}

/** The question once more, as it was understood, with the choices that it was asked with. */
function anew(query, changes) {
  const { mode, run, preset, restated_question: restated, question } = query;
  return { question: restated || question, mode, run, preset, verification: { show_claims: true }, ...changes };
}

/** Asked once more below, with other choices: nothing of the thread is lost. */
function againMenu(query, again) {
  return menu(t("again"), (close) => {
    const fields = choiceFields(query);
    const send = async (event) => {
      event.preventDefault();
      close();
      await again(fields.values()).catch(() => null); // told already
    };
    return h(
      "form",
      { class: "stack", onsubmit: send },
      fields.elements,
      h("div", { class: "row end" }, h("button", { class: "primary" }, t("ask"))),
    );
  });
}

/** The question in a box of its own; what it is asked instead of goes out of the thread. */
function edited(place, asked, doing) {
  const back = h("button", { type: "button", class: "plain", onclick: () => show(place) }, t("cancel"));
  const box = questionBox({
    label: t("edited"),
    action: t("ask"),
    value: asked.question,
    tools: [back],
    send: (question) => doing.send(anew(asked, { question, replaces: asked.id })),
  });
  show(place, h("p", { class: "small muted" }, t("aside")), box.element);
  box.focus();
}

function replay(path, { replayed }) {
  const act = async (event) => {
    event.currentTarget.disabled = true;
    try {
      await replayed((await ask(`${path}/replay`, { method: "POST" })).id);
    } catch (error) {
      notice(told(error));
    }
  };
  return h("button", { type: "button", class: "primary small", onclick: act }, t("replay"));
}

async function stopped(button, path) {
  button.disabled = true;
  await ask(path, { method: "DELETE" }).catch((error) => notice(told(error)));
}
