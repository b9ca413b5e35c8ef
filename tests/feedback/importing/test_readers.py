import codecs
import csv
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedback.importing.json_values import CHUNK
from feedback.importing.readers import format_of, read_rows, sniff_format
from feedback.importing.rows import FileUnreadable, Row, RowError, excerpt

STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
ROWS = st.lists(st.dictionaries(STORABLE, STORABLE, min_size=1, max_size=4), max_size=8)


def read(data, format="jsonl"):
    return list(read_rows(io.BytesIO(data if isinstance(data, bytes) else data.encode()), format))


def values(data, format="jsonl"):
    return [dict(row.values) for row in read(data, format)]


def reasons(data, format="jsonl"):
    return [(row.number, row.column, row.reason) for row in read(data, format) if isinstance(row, RowError)]


@given(ROWS, st.booleans())
def test_any_storable_text_survives_jsonl_and_json(rows, ascii_only):
    lines = "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows)
    assert values(lines) == rows
    assert values(json.dumps(rows, ensure_ascii=ascii_only, indent=1), "json") == rows
    assert values(lines, "json") == rows


@given(st.lists(st.tuples(STORABLE, STORABLE), min_size=1, max_size=8), st.sampled_from(["csv", "tsv"]))
def test_any_storable_text_survives_csv_and_tsv(rows, format):
    text = io.StringIO()
    writer = csv.writer(text, delimiter={"csv": ",", "tsv": "\t"}[format], quoting=csv.QUOTE_ALL)
    writer.writerow(["prompt", "other"])
    writer.writerows(rows)
    assert values(text.getvalue(), format) == [{"prompt": a, "other": b} for a, b in rows]


@given(st.binary(max_size=300), st.sampled_from(["jsonl", "json", "csv", "tsv"]))
def test_no_bytes_crash_a_reader(data, format):
    try:
        rows = read(data, format)
    except FileUnreadable:
        return
    for row in rows:
        if isinstance(row, RowError):
            str(row).encode()  # what is reported can always be shown


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings_byte_order_marks_and_line_ends_change_nothing(encoding, newline):
    row = {"prompt": "naïve 🦜 \u2028 שלום \x85", "n": "1"}
    assert values((json.dumps(row, ensure_ascii=False) + newline).encode(encoding)) == [row]
    assert values(json.dumps([row]).encode(encoding), "json") == [row]
    table = f'prompt,n{newline}"{row["prompt"]}",1{newline}'
    assert values(table.encode(encoding), "csv") == [row]


def test_a_separator_that_unicode_calls_a_line_end_is_text():
    assert values('{"prompt": "a\u2028b\u2029c\x85d"}\n{"prompt": "e"}') == [
        {"prompt": "a\u2028b\u2029c\x85d"},
        {"prompt": "e"},
    ]


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        (b'{"prompt": "caf\xe9"}', "prompt", "byte 0xE9 that is not UTF-8 (character 4)"),
        (rb'{"prompt": "a\ud83d"}', "prompt", "lone surrogate, half of a character (character 2)"),
        (rb'{"prompt": "a\u0000b"}', "prompt", "NUL character (character 2)"),
        (rb'{"a": {"b": ["x", "\udc00"]}}', "a.b.1", "lone surrogate"),
        (rb'{"a\u0000": 1}', "a\\u0000", "NUL"),
        (rb'{"a": NaN}', "", "NaN is no finite number"),
        (rb'{"a": 1e999}', "", "1e999 is no finite number"),
        (rb'{"a": 1, "a": 2}', "", "Names “a” twice"),
        (b'{"a": ' + b"[" * 101 + b"]" * 101 + b"}", "a" + ".0" * 39 + ".…", "nested deeper"),
        (b'{"a": ' + b"[" * 100_000, "", "nested too deeply"),
        (b'{"a": 1' + b"0" * 5000 + b"}", "", "Is not JSON we can hold"),
        (rb'["prompt"]', "", "Expected an object"),
        (rb'{"prompt": "a"', "", "Is not JSON"),
    ],
)
def test_a_bad_row_is_refused_with_its_number_column_and_reason(line, column, said):
    found = read(b'{"prompt": "good"}\n\n' + line + b'\n{"prompt": "also good"}\n')
    assert [type(row) for row in found] == [Row, RowError, Row]
    error = found[1]
    assert error.number == 3
    assert error.column == column
    assert said in error.reason


def test_a_broken_element_of_a_list_spoils_only_itself():
    found = read('[{"a": "]}\\"["}, {"a": nope}, {"b": "c"}]', "json")
    assert found[0] == Row(1, {"a": ']}"['})
    assert isinstance(found[1], RowError)
    assert found[2] == Row(3, {"b": "c"})


def test_a_list_that_breaks_off_says_where():
    assert reasons('[{"a": 1}, {"a": "unfinis', "json") == [(2, "", "The file breaks off here; is it complete?")]
    assert reasons('[{"a": 1}', "json") == [(1, "", "The file breaks off here; is it complete?")]


def test_a_list_longer_than_a_chunk_is_split_where_it_should_be():
    rows = [{"text": '\\"' * n, "n": [n, {"deep": "}"}]} for n in range(200)]
    text = json.dumps(rows)
    assert len(text) > CHUNK
    assert values(text, "json") == rows


@pytest.mark.parametrize("text", ["[1] 2", "}", "[{}]]"])
def test_brackets_that_do_not_match_make_the_file_unreadable(text):
    with pytest.raises(FileUnreadable):
        read(text, "json")


def test_csv_rows_are_numbered_as_a_spreadsheet_numbers_them():
    table = 'prompt,answer\n"two\nlines",x\ntoo,many,cells\nfew\n"bro"ken,x\nlast,y\n'
    found = read(table, "csv")
    assert [row.number for row in found] == [2, 3, 4, 5, 6]
    assert [type(row) for row in found] == [Row, RowError, RowError, RowError, Row]
    assert found[1].reason == "Has 3 cells; the header names 2 columns."


def test_csv_is_read_with_the_delimiter_its_header_uses():
    assert values("prompt;answer\n1,5;2\n", "csv") == [{"prompt": "1,5", "answer": "2"}]


@pytest.mark.parametrize("header", ["a,b,a", ",,", ""])
def test_a_header_that_names_no_columns_or_one_twice_is_refused(header):
    with pytest.raises(FileUnreadable, match="column"):
        read(f"{header}\n1,2,3\n", "csv")


def test_a_byte_that_is_not_utf8_in_a_csv_file_is_found_in_its_cell():
    assert reasons(b"prompt,answer\nok,ok\nok,caf\xe9\n", "csv") == [
        (3, "answer", "Holds a lone surrogate, or byte 0xE9 that is not UTF-8 (character 4).")
    ]


@pytest.mark.parametrize("head", [b"PK\x03\x04", b"\x1f\x8b\x08\x00", b"PAR1", codecs.BOM_UTF16_LE + b"a"])
def test_a_file_that_is_no_text_is_refused_as_a_whole(head):
    with pytest.raises(FileUnreadable):
        read(head + b"\x00" * 20 if head[:2] != codecs.BOM_UTF16_LE else head)


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("a.JSONL", b"", "jsonl"),
        ("a.ndjson", b"", "jsonl"),
        ("a.tsv", b"", "tsv"),
        ("upload", b' \n[{"a":1}]', "json"),
        ("upload", codecs.BOM_UTF8 + b'{"a":1}', "jsonl"),
        ("upload", b"prompt,chosen", "csv"),
    ],
)
def test_the_format_comes_from_the_name_or_else_from_the_first_character(name, data, format):
    assert sniff_format(name, io.BytesIO(data)) == format


def test_an_excerpt_shows_what_cannot_be_seen():
    assert excerpt("a\x00\u202eb\ud83d") == "a\\u0000\\u202eb\\ud83d"
    assert len(excerpt("x" * 1000)) == 81


def test_the_stream_stays_open():
    stream = io.BytesIO(b'{"a": 1}')
    assert len(list(read_rows(stream, "jsonl"))) == 1
    assert not stream.closed


def test_a_gzipped_file_is_read_as_what_it_holds():
    packed = gzip.compress(b'{"a": 1}\n{"a": 2}\n')
    assert format_of("pairs.jsonl.gz") == "jsonl"
    assert format_of("pairs.gz") == ""
    assert sniff_format("", io.BytesIO(packed)) == "jsonl"
    assert [row.values for row in read_rows(io.BytesIO(packed), "jsonl")] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("broken", [lambda packed: packed[:-9], lambda packed: packed[:20] + b"\x00" * 9 + packed[29:]])
def test_a_damaged_archive_is_one_clear_error(broken):
    packed = gzip.compress(b"".join(b'{"a": %d}\n' % n for n in range(5000)))
    with pytest.raises(FileUnreadable, match="gzip archive"):
        list(read_rows(io.BytesIO(broken(packed)), "jsonl"))
