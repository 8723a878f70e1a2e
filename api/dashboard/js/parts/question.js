/** The form of a question: where it is asked, how it is worked on, whether its answer is verified. */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words({
  en: { question: "Your question", placeholder: "What do you want to know from your documents?", ask: "Ask", workspace: "Workspace",
    mode: "Evidence", low: "Low: one passage is enough", balanced: "Balanced", high: "High: refuse when evidence is thin",
    run: "Way of working", structured: "Structured: one search", agentic: "Agentic: the model chooses searches", multiagent: "Multi-agent: research, then write",
    preset: "Cost", standard: "Standard", cheap: "Cheap: fewer calls", verify: "Auto-verify",
    verifyHint: "Every sentence is held against its source; what is wrong is mended or removed.", more: "More options",
    graph: "Knowledge graph", naive: "Not used (naive)", local: "What is named (local)", global: "Connections (global)", hybrid: "Both (hybrid)", mix: "Everything (mix)",
    asConfigured: "As configured", multi_query: "Extra wordings searched", confidence_threshold: "Search again below this score of the claims", deadline_s: "Seconds at most", max_cost_usd: "US dollars at most",
    send: "Enter asks, Shift+Enter begins a new line." },
  ko: { question: "질문", placeholder: "문서에서 무엇을 알고 싶으신가요?", ask: "질문하기", workspace: "작업 공간", mode: "근거 기준",
    low: "낮음: 구절 하나면 충분", balanced: "균형", high: "높음: 근거가 부족하면 거절", run: "작업 방식", structured: "구조적: 한 번 검색", agentic: "에이전트: 모델이 검색을 선택",
    multiagent: "다중 에이전트: 조사 후 작성", preset: "비용", standard: "표준", cheap: "절약: 적은 호출", verify: "자동 검증",
    verifyHint: "모든 문장을 출처와 대조하고, 틀린 내용은 고치거나 삭제합니다.", more: "추가 설정", graph: "지식 그래프", naive: "사용 안 함(naive)",
    local: "언급된 대상(local)", global: "연결 관계(global)", hybrid: "둘 다(hybrid)", mix: "모두(mix)", asConfigured: "설정값 사용", multi_query: "추가로 검색할 표현 수",
    confidence_threshold: "재검색 기준 주장 점수", deadline_s: "최대 시간(초)", max_cost_usd: "최대 비용(달러)", send: "Enter로 질문하고, Shift+Enter로 줄을 바꿉니다." },
});

const STORED = "citewell.asking";
const CHOICES = { mode: ["low", "balanced", "high"], run: ["structured", "agentic", "multiagent"], preset: ["standard", "cheap"] };
const NUMBERS = { multi_query: { min: 0, max: 5, step: 1 }, confidence_threshold: { min: 0, max: 1, step: "any" },
  deadline_s: { min: 1, max: 86400, step: 1 }, max_cost_usd: { min: 0, step: "any" } };

/**
 * `{ element, body(), workspace() }`; `body()` is what `POST /v1/queries` takes. `names` are the workspaces there are, `given` what
 * the address asks for; what was chosen the last time is chosen again. `submit()` is called when it is sent, `change()` for another
 * workspace.
 */
export function questionForm({ names, given, submit, change }) {
  const before = { workspace: "default", mode: "balanced", run: "structured", preset: "standard", verify: true, ...stored(), ...given };
  // One that the address names may be new: it is made by its first document.
  const choices = [...new Set([...names, given.workspace].filter(Boolean))];
  const text = h("textarea", { id: "question", rows: "3", required: true, maxlength: "10000", placeholder: t("placeholder"), dir: "auto", value: before.question || "",
    onkeydown: (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); element.requestSubmit(); } } });
  const workspace = select("workspace", choices.map((name) => [name, name]), choices.includes(before.workspace) ? before.workspace : choices[0]);
  workspace.addEventListener("change", change);
  const chosen = Object.fromEntries(Object.entries(CHOICES).map(([name, values]) => [name, select(name, values.map((value) => [value, t(value)]), before[name])]));
  const verify = h("input", { type: "checkbox", role: "switch", id: "verify", "aria-describedby": "verify-hint", checked: before.verify });
  const graph = select("graph", [["", t("asConfigured")], ...["naive", "local", "global", "hybrid", "mix"].map((value) => [value, t(value)])], "");
  const numbers = Object.fromEntries(Object.entries(NUMBERS).map(([name, limits]) => [name, h("input", { type: "number", placeholder: t("asConfigured"), ...limits })]));
  const element = h("form", { class: "card question", onsubmit: (event) => { event.preventDefault(); keep(); submit(); } },
    h("label", { for: "question" }, t("question")), text,
    h("div", { class: "row spread" },
      h("div", { class: "switch" }, h("label", { class: "inline", for: "verify" }, verify, t("verify")), h("span", { class: "hint", id: "verify-hint" }, t("verifyHint"))),
      h("button", { class: "primary ask", "aria-describedby": "send-hint" }, t("ask"))),
    h("div", { class: "choices" }, labelled("workspace", workspace), Object.entries(chosen).map(([name, field]) => labelled(name, field))),
    h("details", { class: "small" }, h("summary", {}, t("more")),
      h("div", { class: "choices" }, labelled("graph", graph), Object.entries(numbers).map(([name, field]) => labelled(name, field)))),
    h("p", { class: "hint", id: "send-hint" }, t("send")));
  const keep = () => localStorage.setItem(STORED, JSON.stringify({ workspace: workspace.value, verify: verify.checked,
    ...Object.fromEntries(Object.entries(chosen).map(([name, field]) => [name, field.value])) }));
  const numeric = (name) => (numbers[name].value === "" ? undefined : Number(numbers[name].value));
  return {
    element,
    workspace: () => workspace.value,
    focus: () => text.focus(),
    body: () => ({
      question: text.value.trim(), workspace: workspace.value, mode: chosen.mode.value, run: chosen.run.value, preset: chosen.preset.value,
      enable_verification: verify.checked, retrieval: { graph: graph.value || undefined, multi_query: numeric("multi_query") },
      verification: { show_claims: true, confidence_threshold: numeric("confidence_threshold") },
      deadline_s: numeric("deadline_s"), max_cost_usd: numeric("max_cost_usd"),
    }),
  };
}

function select(name, options, value) {
  return h("select", { name }, options.map(([one, text]) => h("option", { value: one, selected: one === value }, text)));
}

const labelled = (name, field) => h("label", {}, t(name), field);

function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORED)) || {};
  } catch {
    return {};
  }
}
