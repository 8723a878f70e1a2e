/** A thread: its questions with their answers, and a box for the next one below them. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";
import { confirmed, opened } from "../parts/dialogs.js";
import { notice, standing, told } from "../parts/notices.js";
import { offlineBanner } from "../parts/offline.js";
import { questionForm } from "../parts/question.js";
import { refreshThreads } from "../parts/threads.js";
import { turn } from "../parts/turn.js";
import { workspacesByUse } from "../parts/workspaces.js";
import { go, keep } from "../router.js";

const t = words("pages/thread");

const AT_A_TIME = 100;

/** `#/thread/ID`, the id of a conversation or of a question. */
export async function page(view, { params, signal }) {
  const id = encodeURIComponent(params.id);
  const thread = await threadOf(id, signal);
  if (!thread) return;
  const spaces = await workspacesByUse(signal);
  const asked = await turnsOf(thread, id, signal);
  let first = asked.turns[0];
  const list = h("ol", { class: "thread" });
  const banner = h("div");
  const head = h("header", { class: "thread-head" });
  const pending = new Set(); // what is being worked on: a follow-up may refer to it
  const doing = {
    signal,
    send,
    replayed,
    branched: asked.note ? null : branched,
    drawn: (query) => query.provider === "offline" && !banner.hasChildNodes() && show(banner, offlineBanner()),
  };

  function add(question) {
    const made = turn(question, doing);
    list.append(made.element);
    if (made.ended) {
      pending.add(made.ended);
      made.ended.then(() => pending.delete(made.ended)).then(refreshThreads);
    }
    return made.element;
  }

  /** Ask the next question; with `replaces` another one in the place of a turn. */
  async function send({ workspaces, ...body }) {
    try {
      // A thread is about one workspace: what was asked of several is asked again alone.
      if (workspaces.length > 1) return void (await alone({ ...body, workspaces }));
      if (!body.replaces) await settled(pending);
      await begun();
      const path = `/v1/conversations/${thread.conversation_id}/turns`;
      const asked = await ask(path, { method: "POST", json: body }).catch((error) => {
        if (error.code !== "conversation_of_another") throw error;
        return null;
      });
      // It is not one's own: what is said to it goes on in a branch that is.
      if (!asked) return void (await goOn(body));
      const { id: query } = asked;
      refreshThreads();
      if (body.replaces) return void (await redrawn(query));
      const next = await ask(`/v1/queries/${query}`, { signal });
      add(next).scrollIntoView({ block: "start" });
    } catch (error) {
      if (!signal.aborted) notice(told(error));
      throw error;
    }
  }

  async function alone(json) {
    const { id: query } = await ask("/v1/queries", { method: "POST", json });
    refreshThreads();
    go(`/thread/${query}`);
  }

  /**
   * A new thread with the turns of this one up to `last`, all of them as they are, or before it where `body` is asked
   * in its place.
   */
  async function branched(last, body = null) {
    try {
      await begun();
      const { id: branch } = await branchFor(body ? earlier(last) : last);
      if (body) await ask(`/v1/conversations/${branch}/turns`, { method: "POST", json: body });
      refreshThreads();
      go(`/thread/${branch}`);
    } catch (error) {
      if (!signal.aborted) notice(told(error));
      throw error;
    }
  }

  async function goOn({ replaces, ...body }) {
    if (replaces) return branched(replaces, body);
    const { turns } = await turnsOf(thread, thread.id, signal);
    const { id: branch } = await branchFor(turns.at(-1)?.id);
    await ask(`/v1/conversations/${branch}/turns`, { method: "POST", json: body });
    refreshThreads();
    go(`/thread/${branch}`);
  }

  function branchFor(turn) {
    if (turn) return ask(`/v1/conversations/${thread.conversation_id}/branches`, { method: "POST", json: { turn } });
    return ask("/v1/conversations", { method: "POST", json: { workspace: thread.workspace } });
  }

  /** A question that was asked alone becomes the first turn of a conversation when it needs to be one. */
  async function begun() {
    if (thread.conversation_id) return;
    const made = await ask("/v1/conversations", { method: "POST", json: { query_id: thread.id } });
    Object.assign(thread, { id: made.id, conversation_id: made.id });
    keep(`#/thread/${made.id}`, signal);
  }

  async function replayed(query) {
    refreshThreads();
    if (thread.conversation_id) await redrawn(query);
    else go(`/thread/${query}`);
  }

  /** Draw all turns anew; the question `query` is in sight. */
  async function redrawn(query) {
    const now = await turnsOf(thread, thread.id, signal);
    Object.assign(thread, await ask(`/v1/threads/${thread.id}`, { signal }));
    [first] = now.turns;
    pending.clear();
    show(list);
    for (const question of now.turns) add(question);
    drawHead();
    document.getElementById(`turn-${query}`)?.scrollIntoView({ block: "start" });
  }

  function drawHead() {
    const title = thread.title || t("untitled");
    document.title = `${title} · Citewell`;
    // One that is made from the first question stands there already.
    const isOwn = !first?.question.replace(/\s+/g, " ").startsWith(title.replace(/…$/, ""));
    show(
      head,
      h("h1", { class: isOwn ? "" : "sr-only", dir: "auto" }, title),
      h("bdi", { class: "small muted" }, thread.workspace),
      thread.branched_from && h("a", { class: "small", href: `#/thread/${thread.branched_from}` }, t("original")),
      h("button", { type: "button", class: "plain small", onclick: () => renamed(title) }, t("rename")),
      h("button", { type: "button", class: "plain small", onclick: removed }, t("remove")),
    );
  }

  async function renamed(before) {
    const title = await newTitle(before);
    if (title === undefined) return;
    await changed(async () => {
      // Without a title it takes one from its first question again.
      const json = { title: title || null };
      thread.title = (await ask(`/v1/conversations/${thread.conversation_id}`, { method: "PATCH", json })).title;
      drawHead();
    });
  }

  async function removed() {
    if (!(await confirmed(t("sure"), t("kept"), t("remove")))) return;
    await changed(async () => {
      await ask(`/v1/conversations/${thread.conversation_id}`, { method: "DELETE" });
      go("/ask");
    });
  }

  async function changed(act) {
    try {
      await begun();
      await act();
      refreshThreads();
    } catch (error) {
      notice(told(error));
    }
  }

  const form = questionForm({
    spaces,
    place: thread.workspace,
    label: t(asked.turns.length ? "next" : "first"),
    submit: () => send({ ...form.body(), workspaces: [] }),
  });
  drawHead();
  view.classList.add("threaded");
  show(view, head, banner, asked.note, list, asked.open && form.element);
  const drawn = asked.turns.map(add);
  const shown = drawn.find((element) => element.id === `turn-${params.id}`) || drawn.at(-1);
  if (shown && shown !== drawn[0]) shown.scrollIntoView({ block: "start" });
  // Where nothing of its own was asked yet, that comes next.
  if (asked.open && asked.turns.every((question) => question.inherited)) form.focus();
}

/** The turn above that of the question `id`; undefined for the first one. */
const earlier = (id) => document.getElementById(`turn-${id}`).previousElementSibling?.id.slice("turn-".length);

/** The thread; null where the id is that of a verification, whose page is opened: feedback names both by the id alone. */
async function threadOf(id, signal) {
  try {
    return await ask(`/v1/threads/${id}`, { signal });
  } catch (error) {
    if (error.status !== 404) throw error;
    await ask(`/v1/verifications/${id}`, { signal }).catch(() => {
      throw error;
    });
    location.replace(`#/verification/${id}`);
    return null;
  }
}

/** `{ turns, open, note }`: whether a next question can be asked here, and what is to be known of the turns. */
async function turnsOf(thread, id, signal) {
  if (!thread.conversation_id) {
    const query = await ask(`/v1/queries/${thread.id}`, { signal });
    const open = query.workspaces.length < 2;
    return { turns: [query], open, note: !open && h("p", { class: "small muted" }, t("several")) };
  }
  const turns = [];
  let cursor = "";
  do {
    const path = `/v1/conversations/${thread.conversation_id}/turns`;
    const listing = await ask(withQuery(path, { cursor, limit: AT_A_TIME }), { signal });
    turns.push(...listing.turns);
    cursor = listing.next_cursor;
  } while (cursor);
  if (id === thread.id || turns.some((question) => question.id === id)) return { turns, open: true, note: null };
  // One that was replaced is no part of its conversation any more.
  const note = h("p", { class: "small" }, t("aside"), " ", h("a", { href: `#/thread/${thread.id}` }, t("whole")));
  return { turns: [await ask(`/v1/queries/${id}`, { signal })], open: false, note };
}

/** A question that follows before the one before is answered waits for it. */
async function settled(pending) {
  if (!pending.size) return;
  const over = standing(t("waits"));
  await Promise.allSettled(pending);
  over();
}

/** What the dialog says; undefined when it was left. */
async function newTitle(before) {
  const title = h("input", { maxlength: "200", value: before, autofocus: true });
  const buttons = h(
    "div",
    { class: "row end" },
    h("button", { value: "" }, t("cancel")),
    h("button", { class: "primary", value: "yes" }, t("save")),
  );
  const said = await opened(t("rename"), [h("label", {}, t("name"), title), buttons]);
  return said === "yes" ? title.value.trim() : undefined;
}
