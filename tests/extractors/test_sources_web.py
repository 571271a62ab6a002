"""The web, against a real server: polite, guarded, incremental, and a row for every address."""

from __future__ import annotations

import asyncio
import errno
import gzip
import ipaddress
import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import httpcore
import pytest
from website import (
    Website,
    answer,
    dripping,
    dripping_headers,
    half_a_body,
    html,
    in_turn,
    nothing,
    redirect,
    status,
    versioned,
    website,
)

from extractors.sources import DocumentRecord, SourceOptions, guard, hosts, open_source
from extractors.sources.addresses import parse
from extractors.sources.guard import GuardedNetwork, PrivateAddressError, is_public
from extractors.store import DocumentStore

LOCAL: dict[str, Any] = {
    "allow_private": True,
    "delay_seconds": 0.0,
    "backoff_seconds": 0.01,
    "response_seconds": 5.0,
}


@pytest.fixture
def site() -> Iterator[Website]:
    with website() as served:
        yield served


def read(spec: Path | str, store: Path, **options: Any) -> list[DocumentRecord]:
    source = open_source(str(spec), SourceOptions(**(LOCAL | options)))
    assert source.kind == "web"
    assert source.fingerprint() is None
    return list(source.read(DocumentStore(store)))


def listed(folder: Path, *addresses: str) -> Path:
    path = folder / "pages.txt"
    path.write_text("# newsletters\n\n" + "\n".join(addresses) + "\n")
    return path


# ---------------------------------------------------------------- what comes back


def test_a_page_is_a_record_of_its_host(site: Website, tmp_path: Path) -> None:
    site.pages["/mail?campaign=7"] = html("<p>Grüße</p>".encode("cp1252"), Content_Type="text/html; charset=ISO-8859-1")
    before = datetime.now(UTC)
    (record,) = read(f"{site.url}/mail?campaign=7", tmp_path)
    assert (record.source, record.sender, record.location) == ("web", "127.0.0.1", f"{site.url}/mail?campaign=7")
    assert (record.status, record.charset, record.bytes) == ("ok", "windows-1252", 12)
    assert record.fetched_at is not None
    assert before <= record.fetched_at <= datetime.now(UTC)
    assert DocumentStore(tmp_path).get(record.sha256) == "<p>Grüße</p>".encode("cp1252")
    visitor = site.requests[-1].headers
    assert visitor["User-Agent"] == "hnn/0.1 (email style research)"
    assert visitor["Accept-Encoding"] == "gzip"


def test_a_list_gives_a_row_for_every_line_in_order(site: Website, tmp_path: Path) -> None:
    site.pages["/b"] = html("<p>b</p>")
    site.pages["/a"] = html("<p>a</p>")
    site.pages["/copy"] = html("<p>a</p>")
    pages = listed(
        tmp_path, f"{site.url}/b", f"{site.url}/copy", f"{site.url}/a", f"{site.url}/b", "nonsense", "ftp://x/y"
    )
    records = read(pages, tmp_path / "store")
    assert [(record.location.removeprefix(site.url), record.status, record.reason) for record in records] == [
        ("ftp://x/y", "rejected", "not-an-address: expected http:// or https:// and a host"),
        ("/a", "ok", ""),
        ("/b", "ok", ""),
        ("/b", "duplicate", f"same content as {site.url}/b"),
        ("/copy", "duplicate", f"same content as {site.url}/a"),
        ("nonsense", "rejected", "not-an-address: expected http:// or https:// and a host"),
    ]
    assert site.asked("/b") == 1


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (status(404), "http-404"),
        (status(410), "http-410"),
        (status(401), "http-401"),
        (status(304), "http-304"),
        (html(b"\x89PNG", Content_Type="image/png"), "not-html: the server sends image/png"),
        (html("just words", Content_Type="text/plain"), "not-html: the server sends text/plain"),
        (html(""), "empty: it holds no text"),
        (html("x" * 3000), "too-large: more than 2,000 bytes"),
        (html(gzip.compress(b"x" * 3000), Content_Encoding="gzip"), "too-large: more than 2,000 bytes"),
        (html(gzip.compress(b"\x00" * 80_000_000), Content_Encoding="gzip"), "too-large: more than 2,000 bytes"),
        (html(b"x", Content_Encoding="br"), "encoding: the server answers in 'br', which was not asked for"),
        (
            html(b"x", Content_Encoding="gzip, gzip"),
            "encoding: the server answers in 'gzip, gzip', which was not asked for",
        ),
        (
            html(gzip.compress(b"x" * 1000)[:-20], Content_Encoding="gzip"),
            "half-body: the compressed answer ends too early",
        ),
        (html(b"not gzip", Content_Encoding="gzip"), "half-body: the compressed answer is broken"),
        (redirect("/page"), "redirects: more than 5"),
        (redirect("gopher://x"), "redirects: to something that is no web address"),
        (status(503), "http-503"),
        (half_a_body, "connection: RemoteProtocolError"),
        (nothing, "connection: RemoteProtocolError"),
        (dripping, "timeout: no complete answer within 0.4 s"),
        (dripping_headers, "timeout: no complete answer within 0.4 s"),
    ],
)
def test_what_cannot_be_used_is_a_row_with_its_reason(site: Website, tmp_path: Path, page: Any, reason: str) -> None:
    site.pages["/page"] = page
    started = monotonic()
    (record,) = read(f"{site.url}/page", tmp_path, max_bytes=2000, tries=2, response_seconds=0.4)
    assert record.status == "rejected"
    assert record.reason.startswith(reason)
    assert (record.sha256, record.fetched_at) == ("", None)
    assert monotonic() - started < 20


def test_html_that_is_called_plain_text_or_compressed_is_html(site: Website, tmp_path: Path) -> None:
    site.pages["/raw"] = html("  <!doctype html><p>raw</p>", Content_Type="text/plain; charset=utf-8")
    site.pages["/zipped"] = html(gzip.compress(b"<p>zipped</p>"), Content_Encoding="gzip")
    records = read(listed(tmp_path, f"{site.url}/raw", f"{site.url}/zipped"), tmp_path / "store")
    assert [record.status for record in records] == ["ok", "ok"]
    assert DocumentStore(tmp_path / "store").get(records[1].sha256) == b"<p>zipped</p>"


def test_a_host_that_does_not_exist_or_listen_is_a_row(tmp_path: Path) -> None:
    with website() as gone:
        address = f"{gone.url}/x"
    pages = listed(tmp_path, address, "http://no-such-host.invalid/x", f"http://{'a' * 70}.example/")
    records = read(pages, tmp_path / "store", tries=2)
    assert [record.status for record in records] == ["rejected"] * 3
    assert {record.reason.partition(":")[0] for record in records} <= {
        "connection",
        "no-such-host",
        "robots",
        "not-an-address",
    }


# ---------------------------------------------------------------- trouble


def test_trouble_that_passes_is_retried(site: Website, tmp_path: Path) -> None:
    good = html("<p>good</p>")
    site.pages["/busy"] = in_turn(status(503), status(500), good)
    site.pages["/half"] = in_turn(half_a_body, html("<p>half</p>"))
    site.pages["/none"] = in_turn(nothing, html("<p>none</p>"))
    records = read(listed(tmp_path, *(site.url + path for path in ("/busy", "/half", "/none"))), tmp_path / "store")
    assert [record.status for record in records] == ["ok"] * 3
    assert (site.asked("/busy"), site.asked("/half"), site.asked("/none")) == (3, 2, 2)


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_honoured(site: Website, tmp_path: Path, form: str) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=3)
    after = "1" if form == "seconds" else format_datetime(soon, usegmt=True)
    site.pages["/page"] = in_turn(status(429, Retry_After=after), html("<p>now</p>"))
    (record,) = read(f"{site.url}/page", tmp_path)
    assert record.status == "ok"
    first, second = [request.time for request in site.requests if request.path == "/page"]
    assert second - first >= 0.9


def test_a_wait_that_is_too_long_is_not_waited(site: Website, tmp_path: Path) -> None:
    site.pages["/page"] = status(429, Retry_After="86400")
    started = monotonic()
    (record,) = read(f"{site.url}/page", tmp_path)
    assert record.reason == "http-429"
    assert site.asked("/page") == 1
    assert monotonic() - started < 10


def test_a_host_that_keeps_failing_is_left_alone(site: Website, tmp_path: Path) -> None:
    for number in range(9):
        site.pages[f"/{number}"] = status(500)
    records = read(listed(tmp_path, *(f"{site.url}/{number}" for number in range(9))), tmp_path / "store", tries=2)
    assert [record.reason.partition(":")[0] for record in records] == ["http-500"] * 5 + ["host-down"] * 4
    assert len(site.requests) == 1 + 5 * 2


# ---------------------------------------------------------------- manners


def test_robots_txt_is_obeyed(site: Website, tmp_path: Path) -> None:
    others = "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /\n\n"
    rules = others + "User-agent: hnn\nUser-agent: more\nDisallow: /private\n"
    site.pages["/robots.txt"] = html(rules, Content_Type="text/plain")
    site.pages["/open"] = html("<p>open</p>")
    site.pages["/private/mail"] = html("<p>secret</p>")
    records = read(listed(tmp_path, f"{site.url}/open", f"{site.url}/private/mail"), tmp_path / "store")
    assert [(record.status, record.reason) for record in records] == [
        ("ok", ""),
        ("rejected", "robots: robots.txt forbids it"),
    ]
    assert site.asked("/private/mail") == 0
    assert site.asked("/robots.txt") == 1


def test_a_redirect_asks_the_robots_of_where_it_leads(site: Website, tmp_path: Path) -> None:
    with website("127.0.0.2") as other:
        other.pages["/robots.txt"] = html("User-agent: *\nDisallow: /", Content_Type="text/plain")
        other.pages["/target"] = html("<p>secret</p>")
        site.pages["/page"] = redirect(f"{other.url}/target")
        (record,) = read(f"{site.url}/page", tmp_path)
        assert record.reason == "robots: robots.txt forbids it"
        assert other.asked("/target") == 0


def test_rules_that_cannot_be_read_forbid_everything(site: Website, tmp_path: Path) -> None:
    site.pages["/robots.txt"] = status(503)
    site.pages["/page"] = html("<p>x</p>")
    (record,) = read(f"{site.url}/page", tmp_path, tries=2)
    assert record.reason == "robots: robots.txt cannot be read (http-503)"
    assert site.asked("/page") == 0
    assert site.asked("/robots.txt") == 2


def test_a_robots_txt_of_many_names_and_rules_costs_no_square() -> None:
    host = hosts.Host(SourceOptions())
    names = "".join(f"User-agent: bot{number}\n" for number in range(10_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(10_000))
    started = monotonic()
    host.obey(names + "User-agent: HNN\n" + rules)
    assert not host.allows(parse("http://x/9999"))
    assert host.allows(parse("http://x/other"))
    assert monotonic() - started < 10


@pytest.mark.parametrize("rules", ["Crawl-delay: 0.3", "Request-rate: 10/3"])
def test_one_request_at_a_time_with_the_pause_that_is_asked_for(site: Website, tmp_path: Path, rules: str) -> None:
    site.pages["/robots.txt"] = html(f"User-agent: *\n{rules}\n", Content_Type="text/plain")
    for number in range(4):
        site.pages[f"/{number}"] = html(f"<p>{number}</p>")
    read(listed(tmp_path, *(f"{site.url}/{number}" for number in range(4))), tmp_path / "store", delay_seconds=0.1)
    times = [request.time for request in site.requests if request.path != "/robots.txt"]
    assert all(later - earlier >= 0.28 for earlier, later in pairwise(times))
    assert site.busiest == 1


def test_hosts_are_visited_at_once_and_rows_stay_in_order(tmp_path: Path) -> None:
    with ExitStack() as stack:
        sites = [stack.enter_context(website(f"127.0.0.{number}")) for number in (2, 3, 4, 5)]
        for site in sites:
            for page in range(3):
                site.pages[f"/{page}"] = html(f"<p>{site.url}{page}</p>")
        addresses = [f"{site.url}/{page}" for page in range(3) for site in sites]
        started = monotonic()
        records = read(listed(tmp_path, *addresses), tmp_path / "store", delay_seconds=0.5)
        took = monotonic() - started
    assert [record.location for record in records] == sorted(addresses)
    assert {record.status for record in records} == {"ok"}
    assert took < 4 * 3 * 0.5


# ---------------------------------------------------------------- only what changed


def test_a_second_run_fetches_only_what_changed(site: Website, tmp_path: Path) -> None:
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    site.pages["/etag"] = versioned("<p>etag</p>", '"v1"')
    site.pages["/date"] = versioned("<p>date</p>", "", date)
    site.pages["/plain"] = html("<p>plain</p>")
    site.pages["/changes"] = in_turn(versioned("<p>old</p>", '"v1"'), versioned("<p>new</p>", '"v2"'))
    pages = listed(tmp_path, *(site.url + path for path in ("/etag", "/date", "/plain", "/changes")))
    first = {record.location: record for record in read(pages, tmp_path / "store")}
    before = len(site.requests)
    second = {record.location: record for record in read(pages, tmp_path / "store")}
    conditions = {request.path: request.headers for request in site.requests[before:]}
    assert conditions["/etag"]["If-None-Match"] == '"v1"'
    assert conditions["/date"]["If-Modified-Since"] == date
    changed = {location.removeprefix(site.url) for location in first if first[location] != second[location]}
    assert changed == {"/changes"}
    new, old = second[f"{site.url}/changes"], first[f"{site.url}/changes"]
    assert new.fetched_at is not None and old.fetched_at is not None
    assert new.fetched_at > old.fetched_at
    assert new.sha256 != old.sha256


def test_a_server_in_trouble_does_not_take_earlier_documents_away(
    site: Website, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    troubles = {"/429": status(429, Retry_After="9999"), "/503": status(503), "/half": half_a_body, "/none": nothing}
    for path in troubles:
        site.pages[path] = html(f"<p>{path}</p>")
    pages = listed(tmp_path, *(site.url + path for path in troubles))
    first = read(pages, tmp_path / "store")
    site.pages |= troubles
    assert read(pages, tmp_path / "store", tries=2) == first
    assert sum("the copy of" in message for message in caplog.messages) == 4
    site.pages |= {path: status(404) for path in troubles}
    assert {record.reason for record in read(pages, tmp_path / "store")} == {"http-404"}


def test_a_lost_memory_is_replaced_by_the_last_table(site: Website, tmp_path: Path) -> None:
    site.pages["/page"] = html("<p>page</p>")
    (first,) = read(f"{site.url}/page", tmp_path)
    (tmp_path / "ledger.sqlite").unlink()
    source = open_source(f"{site.url}/page", SourceOptions(**LOCAL))
    assert list(source.read(DocumentStore(tmp_path), {first.location: first})) == [first]
    (tmp_path / "ledger.sqlite").unlink()
    site.pages["/page"] = status(500)
    assert list(source.read(DocumentStore(tmp_path), {first.location: first})) == [first]
    (tmp_path / "ledger.sqlite").unlink()
    assert [record.status for record in source.read(DocumentStore(tmp_path))] == ["rejected"]


def test_a_full_disk_stops_the_run(site: Website, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: DocumentStore, raw: bytes) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    site.pages["/page"] = html("<p>page</p>")
    monkeypatch.setattr(DocumentStore, "put", full)
    with pytest.raises(OSError, match="No space left"):
        read(f"{site.url}/page", tmp_path)


def test_it_can_be_read_within_a_running_loop(site: Website, tmp_path: Path) -> None:
    site.pages["/page"] = html("<p>page</p>")

    async def notebook() -> list[DocumentRecord]:
        return read(f"{site.url}/page", tmp_path)

    assert [record.status for record in asyncio.run(notebook())] == ["ok"]


def test_progress_counts_pages(site: Website, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    source = open_source(str(listed(tmp_path, f"{site.url}/a", f"{site.url}/b")), SourceOptions(**LOCAL))
    list(source.read(DocumentStore(tmp_path / "store"), progress=lambda *step: seen.append(step)))
    assert seen == [(1, 2), (2, 2)]


# ---------------------------------------------------------------- sitemaps


def sitemap(*locations: str, index: bool = False) -> bytes:
    outer, inner = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    entries = "".join(f"<{inner}><loc> {location} </loc></{inner}>" for location in locations)
    return f'<?xml version="1.0"?><{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{outer}>'.encode()


def test_a_sitemap_gives_its_pages_and_those_of_its_sitemaps(site: Website, tmp_path: Path) -> None:
    xml = "application/xml"
    first, second, itself = (f"{site.url}/{name}" for name in ("one.xml", "two.xml.gz", "sitemap.xml"))
    site.pages["/sitemap.xml"] = versioned(sitemap(first, second, itself, index=True).decode(), '"s1"')
    site.pages["/one.xml"] = html(sitemap(f"{site.url}/a", f"{site.url}/b"), Content_Type=xml)
    site.pages["/two.xml.gz"] = html(
        gzip.compress(sitemap(f"{site.url}/c", f"{site.url}/a")), Content_Type="application/gzip"
    )
    for page in "abc":
        site.pages[f"/{page}"] = versioned(f"<p>{page}</p>", f'"{page}"')
    records = read(f"{site.url}/sitemap.xml", tmp_path)
    assert [(record.location[-2:], record.status) for record in records] == [
        ("/a", "ok"),
        ("/a", "duplicate"),
        ("/b", "ok"),
        ("/c", "ok"),
    ]
    site.pages["/sitemap.xml"] = status(503)
    assert read(f"{site.url}/sitemap.xml", tmp_path, tries=1) == records


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (status(404), "http-404"),
        (status(503), "http-503"),
        (html("<p>not a sitemap</p>"), "not-a-sitemap: no address in it"),
        (html(b"\x1f\x8bbroken"), "not-a-sitemap: its compression is broken"),
        (html(b""), "not-a-sitemap"),
        (html(sitemap("mailto:x@y")), "not-an-address: expected http:// or https:// and a host"),
    ],
)
def test_a_sitemap_that_cannot_be_read_is_a_row(site: Website, tmp_path: Path, page: Any, reason: str) -> None:
    site.pages["/sitemap.xml"] = page
    (record,) = read(f"{site.url}/sitemap.xml", tmp_path, tries=1)
    assert (record.status, record.reason[: len(reason)]) == ("rejected", reason)


def test_a_sitemap_with_entities_reads_no_file_and_explodes_not(site: Website, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    laughs = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 50}">' for n in range(8))
    entries = "".join(f"<url><loc>{site.url}/{path}</loc></url>" for path in ("&file;", "fine"))
    site.pages["/sitemap.xml"] = html(
        f'<!DOCTYPE x [<!ENTITY file SYSTEM "file://{secret}">]><urlset>{entries}</urlset>'
    )
    site.pages["/laughs.xml"] = html(
        f'<!DOCTYPE x [<!ENTITY e0 "boom">{laughs}]><urlset><url><loc>{site.url}/&e8;</loc></url></urlset>'
    )
    started = monotonic()
    records = read(listed(tmp_path, f"{site.url}/sitemap.xml", f"{site.url}/laughs.xml"), tmp_path / "store")
    assert monotonic() - started < 10
    assert f"{site.url}/fine" in [record.location for record in records]
    assert not any("hunter2" in request.path or "boom" in request.path for request in site.requests)


# ---------------------------------------------------------------- the guard


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "192.88.99.1"),
        *(
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001:db8::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
        ),
        *(
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "2001::1",
            "::127.0.0.1",
        ),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])
def test_private_addresses_are_not_fetched_however_they_are_written(site: Website, tmp_path: Path, host: str) -> None:
    port = site.url.rpartition(":")[2]
    (record,) = read(f"http://{host}:{port}/page", tmp_path, allow_private=False)
    assert record.status == "rejected"
    assert record.reason.startswith("private-address: ")
    assert site.requests == []


def test_a_redirect_to_a_private_address_is_not_followed(
    site: Website, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "is_public", lambda address: str(address) == "127.0.0.1")
    with website("127.0.0.2") as inner:
        inner.pages["/admin"] = html("<p>internal</p>")
        site.pages["/page"] = redirect(f"{inner.url}/admin")
        site.pages["/metadata"] = redirect("http://169.254.169.254/latest/")
        pages = listed(tmp_path, f"{site.url}/page", f"{site.url}/metadata")
        records = read(pages, tmp_path / "store", allow_private=False)
        assert inner.requests == []
    assert [record.reason.partition(":")[0] for record in records] == ["private-address"] * 2


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that answers public once and private afterwards gains nothing: it is resolved once a connection."""
    answers = [["10.0.0.1", "93.184.216.34"], ["127.0.0.1"]]
    connected: list[str] = []

    async def resolve(self: object, host: str, port: int, **_: object) -> list[Any]:
        return [(0, 0, 0, "", (address, port)) for address in answers.pop(0)]

    async def connect(self: object, host: str, *_: object) -> Any:
        connected.append(host)
        return httpcore.AsyncMockStream([])

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)

    async def twice() -> None:
        network = GuardedNetwork(allow_private=False)
        await network.connect_tcp("rebinding.example", 80)
        with pytest.raises(PrivateAddressError, match=r"rebinding\.example is not on the public internet"):
            await network.connect_tcp("rebinding.example", 80)

    asyncio.run(twice())
    assert connected == ["93.184.216.34"]


# ---------------------------------------------------------------- secrets


def test_a_secret_in_an_address_is_sent_to_its_server_and_appears_nowhere_else(
    site: Website, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "hunter2-S3cr3tS3cr3tS3cr3t"
    with website("127.0.0.2") as stranger:
        stranger.pages["/landing"] = html("<p>landed</p>")
        site.pages[f"/mail?token={secret}"] = html("<p>mail</p>")
        site.pages[f"/down?api_key={secret}&page=2"] = status(503)
        site.pages["/moved"] = redirect("/elsewhere")
        site.pages["/elsewhere"] = html("<p>elsewhere</p>")
        site.pages["/away"] = redirect(f"{stranger.url}/landing")
        site.pages["/gone"] = redirect(f"/404?password={secret}")
        login = site.url.replace("http://", f"http://{secret}:{secret}@")
        pages = listed(
            tmp_path,
            f"{site.url}/mail?token={secret}",
            f"{site.url}/down?api_key={secret}&page=2",
            f"{login}/moved",
            f"{login}/away",
            f"{login}/gone#{secret}",
            f"http://{secret}:{secret}@/broken",
            f"http://[broken?token={secret}",
        )
        store = tmp_path / "store"
        with caplog.at_level(logging.DEBUG):
            records = read(pages, store, tries=2) + read(pages, store, tries=2)
        assert not any("Authorization" in request.headers for request in stranger.requests)
    pages.unlink()
    sent = {request.path: request.headers.get("Authorization", "") for request in site.requests}
    assert sent["/moved"].startswith("Basic ")
    assert sent["/elsewhere"] == sent["/moved"]
    assert len(records) == 14
    assert f"{site.url}/mail?token=***" in [record.location for record in records]
    assert f"{site.url}/down?api_key=***&page=2" in [record.location for record in records]
    seen = [json.dumps([str(value) for value in vars_of(record)]) for record in records]
    seen += [record.getMessage() for record in caplog.records if not record.name.startswith("asyncio")]
    kept = b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())
    assert all(secret not in text for text in seen)
    assert secret.encode() not in kept


def vars_of(record: DocumentRecord) -> list[object]:
    return [getattr(record, name) for name in DocumentRecord.__slots__]


def test_two_pages_that_differ_in_a_secret_only_are_two_rows(site: Website, tmp_path: Path) -> None:
    site.pages["/mail?token=aaaa"] = lambda handler: answer(handler, b"<p>a</p>")
    site.pages["/mail?token=bbbb"] = lambda handler: answer(handler, b"<p>b</p>")
    pages = listed(tmp_path, f"{site.url}/mail?token=bbbb", f"{site.url}/mail?token=aaaa")
    records = read(pages, tmp_path / "store")
    assert [record.location for record in records] == [f"{site.url}/mail?token=***"] * 2
    assert len({record.sha256 for record in records}) == 2
    assert read(pages, tmp_path / "store") == records
