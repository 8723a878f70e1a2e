"""A reply that only looks like a thought stays as it is; one behind a thought is found."""

from citewell_verify.text.thoughts import LiveReply, reply_text
from verify_material.rows import for_all_rows


@for_all_rows(
    "reply",
    [
        "[Internal] Returns are taken within 30 days[†1].",
        "[Winner] Anna[†1].",
        "[Analysis]\nSales rose[†1].",
        "<reason> holds the reason of a return[†1].",
        "<planId> is the plan[†1].",
        "<output> is the file to write[†1].",
        "<response_time> must be 3 s[†1].",
        "analysis는 데이터 분석을 뜻한다[†1].",
        "The block must be closed with </reason>\nThen restart it[†1].",
        "Close it with </InternalConfig>\n\nThen restart it[†1].",
        "Routes:\n- [/plans]\n- [/orders]",
        "Price: <s>10 €</s>",
        "Write <think> and </think> around it[†1].",
        "The tag <think> opens a thought[†1]. The tag </think> closes it[†1].",
        "The ruling has two parts:\n[Reasoning]\nThe court held 30 days[†1].",
        "- [Thoughts]\n- [Facts]\nAll are required[†1].",
        "The log shows <thinking>\n30 days[†1].",
        "The template begins with `<think>Hm. So.</think>`[†1].",
        "```\n<think>\nHm.\n</think>\n```",
        "<details><summary>Sources</summary>\n- refund.md\n</details>\n30 days[†1].",
        "<details><summary>Reasoning of the board (2024)</summary>It met twice.</details>",
        '<details id="thinking"><summary>Thinking of moving?</summary>Ask the desk.</details>',
        '<details class="note">Only new goods.</details>',
    ],
)
def test_a_reply_that_looks_like_a_thought_stays(reply: str) -> None:  # S1.2
    assert reply_text(reply) == reply


@for_all_rows(
    "name", ["think", "Thinking", "thought", "extended_thinking", "antThinking", "inner_monologue", "scratchpad", "cot"]
)
def test_what_stands_between_tags_of_thoughts_is_cut_off(name: str) -> None:  # S1.2
    assert reply_text(f"<{name}>Maybe 60 days?</{name}>\n30 days[†1].") == "30 days[†1]."


@for_all_rows(
    ("written", "reply"),
    [
        ("30 days[†1]. <think>Or 60 days? No.</think> Keep it[†1].", "30 days[†1]. Keep it[†1]."),
        ("30 days[†1].\n\n[THINK]\n60?\n[/THINK]", "30 days[†1]."),
        ("30 days[†1].\n<thinking>\n60?", "30 days[†1]."),
        ("[1] says 30 days.\n<think>\nOr 60? No.\n</think>\nKeep.", "[1] says 30 days.\n\nKeep."),
        ("30 days[†1].\n<think>60.<think>60!</think> 60.</think> Keep.", "30 days[†1].\n Keep."),
        ("30 days[†1]. <think>60? No.</thinking> Keep.", "30 days[†1]. Keep."),
        ('<details type="reasoning" done="true">\n<summary>Hm</summary>\n> 60?\n</details>\n30 days.', "30 days."),
        ("<details>\n<summary>💭 Thinking…</summary>60?</details>30 days.", "30 days."),
        ("<details open><summary>🧠 Thinking Process</summary>60?</details>30 days.", "30 days."),
        ("<details><summary>Thought for 5 seconds</summary>60?</details>30 days.", "30 days."),
        ("<details class='thoughts'>60<details>60</details>60?</details>\n30 days.", "30 days."),
        ('30 days.\n<details type="reasoning"><summary>Hm</summary>60?</details>\nKeep.', "30 days.\n\nKeep."),
        ("30 days[†1].<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "30 days[†1]."),
        ("30 days[†1].<|im_end|>\n<|im_start|>assistant", "30 days[†1]."),
    ],
)
def test_a_thought_or_sign_within_a_reply_is_never_shown(written: str, reply: str) -> None:  # S1.2
    live = LiveReply()
    drafts = [live.see(written[:end]) or "" for end in range(len(written) + 1)]
    assert reply_text(written) == reply
    assert not any("60" in draft or "<" in draft or "think" in draft.lower() for draft in drafts)


def test_only_a_sure_opening_without_an_end_is_no_reply() -> None:  # S1.2
    assert reply_text("<think>Maybe 60 days?") is None
    assert reply_text("[THINK]Maybe 60 days?") is None
    assert reply_text('<details type="reasoning" done="false">\n<summary>Thinking…</summary>\n> 60') is None
    assert reply_text("<plan>Maybe 60 days?") == "<plan>Maybe 60 days?"
