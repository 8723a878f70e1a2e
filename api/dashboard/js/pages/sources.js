/** Sources: places that documents come from, how far each is, and what became of what they list. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { kindWord, scheduleSelect, sourceForm } from "../parts/source_form.js";
import { workspaceNames } from "../parts/workspaces.js";
import { pause } from "../pause.js";
import { addressOf } from "./workspaces.js";

const t = words("pages/sources");

const AT_A_TIME = 20;
const LOOK_MS = 2000;
const COUNTED = ["listed", "pending", "new", "changed", "unchanged", "gone", "skipped", "failed"];
const TONES = {
  count_failed: "contradicted",
  count_skipped: "not_checked",
  count_gone: "not_checked",
  documents_failed: "contradicted",
  documents_reading: "not_checked",
};

export async function page(view, { signal }) {
  const list = listed(signal);
  const names = await workspaceNames(signal);
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    list.element,
    sourceForm(names, list.load, signal),
  );
  await list.load();
  follow(list, signal);
}

/** Look again at what moves, until the page is left. */
async function follow({ look }, signal) {
  for (await pause(LOOK_MS, signal); !signal.aborted; await pause(LOOK_MS, signal)) await look();
}

function listed(signal) {
  const result = h("div", {}, h("progress", { class: "loading", "aria-label": t("loading") }));
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const state = { cards: [], cursor: null };
  const whole = ({ id }) => ask(`/v1/sources/${id}`, { signal });
  async function load(cursor = "") {
    try {
      const limit = cursor ? AT_A_TIME : Math.max(AT_A_TIME, state.cards.length);
      const told = await ask(withQuery("/v1/sources", { cursor, limit }), { signal });
      // One that is deleted meanwhile is left out.
      const sources = (await Promise.all(told.sources.map((source) => whole(source).catch(missing)))).filter(Boolean);
      const cards = sources.map((source) => card(source, load, signal));
      state.cards = cursor ? [...state.cards, ...cards] : cards;
      state.cursor = told.next_cursor;
      more.hidden = !state.cursor;
      show(
        result,
        state.cards.length ? state.cards.map(({ element }) => element) : h("p", { class: "empty" }, t("none")),
      );
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function look() {
    const moving = state.cards.filter(({ moves }) => moves());
    if (!moving.length) return;
    try {
      const told = await ask(withQuery("/v1/sources", { limit: state.cards.length }), { signal });
      const there = new Set(told.sources.map(({ id }) => id));
      if (!moving.every(({ id }) => there.has(id))) return await load();
      for (const entry of moving) entry.update(await whole(entry));
    } catch (error) {
      // a server that is away for a moment is asked again
      if (!signal.aborted && error.status) show(result, trouble(error));
    }
  }
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "list" },
    h("h2", { id: "list" }, t("list")),
    result,
    more,
  );
  return { element, load, look };
}

function missing(error) {
  if (error.status === 404) return null;
  throw error;
}

const isDue = ({ status, next_run_at: next }) => status === "active" && next && new Date(next) <= new Date();
const isRunning = ({ status, phase }) => status === "active" && phase !== "idle";

/** One source: `update` draws what changed, and leaves what is used with the keyboard where it is. */
function card(first, reload, signal) {
  const state = { source: first };
  const { id, name } = first;
  const [badge, error, facts, reasons] = [h("span"), h("div"), h("div", { class: "stack tight" }), h("details", {})];
  const act =
    (work, after = update) =>
    async () => {
      try {
        const changed = await work();
        if (changed !== false) await after(changed);
      } catch (problem) {
        if (!signal.aborted) notice(told(problem));
      }
    };
  const patch = (json, word) => async () => {
    const changed = await ask(`/v1/sources/${id}`, {
      method: "PATCH",
      json: typeof json === "function" ? json() : json,
      signal,
    });
    notice(t(word, { name }));
    return changed;
  };
  const begin = async () => {
    const begun = await ask(`/v1/sources/${id}/run`, { method: "POST", signal });
    notice(t("begun", { name }));
    return begun;
  };
  const button = (word, onclick, kind = "small") =>
    h("button", { type: "button", class: kind, onclick, "aria-label": `${t(word)}: ${name}` }, t(word));
  const every = scheduleSelect(first.every_s, {
    onchange: act(patch(() => ({ every_s: Number(every.value) || null }), "scheduled")),
  });
  const run = button("run", act(begin));
  const [stop, go] = [
    button("pause", act(patch({ status: "paused" }, "isPaused"))),
    button("resume", act(patch({ status: "active" }, "resumed"))),
  ];
  const remove = button(
    "remove",
    act(
      () => removed(state.source, signal),
      () => reload(),
    ),
    "small danger",
  );
  const schedule = h("label", { class: "inline" }, t("schedule"), every);
  every.setAttribute("aria-label", t("scheduleOf", { name }));
  function update(source) {
    state.source = source;
    const going = source.status === "deleting";
    show(badge, stateOf(source));
    show(error, source.error && h("p", { class: "small reason" }, source.error.message));
    show(facts, factsOf(source));
    explain(reasons, source);
    run.hidden = source.status !== "active" || isRunning(source);
    stop.hidden = source.status !== "active";
    go.hidden = source.status !== "paused";
    schedule.hidden = remove.hidden = going;
  }
  update(first);
  const element = h(
    "article",
    { class: "hook stack" },
    h("div", { class: "row spread" }, h("h3", { dir: "auto" }, name), badge),
    h(
      "div",
      { class: "small" },
      `${kindWord(first.kind)}: `,
      h("bdi", { class: "mono" }, first.location),
      ` · ${t("workspace")}: `,
      h("a", { href: `#${addressOf(first.workspace)}` }, h("bdi", {}, first.workspace)),
    ),
    error,
    facts,
    h("div", { class: "row" }, schedule, run, stop, go, remove),
    reasons,
  );
  return {
    id,
    element,
    update,
    moves: () =>
      state.source.status === "deleting" ||
      isRunning(state.source) ||
      isDue(state.source) ||
      reading(state.source.documents) > 0,
  };
}

const reading = ({ queued, processing }) => queued + processing;

function stateOf(source) {
  const [word, tone] = stateWord(source);
  return h("span", { class: `badge ${tone}` }, t(word));
}

function stateWord(source) {
  if (source.status !== "active") return [source.status, source.status === "deleting" ? "contradicted" : "no_claim"];
  if (isRunning(source)) return [source.phase, "not_checked"];
  if (isDue(source)) return ["due", "not_checked"];
  if (source.error) return source.items.listed ? ["partly", "not_checked"] : ["failed", "contradicted"];
  return ["idle", "supported"];
}

function factsOf(source) {
  const { items, documents } = source;
  const counted = COUNTED.filter((state) => state === "listed" || items[state]).map((state) =>
    chip(`count_${state}`, items[state]),
  );
  const stored = [
    ["ready", documents.ready],
    ["reading", reading(documents)],
    ["failed", documents.failed],
  ].filter(([state, n]) => n || state === "ready");
  return [
    h(
      "div",
      { class: "small" },
      h("span", { class: "muted" }, `${t("last")}: `),
      lastRun(source),
      " · ",
      h("span", { class: "muted" }, `${t("next")}: `),
      nextRun(source),
    ),
    source.run > 0 && h("div", { class: "row small" }, h("span", { class: "muted" }, t("items")), counted),
    source.run > 0 &&
      h(
        "div",
        { class: "row small" },
        h("span", { class: "muted" }, t("documents")),
        stored.map(([state, n]) => chip(`documents_${state}`, n)),
      ),
  ];
}

const chip = (word, n) => h("span", { class: `badge ${TONES[word] || "no_claim"}` }, t(word, { n: number(n) }));

function lastRun(source) {
  if (!source.run) return t("never");
  return isRunning(source)
    ? t("running", { when: moment(source.started_at) })
    : t("ended", { when: moment(source.finished_at), n: number(source.run) });
}

function nextRun(source) {
  if (isRunning(source)) return t("now");
  if (source.next_run_at) return isDue(source) ? t("now") : moment(source.next_run_at);
  return source.status === "paused" ? t("paused") : t("unplanned");
}

/** The reasons in a part that stays open while they change. */
function explain(details, { items, reasons }) {
  const missed = items.skipped + items.failed;
  details.hidden = !missed;
  const said = JSON.stringify([missed, reasons]);
  if (details.dataset.said === said) return;
  details.dataset.said = said;
  show(
    details,
    h("summary", {}, t("why", { n: number(missed) })),
    h(
      "ul",
      { class: "reasons small" },
      reasons.map(({ key, outcome, message }) =>
        h("li", {}, h("bdi", { class: "mono" }, key), ` ${t(`${outcome}Item`)}: ${message}`),
      ),
    ),
    reasons.length < missed && h("p", { class: "small muted" }, t("whyMore", { shown: number(reasons.length) })),
  );
}

async function removed({ id, name, documents }, signal) {
  const keep = h("input", { type: "radio", name: "documents", checked: true });
  const n = number(Object.values(documents).reduce((sum, count) => sum + count, 0));
  const choice = h(
    "div",
    { class: "stack" },
    h("label", { class: "inline" }, keep, t("keep")),
    h("label", { class: "inline" }, h("input", { type: "radio", name: "documents" }), t("drop", { n })),
  );
  if (!(await confirmed(t("sure", { name }), t("warning"), t("remove"), choice))) return false;
  await ask(withQuery(`/v1/sources/${id}`, { documents: keep.checked ? "keep" : "delete" }), {
    method: "DELETE",
    signal,
  });
  notice(t(keep.checked ? "gone" : "going", { name }));
  return true;
}
