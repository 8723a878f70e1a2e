/** The conversations: a new one by its first question, and those there are, found by their words. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { questionBox } from "../parts/follow_up.js";
import { notice, told, trouble } from "../parts/notices.js";
import { workspaceNames, workspaceSelect } from "../parts/workspaces.js";
import { go } from "../router.js";

const t = words("pages/conversations");

const AT_A_TIME = 30;
const PAUSE_MS = 250; // of somebody who types

export async function page(view, { search, signal }) {
  const names = await workspaceNames(signal);
  const own = h(
    "select",
    { "aria-label": t("workspace") },
    names.map((name) => h("option", { value: name, selected: name === search.get("workspace") }, name)),
  );
  const box = questionBox({
    label: t("first"),
    action: t("begin"),
    more: [own],
    send: (question) => begin(own.value, question),
  });
  let typing = 0;
  const text = h("input", {
    type: "search",
    maxlength: "200",
    value: search.get("text") || "",
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(load, PAUSE_MS);
    },
  });
  const workspace = workspaceSelect({ names, value: search.get("workspace") || "", onchange: () => load() });
  const list = h("ul", { class: "labels" });
  const empty = h("p", { class: "muted", role: "status" });
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const state = { cursor: null, asked: 0 };
  async function load(cursor = "") {
    const asking = ++state.asked; // a later search may be answered sooner
    const wanted = { search: text.value.trim(), workspace: workspace.value };
    history.replaceState(null, "", withQuery("#/conversations", { text: wanted.search, workspace: wanted.workspace }));
    try {
      const listing = await ask(withQuery("/v1/conversations", { ...wanted, cursor, limit: AT_A_TIME }), { signal });
      if (asking !== state.asked) return;
      state.cursor = listing.next_cursor;
      if (!cursor) show(list);
      list.append(...listing.conversations.map(entry));
      empty.textContent = list.children.length ? "" : t(wanted.search || wanted.workspace ? "nothing" : "none");
      more.hidden = !state.cursor;
    } catch (error) {
      if (!signal.aborted) show(list, h("li", {}, trouble(error)));
    }
  }
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    box.element,
    h(
      "section",
      { class: "card stack", "aria-label": t("title") },
      h(
        "form",
        { class: "sieve", role: "search", "aria-label": t("filters"), onsubmit: (event) => event.preventDefault() },
        h("label", {}, t("search"), text),
        h("label", {}, t("workspace"), workspace),
      ),
      list,
      empty,
      more,
    ),
  );
  await load();
}

async function begin(workspace, question) {
  let conversation = null;
  try {
    conversation = await ask("/v1/conversations", { method: "POST", json: { workspace } });
    await ask(conversation.links.turns, { method: "POST", json: { question } });
    go(`/conversations/${conversation.id}`);
  } catch (error) {
    // nothing was asked in it
    if (conversation) await ask(conversation.links.self, { method: "DELETE" }).catch(() => null);
    notice(told(error));
    throw error;
  }
}

function entry(conversation) {
  const asked = conversation.turns === 1 ? t("questions_1") : t("questions", { n: number(conversation.turns) });
  return h(
    "li",
    {},
    h(
      "div",
      {},
      h(
        "a",
        { class: "entry", href: `#/conversations/${conversation.id}`, dir: "auto" },
        conversation.title || t("untitled"),
      ),
      h(
        "div",
        { class: "small muted" },
        h("bdi", {}, conversation.workspace),
        ` · ${asked} · ${moment(conversation.last_asked_at)}`,
      ),
    ),
  );
}
