"""Markdown becomes clean HTML, once."""

from html.parser import HTMLParser

import pytest

from feedback.rendering import SOURCE_BYTES, keeping, markdown, render_code, render_markdown, source_html

PIXEL = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**b** ~~s~~ `c`", '<p dir="auto"><strong>b</strong> <s>s</s> <code>c</code></p>'),
        ("# One\n\n#### Four", '<h3 dir="auto">One</h3>\n<h6 dir="auto">Four</h6>'),
        ("a\nb", '<p dir="auto">a<br>\nb</p>'),
        ("3. x", '<ol start="3" dir="auto">\n<li>x</li>\n</ol>'),
        ("<b>raw</b>", '<p dir="auto">&lt;b&gt;raw&lt;/b&gt;</p>'),
        ("    indented", '<pre dir="ltr"><code>indented\n</code></pre>'),
    ],
)
def test_markdown_reads_as_it_is_meant(text, html):
    assert render_markdown(text).html.strip() == html


def test_each_outer_block_has_the_direction_of_its_own_text():
    html = render_markdown("שלום\n\n* a\n* ב\n\n> c\n\n```\nd\n```").html
    assert [html.count(f'<{tag} dir="auto"') for tag in ("p", "ul", "blockquote")] == [1, 1, 1]
    assert '<pre dir="ltr">' in html
    assert "<li dir" not in html  # else the list could not see which way its entries read


def test_a_table_scrolls_in_itself_and_can_be_reached():
    html = render_markdown("| a | b |\n|---|---|\n| 1 | 2 |").html
    assert 'class="table-scroll"' in html
    assert 'tabindex="0"' in html
    assert html.index("table-scroll") < html.index("<table>") < html.index("</table></div>")


INJECTIONS = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html,<script>1</script>)",
    "<javascript:alert(1)>",
    "![p](https://evil.example/p.png)",
    "![p](javascript:alert(1))",
    "![p](data:image/svg+xml;base64,PHN2Zz4=)",
    '![" onerror="alert(1)](https://e.example/x.png " onload=alert(1)")',
    "<img src=x onerror=alert(1)>",
    '[x](https://e.example "onclick=alert(1)")',
    "```html\n<script>1</script>\n```",
    '```"><script>1</script>\nx\n```',
    "<svg onload=alert(1)>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<iframe src=https://e.example></iframe>",
    '<p style="position:fixed">x</p>',
    "<style>body{display:none}</style>",
    "<form action=/logout/><button>x</button></form>",
    r"$\href{javascript:alert(1)}{x}$",
    r'$<img src=x onerror="alert(1)">$',
    r"$$\htmlClass{button}{</span><script>1</script>}$$",
    r"\(\includegraphics{https://evil.example/p.png}\)",
    "\\[\n</div><svg onload=alert(1)>\n\\]",
]


ELEMENTS = markdown.TAGS | {"div"}
ATTRIBUTES = {"dir", "href", "title", "target", "rel", "class", "data-math", "tabindex", "role", "aria-label"}


class Seen(HTMLParser):
    """Every element and attribute as a browser would read them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs


@pytest.mark.parametrize("text", INJECTIONS)
def test_nothing_a_model_wrote_runs_or_fetches(text):
    for html in (render_markdown(text).html, render_code(text, "html").html, source_html(text)):
        seen = Seen(html)
        assert seen.tags <= ELEMENTS - {"img"}
        assert {name for name, _value in seen.attributes} <= ATTRIBUTES
        links = [value for name, value in seen.attributes if name == "href"]
        assert all(link.startswith("https://") for link in links)


def test_the_words_of_a_picture_cannot_become_attributes():
    text = f'![" onerror="alert(1)]({PIXEL} "\\" onload=alert(1) x=\\"")'
    seen = Seen(render_markdown(text).html)
    allowed = {"dir", "src", "alt", "title", "loading", "decoding", "referrerpolicy"}
    assert {name for name, _value in seen.attributes} == allowed


def test_a_link_leads_outside_and_tells_nothing():
    html = render_markdown("[in](/logout/) [out](https://e.example/)").html
    assert 'href="/logout/"' not in html
    assert 'href="https://e.example/"' in html
    assert html.count("noopener noreferrer") == 2


def test_a_very_long_text_opens_as_its_source():
    rendered = render_markdown("**x** <b>" + "y" * SOURCE_BYTES)
    assert rendered.is_source
    assert "**x** &lt;b&gt;" in rendered.html
    assert render_code("y" * (SOURCE_BYTES + 1), "json").is_source


def test_a_long_source_comes_in_pieces_that_are_the_text():
    lines = [f"line {n} " + "x" * 90 for n in range(1000)]
    html = source_html("\n".join(lines))
    pieces = (
        html.removeprefix('<div class="source source-long"><div>').removesuffix("</div></div>").split("</div><div>")
    )
    assert len(pieces) > 5
    assert "".join(pieces) == "\n".join(lines)
    assert all(piece.endswith("\n") for piece in pieces[:-1])


@pytest.fixture
def renderings(monkeypatch):
    """The texts that were rendered and not recalled."""
    seen = []
    real = markdown._markdown
    monkeypatch.setattr(markdown, "_markdown", lambda text: seen.append(text) or real(text))
    return seen


def test_a_text_is_rendered_once(renderings):
    assert render_markdown("only *once*").html == render_markdown("only *once*").html
    assert renderings == ["only *once*"]


def test_a_new_version_of_the_renderer_renders_again(renderings, monkeypatch):
    render_markdown("*again*")
    monkeypatch.setattr(markdown, "VERSION", markdown.VERSION + 1)
    render_markdown("*again*")
    assert len(renderings) == 2


def test_what_was_cut_short_on_the_disk_is_rendered_again(renderings, settings):
    html = render_markdown("*whole*").html
    (path,) = settings.RENDERED_ROOT.glob("*/*.html")
    path.write_text(path.read_text()[:9])
    assert render_markdown("*whole*").html == html
    assert len(renderings) == 2


def test_a_disk_that_cannot_be_written_only_costs_time(renderings, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.RENDERED_ROOT = tmp_path / "file" / "rendered"
    assert render_markdown("*x*").html == render_markdown("*x*").html
    assert len(renderings) == 2


def test_what_is_kept_stays_bounded(settings):
    for n in range(20):
        keeping.keep(f"{n:02d}aa", "x" * 1000)
    keeping.remove_oldest(10_000)
    left = sum(path.stat().st_size for path in settings.RENDERED_ROOT.glob("*/*"))
    assert 5_000 < left <= 7_500
    assert keeping.recall("19aa") == "x" * 1000


def test_half_a_character_is_no_error():
    assert "ok" in render_markdown("ok \ud83d").html


class TestImages:
    def test_a_picture_within_the_text_is_shown_with_its_words(self):
        html = render_markdown(f"![A red dot]({PIXEL})").html
        assert f'src="{PIXEL}"' in html
        assert 'alt="A red dot"' in html

    def test_a_big_picture_does_not_make_a_text_long(self, renderings):
        picture = "data:image/jpeg;base64," + "A" * 4 * SOURCE_BYTES
        rendered = render_markdown(f"Before **it**\n\n![big]({picture})\n\nafter")
        assert not rendered.is_source
        assert f'src="{picture}"' in rendered.html
        assert "<strong>it</strong>" in rendered.html

    def test_a_picture_from_elsewhere_is_a_link_that_says_so(self):
        html = render_markdown("![A *cat*](https://cats.example/1.png)").html
        assert "<img" not in html
        assert '<a class="image-away" href="https://cats.example/1.png"' in html
        assert "Image: A cat <span>(cats.example)</span>" in html

    def test_a_picture_of_an_allowed_host_is_loaded_without_saying_who_asks(self, settings):
        settings.IMAGE_HOSTS = ["cats.example"]
        html = render_markdown("![A cat](https://cats.example/1.png) ![b](http://cats.example/2.png)").html
        assert html.count("<img") == 1
        assert 'referrerpolicy="no-referrer"' in html
        assert "https://cats.example.evil.example/" not in html
        assert "<img" not in render_markdown("![c](https://cats.example@evil.example/1.png)").html

    def test_a_picture_within_a_link_is_words_of_that_link(self):
        html = render_markdown("[![logo](https://a.example/l.png)](https://b.example)").html
        assert html.count("<a ") == 1
        assert "[Image: logo]" in html


class TestCode:
    def test_the_language_of_the_fence_is_marked_by_classes(self):
        html = render_markdown("```python\ndef f(x):\n    return 'a'  # b\n```").html
        for marked in ('tok-keyword">def', 'tok-name">f', "tok-string", "tok-comment"):
            assert marked in html

    @pytest.mark.parametrize("fence", ["", "klingon", "text"])
    def test_no_language_is_guessed(self, fence):
        assert "tok-" not in render_markdown(f"```{fence}\ndef f(x): return 'a'\n```").html

    def test_marking_changes_no_character(self):
        code = "\n\n  if (a < b && c > 'd') { /* é */ }\n\n"
        assert render_code(code, "javascript").html.count("&lt;") == 1
        plain = render_code(code, "").html
        marked = render_code(code, "javascript").html
        for name in ("keyword", "string", "comment", "number", "name", "builtin"):
            marked = marked.replace(f'<span class="tok-{name}">', "")
        assert marked.replace("</span>", "") == plain

    def test_very_long_code_is_plain(self):
        assert "tok-" not in render_code("x = 1\n" * 5000, "python").html


class TestMaths:
    @pytest.mark.parametrize(
        ("text", "source", "display"),
        [
            ("so $a_1 + b_2$.", "$a_1 + b_2$", "inline"),
            (r"so \(x\) is", r"\(x\)", "inline"),
            ("$$\n\\frac{a}{b}\n$$", "$$\n\\frac{a}{b}\n$$", "block"),
            ("\\[ a \\\\ - b \\]", "\\[ a \\\\ - b \\]", "block"),
            ("thus:\n\\[\n- x = *y* * z\n\\]\nend", "\\[\n- x = *y* * z\n\\]", "block"),
            ("where $$x$$ holds", "$$x$$", "block"),
            ("it is $5$", "$5$", "inline"),
            ("$x$-axis", "$x$", "inline"),
            ("1. one\n   $$\n   x\n   $$", "$$\nx\n$$", "block"),
            ("> $$\n> x\n> $$", "$$\nx\n$$", "block"),
        ],
    )
    def test_latex_reaches_the_browser_as_it_was_written(self, text, source, display):
        html = render_markdown(text).html
        escaped = source.replace("<", "&lt;")
        assert f'data-math="{display}"' in html
        assert f">{escaped}</" in html

    @pytest.mark.parametrize(
        "text",
        [
            "$5 and $6",
            "between $5 and $10, or 5$",
            "$5, $6 or $7.",
            "$5-$10",
            "from $5 (or 5$)",
            "US$5 and A$ 6",
            "$HOME/$PATH",
            "echo $HOME and $PATH",
            r"\$x\$",
            "`$x$` and ``\\(y\\)``",
            "```\n$$x$$\n\\[ y_1 \\]\n```",
            "    $$x$$",
            "$a `b$` c",
            "$ x $",
            r"\[1\] and \[citation needed\]",
            r"file\(s\)",
            "$$",
            "$$\n\n$$",
            "$$ open\n\nnot closed",
            "\\\\(x\\\\)",
        ],
    )
    def test_money_code_and_brackets_are_no_maths(self, text):
        assert "data-math" not in render_markdown(text).html

    def test_a_text_full_of_openings_is_read_in_reasonable_time(self):
        for opening in ("$a ", "\\(a ", "$$a ", "$$ a\n", "\\[ a\n"):
            assert render_markdown(opening * (30_000 // len(opening))).html
