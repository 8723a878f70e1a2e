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

const t = words({
  en: {
    title: "Sources",
    lead: "A source is a place that documents come from. It is read by its schedule: what changed there becomes a new version, and what went away is marked.",
    loading: "Loading",
    list: "All sources",
    none: "There is no source yet. Add one below.",
    more: "Show more",
    idle: "waiting",
    paused: "paused",
    listing: "listing",
    fetching: "fetching",
    deleting: "being deleted",
    due: "about to run",
    failed: "last run failed",
    partly: "last run incomplete",
    workspace: "Workspace",
    schedule: "Schedule",
    last: "Last run",
    next: "Next run",
    running: "since {when}",
    ended: "{when} (run {n})",
    never: "none yet",
    unplanned: "only when asked",
    now: "now",
    items: "Items",
    documents: "Documents",
    count_listed: "{n} listed",
    count_pending: "{n} to fetch",
    count_new: "{n} new",
    count_changed: "{n} changed",
    count_unchanged: "{n} unchanged",
    count_gone: "{n} gone",
    count_skipped: "{n} skipped",
    count_failed: "{n} failed",
    documents_ready: "{n} ready",
    documents_reading: "{n} being read",
    documents_failed: "{n} failed",
    why: "What was not taken, and why ({n})",
    whyMore: "The first {shown}; “citewell sources show” and the API have more.",
    skippedItem: "skipped",
    failedItem: "failed",
    run: "Run now",
    pause: "Pause",
    resume: "Resume",
    remove: "Delete",
    begun: "“{name}” is read now.",
    isPaused: "“{name}” is paused.",
    resumed: "“{name}” goes on.",
    scheduled: "The schedule of “{name}” is changed.",
    scheduleOf: "Schedule of {name}",
    sure: "Delete the source “{name}”?",
    warning: "Nothing more is taken from there. Answers keep their copies of what they cite.",
    keep: "Its documents stay",
    drop: "Its documents are deleted, too, in all versions ({n})",
    gone: "“{name}” is deleted.",
    going: "The documents of “{name}” are being deleted.",
  },
  ko: {
    title: "문서 출처",
    lead: "출처는 문서를 가져오는 곳입니다. 정한 주기로 읽으며, 바뀐 것은 새 버전이 되고 사라진 것은 표시됩니다.",
    loading: "불러오는 중",
    list: "출처 목록",
    none: "아직 출처가 없습니다. 아래에서 추가하세요.",
    more: "더 보기",
    idle: "대기 중",
    paused: "중지됨",
    listing: "목록 읽는 중",
    fetching: "가져오는 중",
    deleting: "삭제하는 중",
    due: "곧 실행",
    failed: "마지막 실행 실패",
    partly: "마지막 실행 불완전",
    workspace: "작업 공간",
    schedule: "주기",
    last: "마지막 실행",
    next: "다음 실행",
    running: "{when}부터 실행 중",
    ended: "{when} ({n}번째 실행)",
    never: "아직 없음",
    unplanned: "요청할 때만",
    now: "지금",
    items: "항목",
    documents: "문서",
    count_listed: "전체 {n}",
    count_pending: "가져올 항목 {n}",
    count_new: "새 항목 {n}",
    count_changed: "바뀜 {n}",
    count_unchanged: "그대로 {n}",
    count_gone: "사라짐 {n}",
    count_skipped: "건너뜀 {n}",
    count_failed: "실패 {n}",
    documents_ready: "준비됨 {n}",
    documents_reading: "읽는 중 {n}",
    documents_failed: "실패 {n}",
    why: "가져오지 않은 항목과 이유 ({n})",
    whyMore: "처음 {shown}개입니다. 나머지는 “citewell sources show”와 API에서 볼 수 있습니다.",
    skippedItem: "건너뜀",
    failedItem: "실패",
    run: "지금 실행",
    pause: "중지",
    resume: "다시 시작",
    remove: "삭제",
    begun: "“{name}”을(를) 지금 읽습니다.",
    isPaused: "“{name}”을(를) 중지했습니다.",
    resumed: "“{name}”을(를) 다시 시작합니다.",
    scheduled: "“{name}”의 주기를 바꾸었습니다.",
    scheduleOf: "{name} 주기",
    sure: "출처 “{name}”을(를) 삭제할까요?",
    warning: "그곳에서 더 이상 가져오지 않습니다. 답변이 인용한 내용은 답변에 남습니다.",
    keep: "문서는 남깁니다",
    drop: "문서도 모든 버전을 삭제합니다 ({n}개)",
    gone: "“{name}” 출처를 삭제했습니다.",
    going: "“{name}”의 문서를 삭제하고 있습니다.",
  },
});

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
