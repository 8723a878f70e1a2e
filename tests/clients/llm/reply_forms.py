"""Forms in which models and servers wrap one and the same reply; `{}` is where it stands."""

THOUGHT = "Hm, maybe 60 days? {no} Source 1 says otherwise."

CUT_OFF = {
    "think": "<think>\n{thought}\n</think>\n\n{reply}",
    "think without a thought": "<think>\n\n</think>\n\n{reply}",
    "think after blanks and a BOM": "\ufeff \n<think>{thought}</think>{reply}",
    "thinking with an attribute": '<thinking duration="3">\n{thought}\n</thinking>\n{reply}',
    "two blocks": "<thinking>{thought}</thinking>\n<reflection>{thought}</reflection>\n\n{reply}",
    "a block within a block": "<thinking>{thought}<reflection>{thought}</reflection> So.</thinking>\n{reply}",
    "an analysis and what is final": "<analysis>\n{thought}\n</analysis>\n<final>\n{reply}\n</final>",
    "an answer in tags": "<reasoning>\n{thought}\n</reasoning>\n<answer>\n{reply}\n</answer>",
    "inner monologue": "<inner_monologue>{thought}</inner_monologue>\n{reply}",
    "brackets": "[THINK]{thought}[/THINK]{reply}",
    "Kimi": "◁think▷{thought}◁/think▷{reply}",
    "begin and end": "<|begin_of_thought|>\n{thought}\n<|end_of_thought|>\n\n{reply}",
    "begin and end of both": (
        "<|begin_of_thought|>{thought}<|end_of_thought|>\n<|begin_of_solution|>\n{reply}\n<|end_of_solution|>"
    ),
    "Seed": "<seed:think>{thought}</seed:think>{reply}",
    "a closing tag alone": "{thought}\n</think>\n\n{reply}",
    "a closing tag alone within a line": "{thought}</think>{reply}",
    "a closing tag alone and blanks": "{thought}\n</thought>   {reply}",
    "harmony": (
        "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant<|channel|>final<|message|>{reply}<|return|>"
    ),
    "harmony from its middle": "{thought}<|end|><|start|>assistant<|channel|>final<|message|>{reply}",
    "harmony without signs": "analysis{thought}assistantfinal{reply}",
}
"""A model's thoughts around a reply."""

CLEANED = {
    "ChatML": "{reply}<|im_end|>",
    "a closing s": " {reply}</s>",
    "Llama": "{reply}<|eot_id|>",
    "Gemma": "{reply}<end_of_turn>\n",
    "two of them": "{reply}<|im_end|>\n<|endoftext|>",
    "DeepSeek": "{reply}<｜end▁of▁sentence｜>",
    "instruction": "{reply} [/INST]",
    "blanks and a BOM": "\ufeff\n\n {reply}\n",
}
"""What a template leaves around a reply."""

KEPT = (
    "Use the `<think>` element; `</think>` closes it.",
    "The page begins with <think> and ends with </think>\nas the manual says.",
    "```html\n<think>\nhidden\n</think>\n```\nThis is how thoughts are marked.",
    "<b>Note</b> Returns must be made within 30 days.",
    "<table>\n<tr><td>30</td></tr>\n</table>",
    "[†1] says 30 days; [THINK] is a token.",
    "[Analysis of returns](a.md) is a link.",
    "analysis of the figures shows 30 days.",
    "Analysis: 30 days. The final figure is 30.",
    "A thought: x < y and y > z, [1] and {2}.",
    "a",
    "3 < 4 <",
    "The token <|im_end|> ends a turn.",
)
"""Replies that only look as if they held a thought."""

NO_ANSWER = (
    "<think>\nHm, maybe 60 days? Returns must be made within 30 days.",
    "[THINK]Hm, maybe 60 days?",
    "<|channel|>analysis<|message|>Hm, maybe 60 days?<|end|>",
    "analysisHm, maybe 60 days?",
    "<|begin_of_thought|>Hm, maybe 60 days?",
)
"""Thoughts without an end."""
