/** Answers of some other system with their sources, to try the verification with. */
const POLICY = {
  title: "refund-policy.md",
  text:
    "Customers may return a product within 30 days of the purchase date. A receipt is required for every return. " +
    "Products that were opened can be exchanged, not refunded.",
};
const SHIPPING = {
  title: "shipping.md",
  text: "Orders above 50 euros are shipped free of charge. Delivery takes two to four working days.",
};
const EARNINGS = {
  title: "nrvx-10q.md",
  text:
    "Revenue for the quarter was $412.6 million, an increase of 8% over the same quarter of last year. " +
    "Operating expenses rose to $301.2 million because of higher research spending.",
};
const POLICY_KO = {
  title: "환불-정책.md",
  text: "고객은 구매일로부터 30일 이내에 제품을 반품할 수 있습니다. 모든 반품에는 영수증이 필요합니다. 배송비는 환불되지 않습니다.",
};
const REPORT_KO = {
  title: "실적-보고서.md",
  text: "2024년 3분기 매출은 4,126억 원으로 전년 동기보다 8% 증가했습니다. 연구개발비가 늘어 영업비용은 3,012억 원이 되었습니다.",
};

export const EXAMPLES = {
  en: [
    {
      name: "A wrong number",
      question: "How long do customers have to return a product?",
      answer: "Customers have 60 days to return a product [1]. A receipt is required for every return [1].",
      sources: [POLICY],
    },
    {
      name: "A source that is not there",
      question: "What does shipping cost?",
      answer:
        "Orders above 50 euros are shipped free of charge [2]. Delivery takes two to four working days [2]. " +
        "The company was founded in 1998 [3].",
      sources: [POLICY, SHIPPING],
    },
    {
      name: "No citations at all",
      question: "How did the quarter go?",
      answer: "Revenue was $412.6 million, up 8%. Operating expenses fell to $301.2 million.",
      sources: [EARNINGS],
    },
    {
      name: "All is right",
      question: "",
      answer: "A receipt is required for every return [1]. Delivery takes two to four working days [2].",
      sources: [POLICY, SHIPPING],
    },
  ],
  ko: [
    {
      name: "틀린 숫자",
      question: "제품은 며칠 안에 반품할 수 있습니까?",
      answer: "고객은 구매일로부터 60일 이내에 제품을 반품할 수 있습니다 [1]. 모든 반품에는 영수증이 필요합니다 [1].",
      sources: [POLICY_KO],
    },
    {
      name: "없는 출처",
      question: "3분기 실적은 어떻습니까?",
      answer: "2024년 3분기 매출은 4,126억 원입니다 [1]. 회사는 1998년에 설립되었습니다 [2].",
      sources: [REPORT_KO],
    },
    {
      name: "인용 없는 답변",
      question: "3분기 실적은 어떻습니까?",
      answer: "2024년 3분기 매출은 전년 동기보다 18% 증가했습니다. 영업비용은 3,012억 원이 되었습니다.",
      sources: [REPORT_KO],
    },
    {
      name: "모두 맞는 답변",
      question: "",
      answer: "모든 반품에는 영수증이 필요합니다 [1]. 배송비는 환불되지 않습니다 [1].",
      sources: [POLICY_KO],
    },
  ],
};
