"""The rules of the design system that a machine can check."""

import re

import pytest
from django.conf import settings
from django.template.loader import get_template

CSS = sorted((settings.BASE_DIR / "static" / "css").glob("*.css"))
JS = sorted((settings.BASE_DIR / "static" / "js").glob("*.js"))
ROOT = settings.BASE_DIR / "templates"
TEMPLATES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.html"))
SPRITE = settings.BASE_DIR / "static" / "img" / "icons.svg"
# A policy without 'unsafe-inline' drops these in silence.
INLINE = re.compile(r"""\s(style|on[a-z]+|hx-on[:\w-]*)=|hx-vals=["']js:|<style|<script>""")


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_compiles(name):
    get_template(name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_template_carries_inline_script_or_style(name):
    assert not INLINE.search((ROOT / name).read_text()), name


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_picture_is_in_the_sprite(name):
    known = set(re.findall(r'<symbol id="([\w-]+)"', SPRITE.read_text()))
    used = set(re.findall(r"""{% icon ["']([\w-]+)["'] %}""", (ROOT / name).read_text()))
    assert used <= known


@pytest.mark.parametrize("path", CSS, ids=lambda path: path.name)
def test_raw_colours_are_tokens(path):
    raw = re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(|\boklch\(", path.read_text())
    assert path.name == "tokens.css" or not raw, raw


@pytest.mark.parametrize("path", CSS, ids=lambda path: path.name)
def test_every_token_that_is_used_exists(path):
    defined = set(re.findall(r"(--[\w-]+):", "".join(each.read_text() for each in CSS))) | {"--bar-height"}
    assert set(re.findall(r"var\((--[\w-]+)", path.read_text())) <= defined


@pytest.mark.parametrize("path", JS, ids=lambda path: path.name)
def test_a_behaviour_is_one_small_file(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 150
    assert not re.search(r"^\s*(import|export)\b|\beval\(|\.innerHTML\s*=", text, re.MULTILINE)


def test_every_script_a_template_names_exists():
    for name in TEMPLATES:
        for path in re.findall(r"""{% static ["']([^"']+)["'] %}""", (ROOT / name).read_text()):
            assert (settings.BASE_DIR / "static" / path).exists(), f"{name}: {path}"
