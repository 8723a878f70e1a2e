/** A form for a new source of documents: what kind of place, where it is, how often it is read. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { notice, trouble } from "./notices.js";
import { workspaceInput } from "./workspaces.js";

const t = words({
  en: {
    add: "Add a source",
    kind: "Kind",
    folder: "Folder",
    web: "Web pages",
    sitemap: "Sitemap",
    feed: "Feed",
    git: "Git repository",
    bucket: "Bucket (S3)",
    name: "Name",
    nameHint: "Its documents are named after it; it cannot be changed.",
    location: "Address",
    workspace: "Workspace",
    every: "Read it",
    whenAsked: "only when asked",
    minutes: "every 15 minutes",
    hour: "every hour",
    day: "every day",
    week: "every week",
    other: "every {n} s",
    folderHint: "The name of a folder that the server's settings allow, and the way in it: handbook/policies",
    webHint: "The page to begin with: https://example.com/docs/",
    sitemapHint: "https://example.com/sitemap.xml",
    feedHint: "An RSS or Atom feed: https://example.com/feed.xml",
    gitHint: "An https address, or a repository in an allowed folder",
    bucketHint: "The bucket, and the beginning of the keys: reports/2026",
    depth: "Links to follow",
    depthHint: "0: this page only.",
    branch: "Branch or tag",
    branchHint: "Empty: the default one.",
    store: "Store",
    storeHint: "Its name in the server's settings.",
    entries: "Take the entries' own text, not the pages",
    more: "What it takes",
    include: "Only these",
    exclude: "Not these",
    patterns: "One pattern a line; * is anything: *.pdf",
    whenGone: "What went away",
    mark: "keep its document, marked",
    remove: "delete its document",
    create: "Add",
    added: "“{name}” is added, and is read now.",
  },
  ko: {
    add: "출처 추가",
    kind: "종류",
    folder: "폴더",
    web: "웹 페이지",
    sitemap: "사이트맵",
    feed: "피드",
    git: "Git 저장소",
    bucket: "버킷 (S3)",
    name: "이름",
    nameHint: "문서 이름 앞에 붙으며 바꿀 수 없습니다.",
    location: "주소",
    workspace: "작업 공간",
    every: "읽는 주기",
    whenAsked: "요청할 때만",
    minutes: "15분마다",
    hour: "1시간마다",
    day: "매일",
    week: "매주",
    other: "{n}초마다",
    folderHint: "서버 설정이 허용한 폴더의 이름과 그 안의 경로: handbook/policies",
    webHint: "시작할 페이지: https://example.com/docs/",
    sitemapHint: "https://example.com/sitemap.xml",
    feedHint: "RSS 또는 Atom 피드: https://example.com/feed.xml",
    gitHint: "https 주소, 또는 허용된 폴더 안의 저장소",
    bucketHint: "버킷과 키의 앞부분: reports/2026",
    depth: "따라갈 링크 단계",
    depthHint: "0이면 이 페이지만 읽습니다.",
    branch: "브랜치 또는 태그",
    branchHint: "비우면 기본 브랜치입니다.",
    store: "저장소 이름",
    storeHint: "서버 설정에 있는 이름입니다.",
    entries: "링크된 페이지 대신 항목의 본문을 사용",
    more: "가져올 항목",
    include: "포함",
    exclude: "제외",
    patterns: "한 줄에 패턴 하나, *는 임의의 문자열: *.pdf",
    whenGone: "사라진 항목",
    mark: "문서를 남기고 표시",
    remove: "문서도 삭제",
    create: "추가",
    added: "“{name}”을(를) 추가했습니다. 지금 읽습니다.",
  },
});

export const kindWord = (kind) => t(kind);
const KINDS = ["folder", "web", "sitemap", "feed", "git", "bucket"];
const SCHEDULES = [
  ["", "whenAsked"],
  [900, "minutes"],
  [3600, "hour"],
  [86_400, "day"],
  [604_800, "week"],
];
const ADDRESSES = new Set(["web", "sitemap", "feed"]);

/** A choice of schedules, in seconds ("": only when asked), with `chosen` among them whatever it is. */
export function scheduleSelect(chosen, properties = {}) {
  const known = SCHEDULES.some(([value]) => String(value) === String(chosen ?? ""));
  const choices = known ? SCHEDULES : [...SCHEDULES, [chosen, "other"]];
  return h(
    "select",
    properties,
    choices.map(([value, name]) =>
      h("option", { value: String(value), selected: String(value) === String(chosen ?? "") }, t(name, { n: value })),
    ),
  );
}

/** The form; `added()` is called after a source was made. */
export function sourceForm(names, added, signal) {
  const problem = h("div");
  const kind = h(
    "select",
    { onchange: () => ofKind() },
    KINDS.map((option) => h("option", { value: option }, t(option))),
  );
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off", spellcheck: "false" });
  const location = h("input", { required: true, maxlength: "2000", autocomplete: "off", spellcheck: "false" });
  const hint = h("span", { class: "hint" });
  const [workspace, suggestions] = workspaceInput({ names, required: true });
  const every = scheduleSelect(3600);
  const own = ownFields();
  const takes = takesFields();
  function ofKind() {
    hint.textContent = t(`${kind.value}Hint`);
    location.type = ADDRESSES.has(kind.value) ? "url" : "text";
    for (const field of own.fields) field.element.hidden = field.kind !== kind.value;
    own.store.required = kind.value === "bucket";
  }
  const create = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const json = {
        name: name.value.trim(),
        kind: kind.value,
        location: location.value.trim(),
        workspace: workspace.value.trim(),
        every_s: Number(every.value) || null,
        options: { ...own.values(kind.value), ...takes.values() },
      };
      const made = await ask("/v1/sources", { method: "POST", json, signal });
      event.target.reset();
      ofKind();
      notice(t("added", { name: made.name }));
      await added();
    } catch (error) {
      if (!signal.aborted) show(problem, trouble(error));
    }
  };
  ofKind();
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "add" },
    h("h2", { id: "add" }, t("add")),
    h(
      "form",
      { class: "stack", onsubmit: create },
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("kind"), kind),
        h("label", {}, t("location"), location, hint),
        h("label", {}, t("name"), name, h("span", { class: "hint" }, t("nameHint"))),
      ),
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("workspace"), workspace, suggestions),
        h("label", {}, t("every"), every),
        own.fields.map((field) => field.element),
      ),
      takes.element,
      problem,
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
}

/** The fields that only one kind has; `values(kind)` are the options that they say. */
function ownFields() {
  const depth = h("input", { type: "number", min: "0", max: "10", inputmode: "numeric", value: "0" });
  const branch = h("input", { maxlength: "250", autocomplete: "off", spellcheck: "false" });
  const store = h("input", { maxlength: "100", autocomplete: "off", spellcheck: "false" });
  const entries = h("input", { type: "checkbox" });
  const hinted = (name, input) => h("label", {}, t(name), input, h("span", { class: "hint" }, t(`${name}Hint`)));
  const fields = [
    { kind: "web", element: hinted("depth", depth) },
    { kind: "git", element: hinted("branch", branch) },
    { kind: "bucket", element: hinted("store", store) },
    { kind: "feed", element: h("label", { class: "inline" }, entries, t("entries")) },
  ];
  const said = {
    web: () => ({ depth: Number(depth.value) || 0 }),
    git: () => (branch.value.trim() ? { branch: branch.value.trim() } : {}),
    bucket: () => ({ store: store.value.trim() }),
    feed: () => ({ entries: entries.checked }),
  };
  return { fields, store, values: (kind) => said[kind]?.() ?? {} };
}

/** Which items it takes, and what happens to the documents of those that went. */
function takesFields() {
  const patterns = () => h("textarea", { rows: "2", spellcheck: "false", class: "mono" });
  const [include, exclude] = [patterns(), patterns()];
  const whenGone = h(
    "select",
    {},
    h("option", { value: "mark" }, t("mark")),
    h("option", { value: "delete" }, t("remove")),
  );
  const lines = ({ value }) =>
    value
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  const element = h(
    "details",
    {},
    h("summary", {}, t("more")),
    h(
      "div",
      { class: "sieve top-aligned" },
      h("label", {}, t("include"), include, h("span", { class: "hint" }, t("patterns"))),
      h("label", {}, t("exclude"), exclude, h("span", { class: "hint" }, t("patterns"))),
      h("label", {}, t("whenGone"), whenGone),
    ),
  );
  return { element, values: () => ({ include: lines(include), exclude: lines(exclude), when_gone: whenGone.value }) };
}
