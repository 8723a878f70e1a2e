/** The history: what was asked or given, and what became of it. Its filters are in the address. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { dollars, moment, number, percent, seconds, words } from "../i18n.js";
import { callState } from "../parts/calls.js";
import { counts } from "../parts/counts.js";
import { trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";
import { signalBadge } from "../parts/signal.js";
import { workspaceNames, workspaceSelect } from "../parts/workspaces.js";
import { keep } from "../router.js";

const t = words("pages/history");

const AT_A_TIME = 30;
const MOST_COUNTED = 10_000;
const PAUSE_MS = 250; // of somebody who types
const KINDS = { answer: ["#/thread/", "#/ask"], verification: ["#/verification/", "#/verify"] };
const STATES = ["queued", "running", "succeeded", "failed", "cancelled", "held"];

export async function page(view, { search, signal }) {
  const names = await workspaceNames(signal);
  const filters = filtersOf(names, search, () => load());
  const rows = records(t("title"), columns());
  const listing = h("div", { class: "stack" });
  const told = h("p", { class: "small muted", role: "status" });
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const state = { rows: [], cursor: null, asked: 0 };
  async function load(cursor = "") {
    const asking = ++state.asked; // a later filter may be answered sooner
    keep(filters.address(), signal);
    try {
      const page = await ask(withQuery("/v1/history", { ...filters.values(), cursor, limit: AT_A_TIME }), { signal });
      if (asking !== state.asked) return;
      state.rows = cursor ? [...state.rows, ...page.entries] : page.entries;
      state.cursor = page.next_cursor;
      rows.update(state.rows);
      show(listing, state.rows.length ? rows.element : empty(filters));
      told.textContent = state.rows.length
        ? t("shown", {
            n: number(state.rows.length),
            all: `${number(page.total)}${page.total === MOST_COUNTED ? "+" : ""}`,
          })
        : "";
      more.hidden = !state.cursor;
    } catch (error) {
      if (!signal.aborted) show(listing, trouble(error));
    }
  }
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    h("section", { class: "card stack history", "aria-label": t("title") }, filters.element, told, listing, more),
  );
  await load();
}

function filtersOf(names, search, changed) {
  const kind = chosen(
    search.get("kind"),
    Object.keys(KINDS).map((name) => [name, t(name)]),
    changed,
  );
  const status = chosen(search.get("status"), [["", t("any")], ...STATES.map((state) => [state, t(state)])], changed);
  const workspace = workspaceSelect({ names, value: search.get("workspace") || "", onchange: changed });
  const [from, to] = ["from", "to"].map((name) =>
    h("input", { type: "date", value: search.get(name) || "", onchange: changed }),
  );
  let typing = 0;
  const text = h("input", {
    type: "search",
    maxlength: "200",
    value: search.get("text") || "",
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(changed, PAUSE_MS);
    },
  });
  const set = () => ({
    text: text.value.trim(),
    workspace: workspace.value,
    status: status.value,
    from: from.value,
    to: to.value,
  });
  const address = () => withQuery("#/history", { kind: kind.value === "answer" ? "" : kind.value, ...set() });
  const values = () => ({
    kind: kind.value,
    text: text.value.trim(),
    workspace: workspace.value,
    status: status.value,
    created_after: dayAt(from.value, 0),
    created_before: dayAt(to.value, 1),
  });
  const clear = () => {
    text.value = workspace.value = status.value = from.value = to.value = "";
    changed();
  };
  const element = h(
    "form",
    { class: "sieve", role: "search", "aria-label": t("filters"), onsubmit: (event) => event.preventDefault() },
    h("label", {}, t("search"), text),
    h("label", {}, t("kind"), kind),
    h("label", {}, t("workspace"), workspace),
    h("label", {}, t("status"), status),
    h("label", {}, t("from"), from),
    h("label", {}, t("to"), to),
  );
  return { element, address, values, clear, kind: () => kind.value, any: () => Object.values(set()).some(Boolean) };
}

function chosen(value, options, onchange) {
  return h(
    "select",
    { onchange },
    options.map(([option, text]) => h("option", { value: option, selected: option === value }, text)),
  );
}

/** The beginning of a day of this place, `later` days on, as the API takes times. */
function dayAt(text, later) {
  const [year, month, day] = text.split("-").map(Number);
  return day ? new Date(year, month - 1, day + later).toISOString() : "";
}

function empty(filters) {
  if (filters.any())
    return h(
      "div",
      { class: "empty" },
      h("p", {}, t("nothing")),
      h("button", { type: "button", onclick: filters.clear }, t("clear")),
    );
  const kind = filters.kind();
  return h(
    "div",
    { class: "empty" },
    h("p", {}, t(`none_${kind}`)),
    h("a", { class: "button primary", href: KINDS[kind][1] }, t(`first_${kind}`)),
  );
}

function columns() {
  return [
    { label: t("what"), cell: titleOf },
    { label: t("status"), cell: (call) => (call.signal ? signalBadge(call.signal) : callState(call.status)) },
    { label: t("verdicts"), cell: (call) => counts(call.sentences) },
    { label: t("accuracy"), number: true, cell: (call) => percent(call.accuracy_rate) },
    { label: t("removed"), number: true, cell: (call) => number(call.removed_citations) },
    { label: t("cost"), number: true, cell: (call) => dollars(call.cost_usd) },
    { label: t("took"), number: true, cell: took },
    { label: t("when"), nowrap: true, cell: (call) => moment(call.created_at) },
  ];
}

function titleOf(call) {
  const name = call.question || call.custom_id || call.excerpt || t("untitled");
  const notes = [call.workspace, call.question && call.custom_id, roundsOf(call)].filter(Boolean);
  return [
    h("a", { class: "entry", href: `${KINDS[call.kind][0]}${call.id}`, dir: "auto" }, name),
    h(
      "div",
      { class: "small muted" },
      notes.map((note, place) => [place > 0 && " · ", h("bdi", {}, note)]),
    ),
    call.error && h("div", { class: "small reason", dir: "auto" }, call.error.message),
  ];
}

function roundsOf({ attempts }) {
  if (!attempts) return "";
  return t("rounds", { n: number(attempts) });
}

function took({ created_at: from, finished_at: to }) {
  return to ? seconds((new Date(to) - new Date(from)) / 1000) : "–";
}
