/** Documents: files in, how far they have come, and what is there. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, percent, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { DOCUMENT_STATES, bytes, documentTone, progressOf, stageWord } from "../parts/ingestion.js";
import { notice, told, trouble } from "../parts/notices.js";
import { pairs } from "../parts/pairs.js";
import { records } from "../parts/records.js";
import { upload } from "../parts/upload.js";
import { workspaceInput, workspaceNames, workspaceSelect } from "../parts/workspaces.js";
import { pause } from "../pause.js";
import { hearUploads } from "../uploads.js";

const t = words("pages/documents");

const PAGE = 25;
const LOOK_MS = 1500;

export async function page(view, { search, signal }) {
  const names = await workspaceNames(signal);
  const list = stored(names, search, signal);
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    adding(names, search.get("workspace"), signal),
    list.element,
  );
  await list.load();
  list.follow();
}

function adding(names, chosen, signal) {
  const [workspace, suggestions] = workspaceInput({ names, value: chosen || "default", required: true });
  const metadata = pairs({ placeholders: ["year", "2026"] });
  const problem = h("div");
  const place = () => {
    show(problem);
    return { workspace: workspace.value.trim() || "default", metadata: metadata.values() };
  };
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "add" },
    h("h2", { id: "add" }, t("add")),
    h(
      "label",
      { class: "short" },
      t("workspace"),
      workspace,
      suggestions,
      h("span", { class: "hint" }, t("workspaceHint")),
    ),
    h("details", {}, h("summary", {}, t("metadata")), metadata.element),
    problem,
    upload({ place, signal, onproblem: (error) => show(problem, trouble(error)) }),
  );
}

function stored(names, search, signal) {
  const state = { documents: [], total: 0, cursor: null, news: false };
  // Told, not looked for: a small file is read between two looks.
  hearUploads(() => {
    state.news = true;
  }, signal);
  const result = h("div", { "aria-live": "off" });
  const chosen = selection(reload);
  const documents = records(t("stored"), [chosen.column, ...columns(reload)]);
  const filters = filtersOf(names, search, () => load());
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const told = h("p", { class: "small muted", role: "status" });

  async function load(cursor = "") {
    try {
      const listing = await asked({ cursor, limit: PAGE });
      state.documents = cursor ? [...state.documents, ...listing.documents] : listing.documents;
      Object.assign(state, { total: listing.total, cursor: listing.next_cursor });
      draw();
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function reload() {
    const listing = await asked({ limit: Math.min(1000, Math.max(PAGE, state.documents.length)) });
    Object.assign(state, { documents: listing.documents, total: listing.total, cursor: listing.next_cursor });
    draw();
  }
  const asked = (values) => ask(withQuery("/v1/documents", { ...filters.values(), ...values }), { signal });
  function draw() {
    documents.update(state.documents);
    chosen.keep(state.documents);
    more.hidden = !state.cursor;
    const n = state.documents.length;
    told.textContent = n ? t(state.cursor ? "part" : "count", { n: number(n), total: number(state.total) }) : "";
    show(result, state.documents.length ? documents.element : empty(filters));
  }
  async function follow() {
    for (; !signal.aborted; await pause(LOOK_MS, signal)) {
      if (!state.news && !state.documents.some(moving)) continue;
      state.news = false;
      await reload().catch(() => {
        state.news = true;
      }); // what is wrong was told; it is tried again
    }
  }
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "stored" },
    h("h2", { id: "stored" }, t("stored")),
    filters.element,
    told,
    chosen.element,
    result,
    more,
  );
  return { element, load, follow };
}

/** Which documents are ticked, with a bar that deletes them: `{ element, column, keep(documents) }`. */
function selection(reload) {
  const ids = new Set();
  let shown = [];
  const count = h("span", { class: "small", role: "status" });
  const all = h("input", {
    type: "checkbox",
    onchange: () => {
      for (const { id } of shown) ids[all.checked ? "add" : "delete"](id);
      for (const box of document.querySelectorAll("input.chosen")) box.checked = all.checked;
      draw();
    },
  });
  const remove = h("button", { type: "button", class: "small danger plain", onclick: () => removeAll() }, t("remove"));
  const element = h("div", { class: "row" }, h("label", { class: "inline small" }, all, t("chooseAll")), count, remove);
  function draw() {
    const n = ids.size;
    count.textContent = n ? t("chosen", { n: number(n) }) : "";
    remove.hidden = !n;
    element.hidden = !shown.length;
    all.checked = n > 0 && n === shown.length;
    all.indeterminate = n > 0 && n < shown.length;
  }
  async function removeAll() {
    const wanted = shown.filter(({ id }) => ids.has(id));
    const title = t("sureMany", { n: number(wanted.length) });
    if (!(await confirmed(title, t("warningMany"), t("remove")))) return;
    remove.disabled = true;
    let gone = 0;
    try {
      for (const { id } of wanted) {
        await ask(withQuery(`/v1/documents/${id}`, { all_versions: "true" }), { method: "DELETE" }).catch(missing);
        gone += 1;
      }
    } catch (error) {
      notice(told(error));
    }
    remove.disabled = false;
    if (gone) notice(t("goneMany", { n: number(gone) }));
    await reload();
  }
  const column = {
    label: t("choose"),
    quiet: true,
    cell: ({ id, filename }) => {
      const box = h("input", {
        type: "checkbox",
        class: "chosen",
        "aria-label": t("chooseOf", { name: filename }),
        checked: ids.has(id),
        onchange: () => {
          ids[box.checked ? "add" : "delete"](id);
          draw();
        },
      });
      return box;
    },
  };
  function keep(documents) {
    shown = documents;
    const there = new Set(shown.map(({ id }) => id));
    for (const id of ids) if (!there.has(id)) ids.delete(id);
    draw();
  }
  return { element, column, keep };
}

/** One version of a document that was ticked twice is gone with the other. */
function missing(error) {
  if (error.status !== 404) throw error;
}

const moving = ({ status, graph }) =>
  ["queued", "processing"].includes(status) || ["queued", "building"].includes(graph.status);

function filtersOf(names, search, changed) {
  const workspace = workspaceSelect({ names, value: search.get("workspace") || "", onchange: changed });
  const status = h(
    "select",
    { onchange: changed },
    h("option", { value: "" }, t("anyState")),
    DOCUMENT_STATES.map((state) => h("option", { value: state }, stageWord(state))),
  );
  const name = h("input", { type: "search", maxlength: "255", onchange: changed, onsearch: changed });
  const versions = h("input", { type: "checkbox", onchange: changed });
  const values = () => ({
    workspace: workspace.value,
    status: status.value,
    name_contains: name.value.trim(),
    versions: versions.checked ? "all" : "",
  });
  const clear = () => {
    workspace.value = status.value = name.value = "";
    changed();
  };
  const element = h(
    "form",
    {
      class: "sieve",
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        changed();
      },
    },
    h("label", {}, t("workspace"), workspace),
    h("label", {}, t("status"), status),
    h("label", {}, t("name"), name),
    h("label", { class: "inline" }, versions, t("versions")),
  );
  return { element, values, clear, any: () => workspace.value || status.value || name.value.trim() };
}

function empty(filters) {
  if (!filters.any()) return h("p", { class: "empty" }, t("none"));
  return h(
    "div",
    { class: "empty" },
    h("p", {}, t("nothing")),
    h("button", { type: "button", onclick: filters.clear }, t("clear")),
  );
}

function columns(reload) {
  return [
    {
      label: t("document"),
      cell: (document) => [
        h("a", { href: `#/document/${document.id}` }, document.filename),
        problemOf(document),
        editsOf(document),
        nearOf(document),
      ],
    },
    { label: t("workspace"), cell: (document) => document.workspace },
    { label: t("status"), cell: stateOf },
    { label: t("version"), number: true, cell: (document) => number(document.version) },
    { label: t("pages"), number: true, cell: (document) => (document.pages ? number(document.pages) : "–") },
    { label: t("size"), number: true, cell: (document) => bytes(document.size_bytes) },
    { label: t("graph"), nowrap: true, cell: graphOf },
    { label: t("added"), nowrap: true, cell: (document) => moment(document.created_at) },
    { label: t("actions"), quiet: true, cell: (document) => actions(document, reload) },
  ];
}

function problemOf({ error }) {
  return error && h("div", { class: "small reason" }, error.message);
}

function editsOf({ id, chunks_excluded: excluded, corrected_from: corrected }) {
  const told = [corrected && t("corrected"), excluded > 0 && t("excluded", { n: number(excluded) })].filter(Boolean);
  return (
    told.length > 0 &&
    h("div", { class: "small" }, h("a", { class: "muted", href: `#/document/${id}?view=chunks` }, told.join(" · ")))
  );
}

function nearOf({ near_duplicate_of: near }) {
  return (
    near &&
    h(
      "div",
      { class: "small muted" },
      t("near", { share: percent(near.similarity) }),
      " ",
      h("a", { href: `#/document/${near.id}` }, near.filename),
    )
  );
}

function stateOf({ status, stage, progress, superseded_by: newer, filename }) {
  const { done, total, words: told } = progressOf(progress, (some, all) => t("chunks", { done: some, total: all }));
  const moves = status === "processing" || (status === "queued" && total);
  return [
    h("span", { class: `badge ${documentTone(status)}` }, stageWord(status === "processing" ? stage : status)),
    moves && h("progress", { "aria-label": filename, max: total || 1, value: total ? done : null }),
    moves && told && h("div", { class: "small muted" }, told),
    newer && h("div", { class: "small" }, h("a", { href: `#/document/${newer}` }, t("newer"))),
  ];
}

function graphOf({ graph }) {
  const text = t(`graph_${graph.status}`, { n: number(graph.entities), done: number(graph.chunks_done) });
  return h("span", { class: "small", title: graph.reason }, text);
}

function actions(document, reload) {
  const act = (work) => async () => {
    try {
      await work(document);
      await reload();
    } catch (error) {
      notice(told(error));
    }
  };
  return h(
    "div",
    { class: "row tight" },
    document.status === "failed" &&
      document.can_retry &&
      h(
        "button",
        {
          type: "button",
          class: "small",
          "aria-label": t("retryOf", { name: document.filename }),
          onclick: act(() => ask(`/v1/documents/${document.id}/retry`, { method: "POST" })),
        },
        t("retry"),
      ),
    h(
      "button",
      {
        type: "button",
        class: "small danger plain",
        "aria-label": t("removeOf", { name: document.filename }),
        onclick: act(removed),
      },
      t("remove"),
    ),
  );
}

async function removed({ id, filename, version }) {
  const all = h("input", { type: "radio", name: "versions", checked: true });
  const choice = h(
    "div",
    { class: "stack" },
    h("label", { class: "inline" }, all, t("all")),
    h("label", { class: "inline" }, h("input", { type: "radio", name: "versions" }), t("one", { n: version })),
  );
  if (!(await confirmed(t("sure", { name: filename }), t("warning"), t("remove"), choice))) return;
  await ask(withQuery(`/v1/documents/${id}`, { all_versions: all.checked ? "true" : "" }), { method: "DELETE" });
  notice(t("gone", { name: filename }));
}
