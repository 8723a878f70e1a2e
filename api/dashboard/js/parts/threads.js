/** The threads, by day: found by their words, each with its state; more of them on demand. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { day, words } from "../i18n.js";
import { told } from "./notices.js";

const t = words("parts/threads");

const AT_A_TIME = 30;
const MOST = 200;
const PAUSE_MS = 250; // of somebody who types
const AGAIN_MS = 4000;
const CHANGED = "citewell.threads";
const ICONS = { answered: "✓", not_answered: "–", failed: "✕", cancelled: "✕", running: "●", held: "‖", empty: "·" };
const TONES = { answered: "supported", failed: "contradicted", running: "not_checked" };

/** Let every list know that a thread is new, or has another state or title. */
export const refreshThreads = () => dispatchEvent(new Event(CHANGED));

/** The list as an element, with the thread that is open marked. */
export function threadList({ signal }) {
  const state = { threads: [], cursor: "", asked: 0 };
  let timer = 0;
  const soon = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(load, wait);
  };
  const search = h("input", {
    type: "search",
    maxlength: "200",
    "aria-label": t("search"),
    placeholder: t("search"),
    oninput: () => {
      state.threads = [];
      soon(PAUSE_MS);
    },
  });
  const list = h("div", { class: "days" });
  const said = h("p", { class: "small muted", role: "status" });
  const more = h(
    "button",
    { type: "button", class: "plain small", hidden: true, onclick: () => load(state.cursor) },
    t("more"),
  );
  async function load(cursor = "") {
    const asking = ++state.asked; // a later search may be answered sooner
    const limit = cursor ? AT_A_TIME : Math.min(MOST, Math.max(AT_A_TIME, state.threads.length));
    try {
      const page = await ask(withQuery("/v1/threads", { search: search.value.trim(), cursor, limit }), { signal });
      if (asking !== state.asked) return;
      state.threads = cursor ? [...state.threads, ...page.threads] : page.threads;
      state.cursor = page.next_cursor;
      draw();
    } catch (error) {
      if (!signal.aborted) said.textContent = told(error);
    }
  }
  function draw() {
    show(
      list,
      [...byDay(state.threads)].map(([name, threads]) => [
        h("h3", { class: "small muted" }, name),
        h("ul", { class: "threads" }, threads.map(entry)),
      ]),
    );
    mark();
    said.textContent = state.threads.length ? "" : t(search.value.trim() ? "nothing" : "none");
    more.hidden = !state.cursor;
    if (state.threads.some((thread) => thread.state === "running")) soon(AGAIN_MS);
  }
  function mark() {
    for (const link of list.querySelectorAll("a"))
      if (location.hash.split("?")[0] === link.hash) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
  }
  addEventListener(CHANGED, () => load(), { signal });
  addEventListener("hashchange", mark, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  load();
  return h("section", { class: "thread-list", "aria-label": t("title") }, search, list, said, more);
}

function byDay(threads) {
  const days = new Map();
  for (const thread of threads) days.set(dayOf(thread), [...(days.get(dayOf(thread)) || []), thread]);
  return days;
}

function dayOf({ last_asked_at: at }) {
  const now = new Date();
  const then = new Date(at);
  const days = Math.round((now.setHours(0, 0, 0, 0) - then.setHours(0, 0, 0, 0)) / 86_400_000);
  return days < 1 ? t("today") : days === 1 ? t("yesterday") : day(at);
}

function entry({ id, title, state, workspace }) {
  return h(
    "li",
    {},
    h(
      "a",
      { href: `#/thread/${id}`, title: `${workspace} · ${t(state)}` },
      h("span", { class: `state ${TONES[state] || "no_claim"}`, "aria-hidden": "true" }, ICONS[state]),
      h("span", { class: "title", dir: "auto" }, title || t("untitled")),
      h("span", { class: "sr-only" }, ` (${t(state)})`),
    ),
  );
}
