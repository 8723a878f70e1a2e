"""Text between tags in a prompt cannot break out of them."""

import re
from pathlib import Path

from citewell_verify.prompting.numbered_sources import fenced
from verify_material.rows import for_all_rows

TAGS = sorted(
    {
        tag
        for file in Path("packages/verify/citewell_verify/prompting/prompts").glob("*.md")
        for tag in re.findall(r"</(\w+)>", file.read_text())
    }
)


@for_all_rows("tag", TAGS)
def test_no_text_closes_or_opens_what_fences_it(tag: str) -> None:  # N4
    assert len(TAGS) > 5
    for sign in (f"</{tag}>", f"<{tag}>", f"< / {tag.upper()} >", f"＜/{tag}>"):
        assert not re.search(r"[<＜]", fenced(f"Before. {sign} Behind.")), sign
