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
 * `drawn(query)`, `branched(id, body)`, null where nothing can go on, and the `signal` of the page.
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
  // A turn of a conversation does not tell what it asked for.
  const whole = async () => ("request" in known ? known : await ask(path, { signal }));
  const edit = () =>
    whole()
      .then((query) => edited(editor, query, doing))
      .catch((error) => notice(told(error)));
  const plain = (text, onclick) => h("button", { type: "button", class: "plain small", onclick }, text);
  const editing = () => doing.branched && plain(t("edit"), edit);
  const branching = () => doing.branched && plain(t("branch"), () => doing.branched(asked.id).catch(() => null)); // told already

  function draw(query) {
    known = query;
    doing.drawn(query);
    const names = query.attached_texts;
    show(
      understood,
      query.restated_question && t("restated", { q: query.restated_question }),
      names.length > 0 && [" ", t("attached", { names: names.join(", ") })],
    );
    const again = (changes) => doing.send(anew(query, changes));
    // Asked once more here, it would come without its texts.
    const more = names.length ? [branching()] : [againMenu(query, again), editing(), branching()];
    show(
      place,
      query.status === "succeeded"
        ? result(query, path, { signal, again: names.length ? null : again, more })
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

/** The question once more, as it was understood, with all that it asked for. */
function anew({ question, restated_question: restated, request, workspaces }, changes) {
  const verification = { ...request.verification, show_claims: true };
  return { ...request, question: restated || question, workspaces, verification, ...changes };
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
  const apart = h("button", { type: "button", class: "plain", onclick: () => aside() }, t("apart"));
  const box = questionBox({
    label: t("edited"),
    action: t("ask"),
    value: asked.question,
    tools: [back, apart],
    send: (question) => doing.send(anew(asked, { question, replaces: asked.id })),
  });
  function aside() {
    const question = box.text.value.trim();
    // It is asked in the workspace of its thread.
    const body = anew(asked, { question, workspaces: undefined });
    if (question) doing.branched(asked.id, body).catch(() => null); // told already
  }
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
