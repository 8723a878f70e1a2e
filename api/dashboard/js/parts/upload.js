/** A place to drop files on, and how far each of them has come. */
import { h, show } from "../dom.js";
import { droppedFiles } from "../files.js";
import { number, words } from "../i18n.js";
import { addUploads, canRetry, ended, forgetEnded, hearUploads, retryUpload, uploads } from "../uploads.js";
import { bytes, progressOf, stageWord } from "./ingestion.js";
import { told as problemOf } from "./notices.js";

const t = words("parts/upload");

/**
 * A drop zone with a file picker, and the list of what was sent. `place()` gives `{ workspace, metadata }` of the
 * moment files arrive and may throw what is wrong with them, which `onproblem(error)` is told; `onready(document or
 * import)` is called once for each that is ready.
 */
export function upload({ place = () => ({}), onready = () => {}, onproblem = () => {}, signal }) {
  const list = h("ul", { class: "uploads", "aria-label": t("list") });
  const sum = h("p", { class: "small muted", role: "status" });
  const clear = h("button", { type: "button", class: "plain small", onclick: forgetEnded }, t("clear"));
  const items = new Map();
  const told = new Set(uploads.filter(ended));
  const take = (files) => {
    try {
      addUploads(files, place());
    } catch (error) {
      onproblem(error);
    }
  };
  function drawAll() {
    show(
      list,
      uploads.map((file) => items.get(file) || items.set(file, h("li", {})).get(file)),
    );
    for (const file of uploads) drawItem(items.get(file), file);
    drawSum();
  }
  function drawSum() {
    const [ready, failed] = ["ready", "failed"].map((state) => uploads.filter((file) => file.state === state).length);
    const text = uploads.length ? t(failed ? "sumFailed" : "sum", { ready, failed, all: uploads.length }) : "";
    if (sum.textContent !== text) sum.textContent = text; // said again only when it is news
    clear.hidden = ready + failed === 0;
  }
  hearUploads((file) => {
    if (!file) return drawAll();
    drawItem(items.get(file), file);
    drawSum();
    if (file.state === "ready" && !told.has(file)) onready(told.add(file) && file.told);
  }, signal);
  drawAll();
  return h("div", { class: "upload" }, zone(take), h("div", { class: "row spread" }, sum, clear), list);
}

function zone(take) {
  const picker = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    onchange: () => {
      take([...picker.files]);
      picker.value = "";
    },
  });
  const over = (on) => (event) => {
    event.preventDefault();
    place.classList.toggle("over", on);
  };
  const place = h(
    "div",
    {
      class: "dropzone",
      ondragover: over(true),
      ondragleave: over(false),
      ondrop: async (event) => {
        over(false)(event);
        take(await droppedFiles(event.dataTransfer));
      },
    },
    h("strong", {}, t("drop")),
    h("button", { type: "button", class: "primary", onclick: () => picker.click() }, t("choose")),
    picker,
    h("span", { class: "hint" }, t("kinds")),
  );
  return place;
}

function drawItem(item, file) {
  item.className = file.state;
  show(
    item,
    h("div", { class: "row spread" }, name(file), h("span", { class: "small" }, stateWord(file))),
    bar(file),
    detail(file),
    reasons(file),
    again(file),
  );
}

function name(file) {
  const linked = file.state === "ready" && file.path === "/v1/documents";
  const shown = linked
    ? h("a", { href: `#/document/${file.told.id}`, "aria-label": t("open", { name: file.name }) }, file.name)
    : file.name;
  return h("span", {}, shown, " ", h("span", { class: "small muted" }, bytes(file.size)));
}

function stateWord(file) {
  if (file.state === "ready")
    return h("span", { class: "badge supported" }, h("span", { "aria-hidden": "true" }, "✓ "), t("ready"));
  if (file.state === "failed")
    return h("span", { class: "badge contradicted" }, h("span", { "aria-hidden": "true" }, "✕ "), t("failed"));
  return file.state === "reading" ? stageWord(file.told.stage || file.told.status) : t(file.state);
}

function bar(file) {
  if (ended(file)) return null;
  const [done, total] = file.state === "reading" ? counted(file.told) : [0, 0];
  return h("progress", { "aria-label": file.name, max: total || 1, value: total ? done : null });
}

/** Passages of a document, files of an archive. */
function counted({ progress, documents, total, skipped }) {
  if (progress) return [progressOf(progress, () => "").done, progressOf(progress, () => "").total];
  return [documents.ready + documents.failed + documents.superseded + skipped.length, total];
}

function detail({ told, known, state }) {
  if (!told) return null;
  const [done, total] = counted(told);
  const parts = told.progress
    ? [
        progressOf(told.progress, (some, all) =>
          t(state === "ready" ? "passages" : "chunks", { done: some, total: all }),
        ).words,
        told.pages && t("pages", { n: number(told.pages) }),
      ]
    : [
        total && t("files", { done: number(done), total: number(total) }),
        told.skipped.length && t("skipped", { n: told.skipped.length }),
      ];
  if (known) parts.unshift(t("known"));
  return h("div", { class: "small muted" }, parts.filter(Boolean).join(" · "));
}

function reasons({ problem, told }) {
  const message = problem ? problemOf(problem) : told?.error?.message;
  const many = [...(told?.failures || []), ...(told?.skipped || [])];
  return [
    message && h("div", { class: "small reason" }, message),
    many.length > 0 &&
      h(
        "details",
        { class: "small" },
        h("summary", {}, t("reasons", { n: many.length })),
        h(
          "ul",
          {},
          many.map((refused) => h("li", {}, h("strong", {}, refused.filename || refused.name), " ", refused.message)),
        ),
      ),
  ];
}

function again(file) {
  if (!canRetry(file)) return null;
  return h(
    "button",
    {
      type: "button",
      class: "small",
      "aria-label": t("retryOf", { name: file.name }),
      onclick: () => retryUpload(file),
    },
    t("retry"),
  );
}
