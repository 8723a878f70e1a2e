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

const t = words({
  en: {
    title: "Documents",
    lead: "Answers are written from these, and every citation leads back into one of them.",
    add: "Add documents",
    workspace: "Workspace",
    workspaceHint: "Questions are asked to one workspace; a new name makes a new one.",
    metadata: "Metadata for these files",
    stored: "Stored documents",
    status: "State",
    anyState: "Any state",
    name: "Name contains",
    versions: "Show replaced versions",
    document: "Document",
    version: "Version",
    pages: "Pages",
    size: "Size",
    graph: "Graph",
    added: "Added",
    actions: "Actions",
    more: "Show more",
    count: "{n} documents",
    count_1: "1 document",
    part: "The newest {n} of {total} documents are shown.",
    none: "There are no documents yet. Drop files above, and ask a question when they are ready.",
    nothing: "No document fits these filters.",
    clear: "Clear the filters",
    retry: "Try again",
    retryOf: "Try {name} again",
    remove: "Delete",
    removeOf: "Delete {name}",
    sure: "Delete {name}?",
    warning:
      "Its text and passages are deleted and it is not searched any more. Answers keep their copies of what they cite.",
    all: "All versions under this name",
    one: "Only version {n}",
    gone: "{name} is deleted.",
    chunks: "{done} of {total} passages",
    near: "{share} the same as",
    newer: "newer version",
    excluded: "{n} {n:passage|passages} excluded from search",
    corrected: "text corrected",
    graph_off: "off",
    graph_queued: "waiting",
    graph_building: "{done} read",
    graph_ready: "{n} entities",
    graph_failed: "failed",
  },
  ko: {
    title: "문서",
    lead: "답변은 이 문서들을 바탕으로 작성되며, 모든 인용은 해당 문서로 연결됩니다.",
    add: "문서 추가",
    workspace: "작업 공간",
    workspaceHint: "질문은 하나의 작업 공간에 합니다. 새 이름을 쓰면 새로 만들어집니다.",
    metadata: "이 파일들의 메타데이터",
    stored: "저장된 문서",
    status: "상태",
    anyState: "모든 상태",
    name: "이름에 포함",
    versions: "대체된 버전도 보기",
    document: "문서",
    version: "버전",
    pages: "쪽",
    size: "크기",
    graph: "그래프",
    added: "추가한 때",
    actions: "작업",
    more: "더 보기",
    count: "문서 {n}개",
    count_1: "문서 1개",
    part: "문서 {total}개 중 최근 {n}개를 표시했습니다.",
    none: "아직 문서가 없습니다. 위에 파일을 놓고, 준비되면 질문하세요.",
    nothing: "조건에 맞는 문서가 없습니다.",
    clear: "조건 지우기",
    retry: "다시 시도",
    retryOf: "{name} 다시 시도",
    remove: "삭제",
    removeOf: "{name} 삭제",
    sure: "{name} 문서를 삭제할까요?",
    warning: "본문과 구절이 삭제되고 더 이상 검색되지 않습니다. 기존 답변은 인용한 부분의 사본을 유지합니다.",
    all: "이 이름의 모든 버전",
    one: "버전 {n}만",
    gone: "{name} 문서를 삭제했습니다.",
    chunks: "구절 {total}개 중 {done}개",
    near: "{share} 같은 문서:",
    newer: "새 버전",
    excluded: "구절 {n}개 검색에서 제외",
    corrected: "본문 수정됨",
    graph_off: "사용 안 함",
    graph_queued: "대기 중",
    graph_building: "{done}개 읽음",
    graph_ready: "개체 {n}개",
    graph_failed: "실패",
  },
});

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
  const documents = records(t("stored"), columns(reload));
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
    more.hidden = !state.cursor;
    const n = state.documents.length;
    told.textContent = n
      ? t(state.cursor ? "part" : n === 1 ? "count_1" : "count", { n: number(n), total: number(state.total) })
      : "";
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
    result,
    more,
  );
  return { element, load, follow };
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
