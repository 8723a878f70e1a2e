/**
 * The chunks of a document: looked at, taken out of the search and put back, corrected as a new version; and who did
 * so.
 */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { go } from "../router.js";
import { confirmed } from "./dialogs.js";
import { notice, told, trouble } from "./notices.js";

const t = words("parts/chunks");

const PAGE = 50;

/**
 * `path` of the document; `wanted` is the index of the chunk to begin with, open to be corrected when `editing`; only
 * the version in force can be changed.
 */
export async function chunks(path, { wanted = 0, canChange, editing }, signal) {
  const list = h("ol", { class: "chunks", start: String(wanted) });
  const status = h("p", { class: "small muted", role: "status" });
  const more = h("button", { type: "button", onclick: () => load(next) }, t("more"));
  const past = h("div");
  const which = h(
    "select",
    {
      onchange: () => {
        from.value = "0";
        load(0);
      },
    },
    ["all", "searched", "left", "fixed"].map((choice) => h("option", { value: choice }, t(choice))),
  );
  const contains = h("input", { type: "search", maxlength: "200", dir: "auto" });
  const from = h("input", { type: "number", min: "0", value: String(wanted) });
  const sieve = h(
    "form",
    {
      class: "sieve",
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        load(Math.max(0, Math.trunc(Number(from.value)) || 0));
      },
    },
    h("label", {}, t("which"), which),
    h("label", {}, t("contains"), contains),
    h("label", {}, t("from"), from),
    h("button", {}, t("find")),
  );
  contains.oninput = () => {
    from.value = "0";
  };
  const filter = () =>
    ({ all: {}, searched: { excluded: "false" }, left: { excluded: "true" }, fixed: { corrected: "true" } })[
      which.value
    ];
  let next = null;
  let asking = 0;
  async function load(first) {
    const turn = ++asking;
    const page = await ask(
      withQuery(`${path}/chunks`, { first, limit: PAGE, ...filter(), contains: contains.value.trim() }),
      { signal },
    );
    if (turn !== asking) return;
    const rows = page.chunks.map((piece) =>
      h("li", { dataset: { chunk: piece.chunk_index } }, ...chunk(path, piece, canChange, changed)),
    );
    if (first === next && next !== null) list.append(...rows);
    else show(list, rows);
    next = page.next_first;
    more.hidden = next === null;
    counted(page);
    if (!page.chunks.length) show(list, h("li", { class: "empty" }, t("none")));
  }
  const counted = ({ total, excluded, matching }) => {
    status.textContent =
      t("total", { total: number(total), excluded: number(excluded) }) +
      (contains.value.trim() && matching !== undefined ? ` ${t("found", { n: matching })}` : "");
  };
  async function changed() {
    const { total, excluded } = await ask(`${path}/chunks?limit=1`, { signal });
    counted({ total, excluded });
    await remember();
  }
  const remember = async () =>
    show(
      past,
      history((await ask(`${path}/edits`, { signal })).edits, canChange && ((correction) => undo(path, correction))),
    );
  await Promise.all([load(wanted), remember()]);
  if (editing && canChange) list.querySelector(".correct")?.click();
  const element = h("div", { class: "stack" }, h("p", { class: "muted" }, t("lead")), sieve, status, list, more, past);
  return { element, jump: () => {} };
}

function chunk(path, piece, canChange, changed) {
  const n = number(piece.chunk_index);
  const body = h("div", { class: "stack tight" });
  const again = async (excluded) => {
    const reason = h("input", { maxlength: "1000", dir: "auto" });
    if (
      excluded &&
      !(await confirmed(t("sure", { n }), t("warning"), t("exclude"), h("label", {}, t("reason"), reason)))
    )
      return;
    try {
      piece = await ask(`${path}/chunks/${piece.chunk_index}`, {
        method: "PATCH",
        json: { excluded, reason: reason.value.trim() || null },
      });
      notice(t(excluded ? "out" : "back", { n }));
      draw().querySelector("button")?.focus();
      await changed();
    } catch (error) {
      notice(told(error));
    }
  };
  const draw = () =>
    show(
      body,
      head(piece, n),
      piece.context && h("p", { class: "small muted pre", dir: "auto" }, piece.context),
      h("blockquote", { class: "passage pre", dir: "auto" }, piece.text),
      piece.has_hidden_orders && h("p", { class: "caution small" }, t("hidden")),
      h(
        "div",
        { class: "row" },
        canChange &&
          h(
            "button",
            {
              type: "button",
              class: "small",
              "aria-label": t(piece.excluded ? "includeOf" : "excludeOf", { n }),
              onclick: () => again(!piece.excluded),
            },
            t(piece.excluded ? "include" : "exclude"),
          ),
        canChange &&
          h(
            "button",
            {
              type: "button",
              class: "small correct",
              "aria-label": t("correctOf", { n }),
              onclick: () => edit(path, piece, n, body, draw),
            },
            t("correct"),
          ),
        h(
          "a",
          {
            class: "small",
            href: `${location.hash.split("?")[0]}?start=${piece.source_start}&end=${piece.source_end}`,
          },
          t("place"),
        ),
      ),
    );
  return [draw()];
}

function head(piece, n) {
  const facts = [
    piece.page_number && t("page", { n: number(piece.page_number) }),
    piece.section,
    t("tokens", { n: number(piece.tokens) }),
  ].filter(Boolean);
  return h(
    "div",
    { class: "row small facts" },
    h("h2", { class: "small" }, t("chunk", { n })),
    facts.map((fact) => h("bdi", { class: "muted" }, fact)),
    piece.excluded && h("span", { class: "badge contradicted" }, t("excluded")),
    piece.corrected && h("span", { class: "badge partial" }, t("corrected")),
  );
}

function edit(path, piece, n, body, draw) {
  const text = h("textarea", { rows: "8", dir: "auto", required: true, value: piece.text });
  const reason = h("input", { maxlength: "1000", dir: "auto" });
  const problem = h("div");
  const save = h("button", { class: "primary" }, t("save"));
  const close = () => draw().querySelectorAll("button")[1].focus();
  const send = async (event) => {
    event.preventDefault();
    save.disabled = true;
    try {
      const made = await ask(`${path}/chunks/${piece.chunk_index}/corrections`, {
        method: "POST",
        json: { text: text.value, reason: reason.value.trim() || null },
      });
      notice(t("saved", { n: number(made.document.version) }));
      go(`/document/${made.document.id}?view=chunks&chunk=${piece.chunk_index}`);
    } catch (error) {
      save.disabled = false;
      show(problem, trouble(error));
    }
  };
  show(
    body,
    h(
      "form",
      { class: "stack tight", onsubmit: send, onkeydown: (event) => event.key === "Escape" && close() },
      h("label", {}, t("text", { n }), text, h("span", { class: "hint" }, t("hint"))),
      h("label", {}, t("reason"), reason),
      problem,
      h("div", { class: "row end" }, h("button", { type: "button", onclick: close }, t("cancel")), save),
    ),
  );
  // The view may only now be put into the page.
  requestAnimationFrame(() => text.focus());
}

/** Puts the text back that stood before a correction, unless the chunk reads otherwise by now. */
async function undo(path, { chunk_index: index, before, after }) {
  try {
    const {
      chunks: [now],
    } = await ask(withQuery(`${path}/chunks`, { first: index, limit: 1 }));
    if (now?.text !== after) return notice(t("changedSince"));
    const made = await ask(`${path}/chunks/${index}/corrections`, {
      method: "POST",
      json: { text: before, reason: t("undone") },
    });
    notice(t("saved", { n: number(made.document.version) }));
    return go(`/document/${made.document.id}?view=chunks&chunk=${index}`);
  } catch (error) {
    return notice(told(error));
  }
}

function history(edits, undoing) {
  const lines = edits.map((correction) =>
    h(
      "li",
      {},
      h(
        "div",
        { class: "row small facts" },
        h("span", { class: "muted" }, moment(correction.created_at)),
        h("span", {}, t("version", { n: number(correction.version) })),
        h("strong", {}, `${t("chunk", { n: number(correction.chunk_index) })}: ${t(`did_${correction.kind}`)}`),
        correction.made_by && h("span", { class: "muted" }, t("by", { key: correction.made_by })),
        correction.reason && h("bdi", {}, correction.reason),
      ),
      correction.after !== null &&
        h(
          "div",
          { class: "small" },
          h("del", { class: "pre", dir: "auto" }, correction.before),
          h("ins", { class: "pre", dir: "auto" }, correction.after),
          " ",
          undoing &&
            h(
              "button",
              {
                type: "button",
                class: "small",
                "aria-label": t("undoOf", { n: number(correction.chunk_index) }),
                onclick: () => undoing(correction),
              },
              t("undo"),
            ),
        ),
    ),
  );
  return h(
    "details",
    {},
    h("summary", {}, t("history")),
    h("p", { class: "small muted" }, t("file")),
    lines.length ? h("ul", { class: "plain-list" }, lines) : h("p", { class: "muted small" }, t("nothing")),
  );
}
