/** One document: its text by pages, a cited place marked, search in it, its versions and how far its ingestion is. */
import { h, show } from "../dom.js";
import { ask, send, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { chunks } from "../parts/chunks.js";
import { save } from "../parts/copying.js";
import { finding } from "../parts/finding.js";
import { bytes, progressOf, stageWord } from "../parts/ingestion.js";
import { notice, told } from "../parts/notices.js";
import { original, viewChoice } from "../parts/original.js";
import { leaves } from "../parts/pages.js";
import { points } from "../points.js";
import { pause } from "../pause.js";

const t = words("pages/document");

const LOOK_MS = 800;
const LONGEST_SEARCH = 200; // characters that the API takes
const READ = new Set(["ready", "superseded"]);
const TONES = { ready: "supported", failed: "contradicted", superseded: "partial" };

const REASONS = {
  "outside the page": "outside",
  "not visible": "unseen",
  "too small to read": "small",
  "struck through": "struckOut",
  "marked as hidden": "markedHidden",
};

/** `#/document/ID?start=&end=`, offsets in code points; or `?page=`. */
export async function page(view, { params, search, signal }) {
  const path = `/v1/documents/${encodeURIComponent(params.id)}`;
  const top = h("div");
  const body = h("div");
  show(view, top, body);
  const missing = (error) => {
    if (error.status !== 404) throw error;
    return null;
  };
  let document = await ask(path, { signal }).catch(missing);
  if (!document) {
    const text = await send(`${path}/text`, { signal }).then((response) => response.text(), missing);
    if (text === null) return show(top, h("h1", {}, t("notHere")), h("p", {}, t("deleted")));
    show(top, h("h1", {}, t("attached")), h("p", { class: "small muted" }, t("attachedNote")));
    return drawAttached(body, text, search, signal);
  }
  const draw = () =>
    show(
      top,
      head(document, path),
      state(document, path, () => page(view, { params, search, signal })),
    );
  draw();
  while (!READ.has(document.status) && document.status !== "failed") {
    await pause(LOOK_MS, signal);
    if (signal.aborted) return;
    document = await ask(path, { signal });
    draw();
  }
  const listed = ask(`${path}/versions`, { signal }).then(
    ({ documents }) => documents.length > 1 && top.append(versions(documents, document.id)),
  );
  await Promise.all([listed, READ.has(document.status) && drawText(body, path, document, search, signal, listed)]);
}

/** A text that came with a question, which is no document. */
function drawAttached(body, text, search, signal) {
  const measured = points(text);
  const wanted = spanOf(search, measured);
  const layout = { pages: [], sections: [] };
  const { element, tools } = textView({ text, measured, layout, cited: wanted?.cited }, signal);
  const sheet = h("article", { class: "card sheet", "aria-label": t("text"), tabindex: "-1" }, element);
  show(body, h("div", { class: "reader-tools card" }, tools), h("div", { class: "reader" }, sheet));
  reveal(element.querySelector("mark.cited"));
}

/** `above` is kept when what stands above the text is drawn: a place that is shown does not move any more then. */
async function drawText(body, path, document, search, signal, above) {
  let opened = search.get("view") === "chunks" && chunksView(path, document, search, signal);
  const [text, layout, shape] = await Promise.all([
    send(`${path}/text`, { signal }).then((response) => response.text()),
    ask(`${path}/layout`, { signal }),
    ask(`${path}/blocks`, { signal }),
    above,
    opened,
  ]);
  const measured = points(text);
  const wanted = spanOf(search, measured);
  const parts = {
    text,
    measured,
    layout,
    shape,
    cited: wanted?.cited,
    span: wanted?.cited && { start: Number(search.get("start")), end: Number(search.get("end")) },
  };
  const views = {
    original: () => originalView(path, parts, signal),
    text: () => textView(parts, signal),
    chunks: () => opened || chunksView(path, document, search, signal),
  };
  const names = Object.keys(views).filter((name) => name !== "original" || shape.view !== "text");
  const choose = async (name) => {
    const { element, jump, tools } = await views[name]();
    opened = null;
    if (signal.aborted) return;
    const citedPlace = () => {
      reveal(element.querySelector("mark.cited"));
    };
    const toolbar = h(
      "div",
      { class: "reader-tools card" },
      viewChoice(
        names,
        name,
        (choice) => choice === name || choose(choice).then(() => body.querySelector("[aria-pressed=true]").focus()),
      ),
      name !== "chunks" && layout.pages.length > 0 && pager(element, layout.pages, signal),
      name !== "chunks" && wanted?.cited && h("button", { type: "button", onclick: citedPlace }, t("cited")),
      name !== "chunks" &&
        wanted?.cited &&
        document.status === "ready" &&
        h("button", { type: "button", onclick: correct }, t("correct")),
      tools,
    );
    show(
      body,
      wanted?.gone && h("p", { class: "problem" }, t("gone")),
      name !== "chunks" && corrections(layout.corrections ?? [], parts, path),
      toolbar,
      h(
        "div",
        { class: "reader" },
        name !== "chunks" && contents(layout.sections, jump),
        h("article", { class: "card sheet", "aria-label": t("text"), tabindex: "-1" }, element),
      ),
    );
    if (name === "chunks") return;
    if (wanted?.cited) citedPlace();
    else if (search.get("page")) reveal(element.querySelector(`[data-page="${CSS.escape(search.get("page"))}"]`));
  };
  /** Open the passage of the cited place to be corrected. */
  async function correct() {
    const { cited } = wanted;
    const contains = text.slice(cited.start, cited.end).trim().slice(0, LONGEST_SEARCH);
    try {
      const { chunks: passages } = await ask(withQuery(`${path}/chunks`, { contains, limit: 1 }), { signal });
      const chunk = passages[0]?.chunk_index ?? 0;
      opened = chunksView(path, document, new URLSearchParams({ chunk, edit: "1" }), signal);
      await choose("chunks");
    } catch (error) {
      if (!signal.aborted) notice(told(error));
    }
  }
  await choose(names.includes(search.get("view")) ? search.get("view") : names[0]);
}

/** The element of a view, how to reach a place of the text in it (in code points), and tools of its own. */
function textView({ text, measured, layout, cited }, signal) {
  const shown = leaves(text, measured, layout, cited);
  const jump = (start) => reveal(shown.range(measured.unit(start), measured.unit(start) + 1));
  return { element: shown.element, jump, tools: finding(text, shown.range, reveal, signal) };
}

function chunksView(path, { status }, search, signal) {
  return chunks(
    path,
    {
      wanted: Math.max(0, Math.trunc(Number(search.get("chunk"))) || 0),
      canChange: status === "ready",
      editing: search.has("edit"),
    },
    signal,
  );
}

async function originalView(path, parts, signal) {
  const { element, place } = await original(path, parts, signal);
  return { element, jump: (start) => place(start)?.scrollIntoView({ block: "start" }) };
}

/**
 * What a reader has to know of a text that differs from its file: of the cited words what the file says, else how many
 * places.
 */
function corrections(made, { span, measured }, path) {
  if (!made.length) return false;
  const cited = span
    ? made.filter(({ start, end }) =>
        start === end ? span.start <= start && start <= span.end : start < span.end && span.start < end,
      )
    : [];
  const link = h(
    "a",
    { href: `#${path.slice("/v1".length).replace("/documents/", "/document/")}?view=chunks` },
    t("look"),
  );
  if (!cited.length) return h("p", { class: "small muted" }, t("corrections", { n: made.length }), " ", link);
  return h(
    "p",
    { class: "caution", role: "note" },
    t("citedCorrected"),
    cited.map((citation) => [" ", h("q", { dir: "auto" }, inWholeWords(citation, measured) || t("struck"))]),
    " ",
    link,
  );
}

/** What the file says at a corrected place, with the rest of the words that it begins and ends within. */
function inWholeWords({ start, end, of_file: words }, measured) {
  const within = (at) => at >= 0 && at < measured.length && /[\p{L}\p{N}]/u.test(measured.slice(at, at + 1));
  let [from, to] = [start, end];
  while (within(from - 1)) from -= 1;
  while (within(to)) to += 1;
  return measured.slice(from, start) + words + measured.slice(end, to);
}

/** The span that the address names, in UTF-16 units; `gone` when the text has no such place. */
function spanOf(search, measured) {
  if (!search.has("start")) return null;
  const [start, end] = [Number(search.get("start")), Number(search.get("end"))];
  const exists =
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= measured.length;
  return exists ? { cited: { start: measured.unit(start), end: measured.unit(end) } } : { gone: true };
}

/** Bring an element or a range into the middle; over a few frames, because what is laid out only now moves the rest. */
function reveal(target) {
  const element = target instanceof Range ? target.startContainer.parentElement : target;
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  const settle = (left) =>
    requestAnimationFrame(() => {
      const { top, height } = target.getBoundingClientRect();
      const off = top + Math.min(height, innerHeight / 2) / 2 - innerHeight / 2;
      scrollBy({ top: off, behavior: "instant" });
      if (left) settle(left - 1); // also when it is there: the next layout may move it away
    });
  settle(5);
}

function head(document, path) {
  const { filename, workspace, version, pages, size_bytes: size, created_at: created, status, metadata } = document;
  const facts = [
    t("version", { n: number(version) }),
    workspace,
    pages > 0 && t("pages", { n: number(pages) }),
    bytes(size),
    moment(created),
  ];
  return h(
    "header",
    { class: "query-head" },
    h("h1", { dir: "auto" }, filename),
    metadata.title && metadata.title !== filename && h("p", { dir: "auto" }, String(metadata.title)),
    unread(metadata).map((line) => h("p", { class: "small caution", role: "note", dir: "auto" }, line)),
    h(
      "div",
      { class: "row small muted facts" },
      badge(status),
      facts.filter(Boolean).map((fact) => h("span", {}, fact)),
      h("button", { type: "button", class: "plain", onclick: () => save(`${path}/original`, filename) }, t("file")),
    ),
  );
}

/** What of the file is no part of the text, and why. */
function unread({ hidden_text: hidden, unread_pages: pages, unread_attachments: files, reading_notes: notes }) {
  const [, count, places, reasons] = /^([\d,]+) words?(?: on pages? ([^:]*))?: (.*)$/.exec(hidden ?? "") ?? [];
  const why = (reasons ?? "").split(", ").map((reason) => (reason in REASONS ? t(REASONS[reason]) : reason));
  return [
    count &&
      t("hidden", {
        n: Number(count.replaceAll(",", "")),
        why: [places && t("onPages", { pages: places }), ...why].filter(Boolean).join("; "),
      }),
    pages && t("unreadPages", { pages }),
    files && t("unreadFiles", { files }),
    notes && t("notes", { notes }),
  ].filter(Boolean);
}

const badge = (status) =>
  h("span", { class: `badge ${TONES[status] || "not_checked"}` }, t(status === "failed" ? "failedState" : status));

function state(document, path, again) {
  const { status, stage, progress, error, superseded_by: newer } = document;
  if (status === "failed")
    return h(
      "div",
      { class: "problem" },
      h("strong", {}, t("failed")),
      h("p", { dir: "auto" }, error?.message),
      document.can_retry && h("button", { type: "button", onclick: () => retry(path, again) }, t("retry")),
    );
  if (status === "superseded")
    return h(
      "p",
      { class: "caution" },
      t("newer"),
      " ",
      newer && h("a", { href: `#/document/${newer}` }, t("openNewer")),
    );
  if (READ.has(status)) return null;
  const { done, total, words: told } = progressOf(progress, (some, all) => t("passages", { done: some, total: all }));
  return h(
    "div",
    { class: "card", role: "status" },
    h("p", {}, t("reading"), " ", stageWord(stage)),
    h("progress", { "aria-label": t("reading"), max: total || 1, value: total ? done : null }),
    told && h("p", { class: "small muted" }, told),
  );
}

async function retry(path, again) {
  try {
    await ask(`${path}/retry`, { method: "POST" });
    await again();
  } catch (error) {
    notice(told(error));
  }
}

function versions(documents, shown) {
  return h(
    "details",
    { class: "card" },
    h("summary", {}, h("h2", {}, t("versions"))),
    h(
      "ul",
      { class: "plain-list" },
      documents.map(({ id, version, status, created_at: created }) =>
        h(
          "li",
          { class: "row" },
          h(
            "a",
            { href: `#/document/${id}`, "aria-current": id === shown && "page" },
            t("version", { n: number(version) }),
          ),
          badge(status),
          h("span", { class: "small muted" }, moment(created)),
        ),
      ),
    ),
  );
}

function contents(sections, jump) {
  if (!sections.length) return null;
  return h(
    "details",
    { class: "card contents", open: matchMedia("(min-width: 76rem)").matches },
    h("summary", {}, h("h2", {}, t("sections"))),
    h(
      "nav",
      { "aria-label": t("sections") },
      h(
        "ol",
        {},
        sections.map(({ title, start }) =>
          h("li", {}, h("button", { type: "button", class: "plain", dir: "auto", onclick: () => jump(start) }, title)),
        ),
      ),
    ),
  );
}

function pager(element, pages, signal) {
  const numbers = pages.map((leaf) => leaf.number);
  const field = h("input", {
    type: "number",
    "aria-label": t("page"),
    min: numbers[0],
    max: numbers.at(-1),
    value: numbers[0],
    onchange: () => turn(Number(field.value)),
  });
  let turnedTo = NaN;
  const turn = (n) => {
    const leaf = element.querySelector(`[data-page="${n}"]`);
    if (!leaf) return;
    leaf.scrollIntoView({ block: "start" });
    field.value = n;
    turnedTo = scrollY;
  };
  const step = (by) =>
    turn(numbers[Math.max(0, Math.min(numbers.length - 1, numbers.indexOf(Number(field.value)) + by))]);
  const seen = new IntersectionObserver(
    (entries) => {
      // Behind a short page the next one is in the middle; the one that was asked for stays the one that is told.
      if (Math.abs(scrollY - turnedTo) < 2) return;
      for (const entry of entries) if (entry.isIntersecting) field.value = entry.target.dataset.page;
    },
    { rootMargin: "-49% 0px -49% 0px" },
  );
  for (const leaf of element.querySelectorAll("[data-page]")) seen.observe(leaf);
  signal.addEventListener("abort", () => seen.disconnect());
  return h(
    "div",
    { class: "row pager", role: "group", "aria-label": t("page") },
    h("button", { type: "button", "aria-label": t("previous"), onclick: () => step(-1) }, "‹"),
    field,
    h("span", { class: "small muted" }, t("of", { n: number(numbers.at(-1)) })),
    h("button", { type: "button", "aria-label": t("next"), onclick: () => step(1) }, "›"),
  );
}
