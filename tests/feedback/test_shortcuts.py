"""Keys of one's own: what may be a key, conflicts, and that nothing but keys reaches a page."""

import json
import re
from html import unescape

import pytest
from django.conf import settings

from feedback.shortcuts import DECLARED, key_of, own_keys, read_keys

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


@pytest.mark.parametrize(("text", "key"), [("J", "j"), ("é", "é"), ("pageup", "PageUp"), (" + ", "+"), ("ж", "ж")])
def test_a_character_or_a_named_key_is_a_key(text, key):
    assert key_of(text) == key


@pytest.mark.parametrize("text", ["ab", "Tab", "Escape", "?", "", "\x00", "\u200b", "<script>", "Enter x"])
def test_anything_else_is_none(text):
    assert key_of(text) is None


def test_only_what_differs_is_stored():
    assert read_keys({"y": "J", "j": "Y", "n": "", "s": "s"}) == ({"y": "j", "j": "y"}, {})


def test_two_commands_with_one_key_are_refused_on_both():
    _keys, errors = read_keys({"y": "n"})
    assert set(errors) == {"y", "n"}
    assert "“No”" in errors["y"]


def test_what_is_no_key_is_refused_where_it_stands():
    _keys, errors = read_keys({"y": "Tab"})
    assert set(errors) == {"y"}


@pytest.mark.parametrize("stored", [None, [], "x", {"y": "<img>"}, {"</html>": "a"}, {"y": {"a": 1}}, {"y": 5}])
def test_what_else_is_in_the_column_reaches_no_page(stored):
    assert own_keys(stored) == {}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_key_that_a_template_declares_can_be_changed(path):
    declared = re.findall(r'aria-keyshortcuts="([^"{?]+)"', path.read_text())
    keys = {key for keys in declared for key in keys.split() if not key.startswith("Arrow")}
    assert keys <= set(DECLARED)


def own_keys_on(html):
    return unescape(re.search(r'data-own-keys="([^"]*)"', html)[1])


def test_a_person_keeps_keys_and_goes_back(client, bob):
    client.force_login(bob)
    assert client.post("/account/", {"save": "keys", "key.y": "J", "key.j": "w"}).status_code == 302
    bob.refresh_from_db()
    assert bob.shortcut_keys == {"y": "j", "j": "w"}
    assert json.loads(own_keys_on(client.get("/").text)) == {"y": "j", "j": "w"}
    client.post("/account/", {"save": "own-keys-reset"})
    bob.refresh_from_db()
    assert bob.shortcut_keys == {}
    assert own_keys_on(client.get("/").text) == ""


def test_a_refused_key_keeps_what_was_entered_and_what_was_stored(client, bob):
    bob.shortcut_keys = {"y": "j", "j": "w"}
    bob.save()
    client.force_login(bob)
    response = client.post("/account/", {"save": "keys", "key.y": '"><script>', "key.s": "n"})
    assert response.status_code == 422
    assert "&quot;&gt;&lt;script&gt;" in response.text
    assert 'value="n"' in response.text
    assert "<script>" not in response.text
    bob.refresh_from_db()
    assert bob.shortcut_keys == {"y": "j", "j": "w"}


def test_a_map_that_was_forged_stays_in_its_attribute(client, bob):
    bob.shortcut_keys = {"y": '"><img src=x onerror=alert(1)>', "n": '"', "\"'><b>": "x"}
    bob.save()
    client.force_login(bob)
    page = client.get("/").text
    assert "onerror" not in page
    assert json.loads(own_keys_on(page)) == {"n": '"'}
    assert 'data-own-keys="{&quot;n&quot;' in page


def test_saving_the_colours_touches_no_key(client, bob):
    bob.shortcut_keys = {"y": "w"}
    bob.save()
    client.force_login(bob)
    client.post("/account/", {"theme": "dark", "shortcuts": "on"})
    bob.refresh_from_db()
    assert (bob.theme, bob.shortcut_keys) == ("dark", {"y": "w"})
