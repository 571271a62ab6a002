"""Addresses are shown without their secrets, and recognisably so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.sources import redacted
from extractors.sources.addresses import AddressError, memory_key, parse

SHOWN = [
    ("https://acme.example/mail?id=7&utm_campaign=2024-spring-newsletter-edition-two", None),
    ("https://acme.example/path;v=1/x", "https://acme.example/path;v=***/x"),
    ("https://acme.example:8443/", None),
    ("http://[2606:4700::1111]:80/x", "http://[2606:4700::1111]/x"),
    ("https://acme.example/keyword?keyword=shoes&zipcode=8000&monkey=1", None),
    ("https://user:hunter2@acme.example/x", "https://acme.example/x"),
    ("https://hunter2@acme.example/x#hunter2", "https://acme.example/x"),
    ("https://acme.example/?token=hunter2&page=2", "https://acme.example/?token=***&page=2"),
    ("https://acme.example/?accessToken=hunter2", "https://acme.example/?accessToken=***"),
    ("https://acme.example/?X-Amz-Signature=hunter2&sv=1", "https://acme.example/?X-Amz-Signature=***&sv=1"),
    ("https://acme.example/?api_key=hunter2;sig=hunter2", "https://acme.example/?api_key=***;sig=***"),
    ("https://acme.example/?PASSWORD=hunter2", "https://acme.example/?PASSWORD=***"),
    ("https://acme.example/?u=0123456789abcdef0123456789abcdef", "https://acme.example/?u=***"),
    ("https://acme.example/?u=eyJhbGciOiJIUzI1NiJ9.e30.Zm9vYmFy", "https://acme.example/?u=***"),
    ("https://acme.example/?eyJhbGciOiJIUzI1NiJ9.e30.Zm9vYmFy", "https://acme.example/?***"),
    ("ftp://user:hunter2@acme.example/x", "ftp://acme.example/x"),
    ("user:hunter2@acme.example/x?token=hunter2", "acme.example/x?token=***"),
    ("http://acme.example:hunter2/x", "***"),
    ("newsletters/2024", "newsletters/2024"),
]


@pytest.mark.parametrize(("address", "shown"), SHOWN)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str | None) -> None:
    assert redacted(address) == (shown or address)
    assert redacted(redacted(address)) == redacted(address)


NAMES = st.sampled_from(
    ["token", "key", "sig", "password", "pwd", "secret", "auth", "X-Amz-Credential", "apiKey", "jwt"]
)


@given(NAMES, st.text(alphabet="abcXYZ0189-_.~%20", min_size=1).map(lambda value: f"hunter2{value}"))
def test_no_secret_survives_under_a_secret_name(name: str, secret: str) -> None:
    shown = redacted(f"https://me:{secret}@acme.example/mail?a=1&{name}={secret}&b=2#{secret}")
    assert "hunter2" not in shown
    assert shown.startswith("https://acme.example/mail?a=1&")
    assert shown.endswith("&b=2")


@given(st.text())
def test_any_text_can_be_shown_and_is_parsed_or_refused(text: str) -> None:
    redacted(text)
    try:
        address = parse(text)
    except AddressError:
        return
    assert address.scheme in ("http", "https")
    assert address.host


@pytest.mark.parametrize(
    "text",
    ["", "acme.example", "ftp://acme.example", "http://", "http:///x", "javascript:alert(1)", "http://a:b"],
)
def test_what_cannot_be_fetched_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="not-an-address"):
        parse(text)


def test_memory_tells_addresses_apart_without_knowing_them() -> None:
    first, second = (parse(f"https://acme.example/?token={secret}") for secret in ("hunter2", "hunter3"))
    assert memory_key(first) != memory_key(second)
    assert b"hunter2" not in memory_key(first)
    assert memory_key(parse("https://acme.example/?token=hunter2#part")) == memory_key(first)
