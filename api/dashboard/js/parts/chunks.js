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

const t = words({
  en: {
    lead: "Passages are found, shown to the model and cited chunk by chunk.",
    which: "Show",
    all: "all chunks",
    left: "excluded ones",
    searched: "searched ones",
    fixed: "corrected ones",
    contains: "Contains",
    find: "Find",
    from: "From chunk",
    found: "{n} {n:chunk|chunks} found.",
    undo: "Undo",
    undoOf: "Undo the correction of chunk {n}",
    undone: "undoes a correction",
    changedSince: "The chunk has been changed since; correct it by hand.",
    file: "Sending the file again does not undo a correction. Another file under this name does, and the history says so.",
    total: "{total} chunks, {excluded} of them excluded",
    more: "Show more",
    none: "There is no such chunk.",
    chunk: "Chunk {n}",
    page: "page {n}",
    tokens: "{n} tokens",
    excluded: "excluded",
    corrected: "corrected",
    hidden: "gives orders to a model; blanked out in use",
    place: "Show in the text",
    exclude: "Exclude",
    excludeOf: "Exclude chunk {n}",
    include: "Include again",
    includeOf: "Include chunk {n} again",
    correct: "Correct",
    correctOf: "Correct chunk {n}",
    sure: "Exclude chunk {n}?",
    warning:
      "No search finds it any more. Answers that cite it stay as they are. A new version of the document keeps this where it has the same text.",
    reason: "Why (optional)",
    text: "Text of chunk {n}",
    hint: "The correction makes a new version of the document, in force at once. Answers that cite this version keep their proof.",
    save: "Save as new version",
    cancel: "Cancel",
    out: "Chunk {n} is excluded.",
    back: "Chunk {n} is searched again.",
    saved: "Version {n} is in force.",
    history: "History of changes",
    nothing: "Nothing was changed yet.",
    by: "by key {key}",
    did_excluded: "excluded",
    did_included: "included again",
    did_corrected: "corrected",
    did_exclusion_kept: "still excluded: same text as before",
    did_exclusion_ended: "not excluded any more: its text is gone",
    did_correction_ended: "correction gone: another file came that has not this text",
    version: "version {n}",
  },
  ko: {
    lead: "구절은 청크 단위로 검색되고, 모델에 전달되고, 인용됩니다.",
    which: "표시",
    all: "모든 청크",
    left: "제외된 청크",
    searched: "검색되는 청크",
    fixed: "수정된 청크",
    contains: "포함된 글",
    find: "찾기",
    from: "시작 청크",
    found: "청크 {n}개를 찾았습니다.",
    undo: "되돌리기",
    undoOf: "청크 {n}의 수정 되돌리기",
    undone: "수정을 되돌림",
    changedSince: "그 뒤에 청크가 다시 바뀌었습니다. 직접 수정하세요.",
    file: "같은 파일을 다시 보내도 수정은 유지됩니다. 같은 이름의 다른 파일을 보내면 사라지며 변경 기록에 남습니다.",
    total: "청크 {total}개 중 {excluded}개 제외",
    more: "더 보기",
    none: "해당하는 청크가 없습니다.",
    chunk: "청크 {n}",
    page: "{n}쪽",
    tokens: "토큰 {n}개",
    excluded: "제외됨",
    corrected: "수정됨",
    hidden: "모델에 대한 지시문이 있어 사용할 때 가려집니다",
    place: "본문에서 보기",
    exclude: "제외",
    excludeOf: "청크 {n} 제외",
    include: "다시 포함",
    includeOf: "청크 {n} 다시 포함",
    correct: "수정",
    correctOf: "청크 {n} 수정",
    sure: "청크 {n}을(를) 제외할까요?",
    warning:
      "더 이상 검색되지 않습니다. 이 청크를 인용한 답변은 그대로 유지됩니다. 새 버전에서도 본문이 같으면 제외 상태가 유지됩니다.",
    reason: "이유 (선택 사항)",
    text: "청크 {n}의 본문",
    hint: "수정하면 문서의 새 버전이 만들어져 바로 적용됩니다. 이 버전을 인용한 답변의 근거는 유지됩니다.",
    save: "새 버전으로 저장",
    cancel: "취소",
    out: "청크 {n}을(를) 제외했습니다.",
    back: "청크 {n}이(가) 다시 검색됩니다.",
    saved: "버전 {n}이(가) 적용되었습니다.",
    history: "변경 기록",
    nothing: "아직 변경 사항이 없습니다.",
    by: "키 {key}",
    did_excluded: "제외함",
    did_included: "다시 포함함",
    did_corrected: "수정함",
    did_exclusion_kept: "본문이 같아 제외 상태 유지",
    did_exclusion_ended: "본문이 없어져 제외 상태 해제",
    did_correction_ended: "수정 사라짐: 이 글이 없는 다른 파일이 들어옴",
    version: "버전 {n}",
  },
});

const PAGE = 50;

/**
 * `path` of the document; `wanted` is the index of the chunk to begin with; only the version in force can be changed.
 */
export async function chunks(path, { wanted = 0, canChange }, signal) {
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
              class: "small",
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
  text.focus();
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
