"""Any bytes become text; a charset is believed only where the bytes bear it out."""

from __future__ import annotations

import logging
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extractors.charset import decode

GREETING = "<p>Grüße, Ärzte! Ça va? Ægir – “ok”</p>"


@pytest.mark.parametrize(
    ("raw", "declared", "text", "charset"),
    [
        pytest.param(GREETING.encode(), "utf-8", GREETING, "utf-8", id="header"),
        pytest.param(GREETING.encode("cp1252"), "iso-8859-1", GREETING, "windows-1252", id="latin-1 is windows-1252"),
        pytest.param(GREETING.encode(), None, GREETING, "utf-8", id="undeclared UTF-8"),
        pytest.param(GREETING.encode("cp1252"), None, GREETING, "windows-1252", id="undeclared Latin"),
        pytest.param(GREETING.encode("cp1252"), "utf-8", GREETING, "windows-1252", id="header lies"),
        pytest.param(GREETING.encode(), "us-ascii", GREETING, "utf-8", id="ASCII promises nothing"),
        pytest.param(GREETING.encode(), "x-no-such-charset", GREETING, "utf-8", id="unknown name"),
        pytest.param(b"\xef\xbb\xbf" + GREETING.encode(), "iso-8859-1", GREETING, "utf-8", id="mark beats header"),
        pytest.param("\ufeff<p>wide</p>".encode("utf-16-le"), None, "<p>wide</p>", "utf-16le", id="UTF-16"),
        pytest.param("\ufeff<p>wide</p>".encode("utf-32-be"), None, "<p>wide</p>", "utf-32be", id="UTF-32"),
        pytest.param(
            "<p>wide open</p>".encode("utf-16-be"), None, "<p>wide open</p>", "utf-16be", id="UTF-16, no mark"
        ),
        pytest.param("<p>日本語</p>".encode("cp932"), "Shift_JIS", "<p>日本語</p>", "shift_jis", id="Shift_JIS"),
        pytest.param("<p>简体</p>".encode("gb18030"), "gb2312", "<p>简体</p>", "gbk", id="gb2312 is its superset"),
    ],
)
def test_the_charset_the_bytes_bear_out_is_used(raw: bytes, declared: str | None, text: str, charset: str) -> None:
    assert decode(raw, declared) == (text, charset)


def test_a_meta_tag_speaks_where_the_header_is_silent() -> None:
    html = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r"><p>Привет</p>'
    assert decode(html.encode("koi8-r"), None) == (html, "koi8-r")


def test_a_meta_tag_that_says_utf_16_and_can_be_read_is_wrong() -> None:
    html = '<meta charset="utf-16"><p>é</p>'
    assert decode(html.encode(), None) == (html, "utf-8")


def test_undeclared_text_is_detected() -> None:
    russian = "<p>Здравствуйте! Сегодня скидки на все товары нашего магазина, спешите.</p>" * 4
    assert decode(russian.encode("cp1251"), None) == (russian, "windows-1251")


def test_a_wrong_utf_16_mark_is_overruled() -> None:
    assert decode(b"\xfe\xff" + "<p>little endian</p>".encode("utf-16-le"), None)[0] == "<p>little endian</p>"
    assert "<html>plain ASCII</html>" in decode(b"\xff\xfe<html>plain ASCII</html>", None)[0]


def test_one_broken_byte_does_not_turn_the_rest_into_mojibake() -> None:
    text, charset = decode(GREETING.encode() + b"\xff", "utf-8")
    assert charset == "utf-8"
    assert text == GREETING + "\ufffd"


def test_nul_characters_never_reach_a_parser() -> None:
    assert decode(b"<p>\x00a\x00\x00b</p>", None)[0] == "<p>ab</p>"
    assert decode(b"\x00" * 5000, None)[0] == ""


@pytest.mark.parametrize(
    "name", ["rot13", "utf-7", "hex", "idna", "punycode", "unicode_escape", "undefined", "", "\x00"]
)
def test_codecs_that_are_no_charsets_are_not_run(name: str) -> None:
    assert decode(b"<p>+ADw-script+AD4- \\x41</p>", name) == ("<p>+ADw-script+AD4- \\x41</p>", "utf-8")


LABELS = st.one_of(st.none(), st.sampled_from(["utf-8", "utf-16", "gbk", "big5", "koi8-r", "iso-2022-jp"]), st.text())
PIECES = st.lists(
    st.one_of(
        st.binary(max_size=40),
        st.sampled_from([b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"<meta charset=shift_jis>", b"\x00", b"<p>"]),
        st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace")),
        st.text(max_size=20).map(lambda text: text.encode("utf-16-le", "replace")),
    )
).map(b"".join)


@given(PIECES, LABELS)
@example(b"\xfe\xff\xd8\x00", None)
def test_decoding_never_fails_and_is_stable(raw: bytes, declared: str | None) -> None:
    text, charset = decode(raw, declared)
    assert "\x00" not in text
    assert decode(raw, charset) == (text, charset)


def test_a_hostile_document_costs_no_more_than_a_large_one(caplog: pytest.LogCaptureFixture) -> None:
    started = perf_counter()
    with caplog.at_level(logging.DEBUG):
        decode(b"<meta " * 800_000 + b"\xff", None)
        decode(bytes(range(256)) * 20_000, "utf-8")
    assert perf_counter() - started < 10
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_real_emails_come_out_without_replacement_characters(shared_data: Path) -> None:
    for path in (shared_data / "emails" / "html").rglob("*.html"):
        text, _ = decode(path.read_bytes(), None)
        assert "\ufffd" not in text, path.name
