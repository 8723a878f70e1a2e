"""What the style sheets, attributes and fields of a web page hide and show of its text."""  # issue 42

import pytest

from citewell_documents.parsing import ParseLimits, parse
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=100_000)


@for_all_rows(
    "page",
    [
        "<style>.x{display:none}</style><p>Open</p><p class=x>80</p>",
        "<style>#x{visibility:hidden}</style><p>Open</p><p id=x>80</p>",
        "<style>p.x{font-size:0}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{color:#fff}</style><p>Open</p><p class=x>80</p>",
        "<style>body{background:white}.x{color:rgb(254,254,254)}</style><p>Open</p><p class=x>80</p>",
        "<style>.g{background:#102030}.g b{color:#102030}</style><div class=g style='color:#fff'>Open <b>80</b></div>",
        "<style>.x{position:absolute;left:-9999px}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{font-size:1px}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{text-decoration:line-through}</style><p>Open <span class=x>80</span></p>",
        "<style>.x{display:none!important}.x.y{display:block}</style><p>Open</p><p class='x y'>80</p>",
        "<style>@media screen{.x{display:none}}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{color:transparent}</style><p>Open</p><p class=x>80</p>",
        "<p>Open <input type=hidden value='80'></p>",
        "<p>Open <input type=password value='80'></p>",
        "<style>[data-a='1']{display:none}</style><p>Open</p><p data-a=1>80</p>",
        "<style>div > span.s{visibility:collapse}</style><div>Open <span class=s>80</span></div>",
        "<style>.x{display:/**/none}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{d\\69splay:none}</style><p>Open</p><p class=x>80</p>",
        "<style>.q:hover,.x,.z::before{display:none}</style><p>Open</p><p class=x>80</p>",
        "<style>td.x{color:white}</style><table><tr><th>k</th><td>Open</td><td class=x>80</td></tr></table>",
        "<style>.x{color:hsl(0,0%,100%)}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{font:0/0 a}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{position:absolute;clip:rect(0 0 0 0)}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{text-indent:-9999px}</style><p>Open</p><p class=x>80</p>",
        "<style>#a{background-color:#333;color:#333}</style><p>Open</p><p id=a>80</p>",
        "<p>Open</p><style>em{opacity:0}</style><p>Y <em>80</em></p>",
        "<style>.x{display:block}</style><style>.x{display:none}</style><p>Open</p><p class=x>80</p>",
        "<p>Open</p><p><font color='#FFFFFF'>80</font></p>",
        "<style>.p{font-size:10px}.p .x{font-size:0.05em}</style><div class=p>Open <span class=x>80</span></div>",
        "<style>.x{height:0;overflow:hidden}</style><p>Open</p><div class=x>80</div>",
        "<p>Open</p><p style='opacity:1%'>80</p>",
        "<p>Open</p><p style='transform: rotate(3deg) scale(0)'>80</p>",
        "<p>Open</p><p style='position:absolute;inset:auto auto auto -9999px'>80</p>",
        "<p>Open</p><p style='clip-path:circle(0 at center)'>80</p>",
        "<p>Open</p><p style='-webkit-text-fill-color:transparent'>80</p>",
        "<style>:root{--d:none;--e:var(--d)}.x{display:var(--e)}</style><p>Open</p><p class=x>80</p>",
        "<style>.x{color:var(--missing, #fff)}</style><p>Open</p><p class=x>80</p>",
        "<style>.a{.b &{color:red}& .x,> i{display:none}}</style><div class=a>Open <b class=x>80</b><i>80</i></div>",
        "<style>.a{@supports (color:red){.x{display:none}}}</style><p class=a>Open <b class=x>80</b></p>",
        "<p>Open</p><p style='color:oklch(100% 0 0)'>80</p>",
        "<p>Open</p><p style='background:currentcolor;color:#345'>80</p>",
        "<p>Open</p><p style='position:fixed;left:calc(-100vw - 2 * (5em + 10px))'>80</p>",
        "<p>Open</p><p style='transform:translate3d(0, -9999px, 0)'>80</p>",
        "<p>Open</p><p style='translate:-9999px'>80</p>",
        "<p>Open</p><p style='margin:0 0 0 -9999px'>80</p>",
        "<p>Open</p><div style='zoom:0.01'><p>80</p></div>",
        "<p>Open</p><p style='filter:blur(2px) opacity(0)'>80</p>",
        "<p>Open</p><p style='content-visibility:hidden'>80</p>",
        "<style>td.x{background:#123;color:#fff}td.x{background-color:#fff}</style><table><td>Open<td class=x>80",
        "<style>:root{--i:#000;--I:#fff}.x{color:var(--I)}</style><p>Open</p><p class=x>80</p>",
    ],
)
def test_words_that_a_style_hides_are_left_out(page: str) -> None:
    document = parse(f"<html><body>{page}</body></html>".encode(), "page.html", LIMITS)
    assert "Open" in document.text
    assert "80" not in document.text
    assert "hidden_text" in document.found or "<input" in page


@for_all_rows(
    "page",
    [
        "<style>.g{background:#103}.x{color:#fff}</style><div class=g><p class=x>80</p></div>",
        "<style>body{background-color:#222;color:white}</style><p>80</p>",
        "<style>.x{display:none}.x.on{display:block}</style><p class='x on'>80</p>",
        "<style>@media print{.x{display:none}}</style><p class=x>80</p>",
        "<style media=print>.x{display:none}</style><p class=x>80</p>",
        "<style>ul{font-size:0}li{font-size:16px}</style><ul><li>80</li></ul>",
        "<style>.x{visibility:hidden}.x b{visibility:visible}</style><p>Open</p><p class=x>no <b>80</b></p>",
        "<style>.x::after{display:none}</style><p class=x>80</p>",
        "<style>.x:hover{display:none}</style><p class=x>80</p>",
        "<style>.g{background:linear-gradient(#000,#333);color:#fff}</style><p class=g>80</p>",
        "<style>.g{background:url(a.png) center;color:#fff}</style><p class=g>80</p>",
        "<link rel=stylesheet href=a.css><style>.x{color:#fff}</style><p class=x>80</p>",
        "<style>.h{position:relative}.h b{position:absolute;color:#fff}</style>"
        "<div class=h><img src=a.jpg><b>80</b></div>",
        "<table><tr><th>k</th><td bgcolor=navy><font color=white>80</font></td></tr></table>",
        "<style>.x{display:none}</style><p class=x style='display:block'>80</p>",
        "<p>Open <span aria-hidden=true>80</span></p>",
        "<p>Name <input value='80'></p>",
        "<p>Town <select><option>Other<option selected>80</select></p>",
        "<style>del{text-decoration:none;color:green}</style><p><del>80</del></p>",
        "<style>th{background:#004;color:#fff}</style><table><tr><th>80</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        "<style>@media (prefers-color-scheme: dark){.x{color:#fff}}</style><p class=x>80</p>",
        "<style>@media (max-width:600px){.x{display:none}}</style><p class=x>80</p>",
        "<style>.x{display:none}@media (min-width:768px){.x{display:block}}</style><p class=x>80</p>",
        "<style>.x{display:none}.x{display:flex}</style><p class=x>80</p>",
        "<style>#m{display:block}.x{display:none}</style><p id=m class=x>80</p>",
        "<style>.x{color:#bbb}</style><p class=x>80</p>",
        "<style>.x{font-size:7px}</style><p class=x>80</p>",
        "<style>html{font-size:62.5%}.x{font-size:1.6rem}</style><p class=x>80</p>",
        "<style>.y{display:none}</style><p class=x>80</p>",
        "<style>.x{color:#fff}.x span{background:#000}</style><p>Open</p><p class=x><span>80</span></p>",
        "<style>.x{color:#fff}.x b{color:#000}</style><p>Open</p><p class=x><b>80</b></p>",
        "<style>.x{display:none</style><p>80</p>",
        "<style>@supports not (display:grid){.x{display:none}}</style><p class=x>80</p>",
        "<style>tr.h{background:#333;color:#fff}</style>"
        "<table><tr class=h><td>80</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>",
        "<form>Mail <input type=email value='80'></form>",
        "<form>Note <textarea>80</textarea></form>",
        "<p>Price <b aria-hidden='true'>80 12</b></p>",
        "<style>body{visibility:hidden}</style><p>80</p>",
        "<style>.x{max-height:200px;overflow:hidden}</style><p class=x>80</p>",
        "<style>.x{position:relative;left:-20px}</style><p class=x>80</p>",
        "<style>.x{opacity:.5}</style><p class=x>80</p>",
        "<style>.x{background:linear-gradient(red,blue);background-clip:text;color:#0000}</style><p class=x>80</p>",
        "<style>.x{color:#fff;text-shadow:0 0 3px #000}</style><p class=x>80</p>",
        "<style>.x{background:color-mix(in srgb, navy 80%, black);color:#fff}</style><p class=x>80</p>",
        "<style>.x{background-image:url(a.jpg);color:#fff}</style><p class=x>80</p>",
        "<style>.x{opacity:0;animation:appear 1s forwards}</style><p class=x>80</p>",
        "<p style='transform:scale(0.9);clip-path:circle(0.9em)'>80</p>",
        "<p style='position:absolute;inset:0 0 0 -20px'>80</p>",
        "<p style='transform:scale(0);animation:pop 1s forwards'>80</p>",
        "<style>.x{clip-path:circle(0);animation-name:pop}</style><p class=x>80</p>",
        "<p style='clip-path:inset(60% 0 0 0)'>80</p>",
        "<style>:root{--d:none}.x{display:var(--d)}</style><p class=x style='--d:block'>80</p>",
        "<style>.x{display:var(--d)}.y{--d:none}</style><p class=x>80</p><p class=y>Closed</p>",
        "<style>.x{--a:var(--b);--b:var(--a);display:var(--a)}</style><p class=x>80</p>",
        "<link rel=stylesheet href=a.css><style>.x{display:var(--d, none)}</style><p class=x>80</p>",
        "<style>.b{background:var(--g, #036);color:#fff}</style><p class=b>80</p>",
        "<style>.a{.x{color:red}}.y{& .x{display:none}}</style><div class=a><p class=x>80</p></div>",
        "<div style='width:14000px;transform:translate3d(-9000px,0,0)'><p>80</p></div>",
        "<div style='transform:translateX(-2400px)'><p>80</p></div>",
        "<div style='margin:0 -9999px;padding:0 9999px'>80</div>",
        "<p style='color:oklch(45% 0.1 250);margin-left:calc(50% - 50vw)'>80</p>",
        "<p style='color:#fff;background:oklch(30% 0.1 250)'>80</p>",
        "<style>td,th{background-color:#fff}th{background:#2F5496;color:#fff}</style><table><tr><th>80<tr><td>b</table>",
        "<style>div{background-color:#fff;color:#fff}.a{background:url(x)}</style><div class=a>80</div>",
        "<style>td{max-width:0;overflow:hidden;text-overflow:ellipsis}</style><table><tr><td>80</table>",
        "<div style='width:0;min-width:100%;overflow:hidden'>80</div>",
        "<div style='height:0;padding-bottom:56%;overflow:hidden'>80</div>",
        "<style>@supports (-ms-ime-align:auto){.x{display:none}}</style><p class=x>80</p>",
        "<div style='font-size:0'><p style='font:medium serif'>80</p></div>",
        "<style>:root{--i:#000;--I:#fff}.x{color:var(--i)}</style><p class=x>80</p>",
        "<p style='font-size:calc()'>80</p>",
        f"<p style='width:{'9' * 5_000}px'>80</p>",
    ],
)
def test_words_that_a_style_leaves_in_sight_stay(page: str) -> None:
    assert "80" in parse(f"<html><body>{page}</body></html>".encode(), "page.html", LIMITS).text


@pytest.mark.parametrize(
    "sign",
    [
        "<h2>Fees <a aria-hidden=true href=#fees>¶</a></h2>",
        "<h2>Fees <i aria-hidden=true class=material-icons>euro_symbol</i></h2>",
    ],
)
def test_signs_for_eyes_alone_are_no_words(sign: str) -> None:
    assert parse(f"{sign}<p>The fee is 80 euros.</p>".encode(), "page.html", LIMITS).text.startswith("Fees\n\nThe fee")


def test_a_field_shows_its_value_in_its_place() -> None:
    page = (
        b"<p>Name <input value='Ida Holm'>, pets <input type=checkbox checked></p><select><option>A<option selected>B"
    )
    assert parse(page, "form.html", LIMITS).text == "Name Ida Holm , pets ☑\n\nB"


@pytest.mark.parametrize(
    "sheet",
    [
        ":is(" * 2_000 + "p" + ")" * 2_000 + "{display:none}",
        "@media screen{" * 20_000,
        ".x{display:" + "(" * 20_000,
        "p{" + "& & &{" * 19 + "display:none" + "}" * 20,
        "p{" + "&" * 100_000 + "{display:none}}",
        "p{--a:red;" + "".join(f"--{at}:{f'var(--{at - 1})' * 9};" for at in range(1, 20)) + "color:var(--19)}",
        "p{width:" + "(" * 5_000 + "var(--a)" + ")" * 5_000 + "}",
    ],
)
def test_a_hostile_sheet_hides_nothing_and_ends(sheet: str) -> None:
    page = f"<style>{sheet}</style><p style='color:{'rgb(' * 5_000}'>The fee is 80 euros.</p>"
    assert parse(page.encode(), "page.html", LIMITS).text == "The fee is 80 euros."


def _bomb(last: str) -> str:
    declared = "".join(f"--a{level}:{f'var(--a{level + 1})' * 9};" for level in range(9))
    return f"<style>:root{{{declared}--a9:{last};}}.x{{display:var(--a0)}}</style><p class=x>80</p>"


@for_all_rows("page", [_bomb(" "), _bomb("none"), _bomb("var(--a0)")])
def test_properties_that_refer_to_many_others_are_each_resolved_once(page: str) -> None:
    # Resolved again at each place, they would take hours.
    assert "80" in parse(f"<html><body>{page}</body></html>".encode(), "page.html", LIMITS).text
