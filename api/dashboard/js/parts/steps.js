/** The steps of a question in words: what was left out, or given up, is told by its step. */
import { words } from "../i18n.js";

const t = words({
  en: { restate_question: "Understanding the question", rewrite_question: "Other wordings", plan_graph: "Planning the graph search", plan_queries: "Planning searches", decide_search: "Deciding what to search for",
    search: "Search", retrieve: "Search for passages", score_chunks: "Scoring passages", select: "Choosing passages", research_notes: "Notes from the sources", generate: "Writing", extract_citations: "Finding citations",
    check_early: "Checking while it is written", plan_checks: "Planning the checks", check_answer: "Checking the answer", check_answerability: "Whether it answers the question", check_alignment: "Whether it fits the sources",
    check_coverage: "Whether the sources are cited", check_statements: "Checking statements", assess: "Weighing the checks", search_evidence: "Searching for evidence", repair_statements: "Repairs",
    recheck_answerability: "Whether it still answers the question", conclude: "Concluding", fill_object: "Filling the object", publish: "Publishing" },
  ko: { restate_question: "질문 이해", rewrite_question: "다른 표현", plan_graph: "그래프 검색 계획", plan_queries: "검색 계획", decide_search: "검색할 내용 결정",
    search: "검색", retrieve: "구절 검색", score_chunks: "구절 점수", select: "구절 선택", research_notes: "출처 메모", generate: "작성", extract_citations: "인용 찾기",
    check_early: "작성 중 확인", plan_checks: "확인 계획", check_answer: "답변 확인", check_answerability: "질문에 답했는지", check_alignment: "출처와 맞는지",
    check_coverage: "출처를 인용했는지", check_statements: "문장 확인", assess: "확인 결과 평가", search_evidence: "근거 검색", repair_statements: "수정",
    recheck_answerability: "여전히 질문에 답하는지", conclude: "결론", fill_object: "객체 채우기", publish: "게시" },
});

/** One that a newer server has is told by its own name. */
export const stepName = (step) => t(step);
