/** A place to drop files on, to paste a text or name a web page, and how far each of them has come. */
import { h, show } from "../dom.js";
import { droppedFiles } from "../files.js";
import { ask } from "../http.js";
import { number, words } from "../i18n.js";
import { addUploads, canRetry, ended, forgetEnded, hearUploads, retryUpload, uploads } from "../uploads.js";
import { opened } from "./dialogs.js";
import { bytes, progressOf, stageWord } from "./ingestion.js";
import { notice, told as problemOf } from "./notices.js";

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
  const links = {
    paste: () => pasted().then((file) => file && take([file])),
    link: () => linked(place).catch(onproblem),
  };
  return h("div", { class: "upload" }, zone(take, links), h("div", { class: "row spread" }, sum, clear), list);
}

/** What is typed or pasted, as a file named after its title; null when it was given up. */
async function pasted() {
  const title = h("input", { maxlength: "120", required: true, autocomplete: "off", autofocus: true });
  const text = h("textarea", { rows: "10", required: true, dir: "auto" });
  const fields = [h("label", {}, t("title"), title), h("label", {}, t("text"), text)];
  if ((await opened(t("paste"), [...fields, buttons(t("add"))])) !== "yes") return null;
  const name = title.value.trim().replace(/[\\/:*?"<>|\p{Cc}]+/gu, " ");
  return new File([text.value], `${name}.md`, { type: "text/markdown" });
}

/** A web page becomes a source that is read once; Sources tells how it went and can read it again. */
async function linked(place) {
  const { workspace } = place();
  const address = h("input", {
    type: "url",
    required: true,
    maxlength: "2000",
    placeholder: "https://",
    autofocus: true,
  });
  const fields = [h("label", {}, t("address"), address, h("span", { class: "hint" }, t("addressHint")))];
  if ((await opened(t("link"), [...fields, buttons(t("add"))])) !== "yes") return;
  const { host, pathname } = new URL(address.value);
  const name = `${host}${pathname}`.replace(/\/+$/, "").slice(0, 80);
  await ask("/v1/sources", {
    method: "POST",
    json: { name, kind: "web", location: address.value, workspace: workspace ?? "default", every_s: null },
  });
  notice(t("linked", { name }));
}

const buttons = (action) =>
  h(
    "div",
    { class: "row end" },
    h("button", { value: "", formnovalidate: true }, t("cancel")),
    h("button", { class: "primary", value: "yes" }, action),
  );

function zone(take, { paste, link }) {
  const picker = (properties) => {
    const input = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      ...properties,
      onchange: () => {
        take([...input.files].filter(isShown).map(named));
        input.value = "";
      },
    });
    return input;
  };
  const [files, folder] = [picker({}), picker({ webkitdirectory: true })];
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
    h(
      "div",
      { class: "row ways" },
      h("button", { type: "button", class: "primary", onclick: () => files.click() }, t("choose")),
      h("button", { type: "button", onclick: () => folder.click() }, t("folder")),
      h("button", { type: "button", onclick: paste }, t("paste")),
      h("button", { type: "button", onclick: link }, t("link")),
    ),
    files,
    folder,
    h("span", { class: "hint" }, t("kinds")),
  );
  return place;
}

/** Hidden files of a folder are left out, as those of a dropped one. */
const isShown = ({ webkitRelativePath }) => !/(^|\/)\./.test(webkitRelativePath);

/** A file of a chosen folder is named by its path, as those of a dropped one. */
function named(file) {
  if (file.webkitRelativePath) file.path = file.webkitRelativePath;
  return file;
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
