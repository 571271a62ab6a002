"""Web addresses: which can be fetched, and how they may be shown.

An address in a source may carry a password or a signed token. It is used to fetch and nothing else: every table, log
line, error and memory sees the redacted form, or a hash.
"""

from __future__ import annotations

import hashlib
import re

import httpx

_SECRET_WORDS = (
    "access|accesskey|apikey|auth|authorization|bearer|code|credential|credentials|hash|hmac|jwt|key|nonce|otp|pass|"
    "passphrase|password|passwd|passwort|pin|pwd|pw|sas|secret|session|sessionid|sid|sig|sign|signature|ticket|token"
)
_SECRET_NAME = re.compile(
    rf"(?:^|[^a-z])(?:{_SECRET_WORDS})(?:$|[^a-z])|token|secret|passw|apikey|signature|credential"
)
_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # of accessToken
# A long value that mixes cases and digits, or is all hexadecimal, is nobody's campaign name.
_SECRET_VALUE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w.~+/=%-]{20,}|[0-9a-fA-F]{32,}")
_PARAMETER = re.compile(r"(?P<separator>[&;]?)(?P<name>[^=&;]*)(?P<equals>=?)(?P<value>[^&;]*)")
_PATH_PARAMETER = re.compile(r";[^/;=]*=[^/;]*")
_HIDDEN = "***"


class AddressError(ValueError):
    """Not something that can be fetched; the message shows no secret."""


def parse(text: str) -> httpx.URL:
    """An absolute http or https address, without its fragment, which is never sent."""
    try:
        address = httpx.URL(text.strip()).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise AddressError("not-an-address: it cannot be parsed") from error
    if address.scheme not in ("http", "https") or not address.host:
        raise AddressError("not-an-address: expected http:// or https:// and a host")
    return address


def redacted(text: str) -> str:
    """The address without credentials, fragment and the values of parameters that look secret."""
    text = text.strip()
    try:
        address = httpx.URL(text)
    except (httpx.InvalidURL, ValueError, TypeError):
        return _HIDDEN
    query = _PARAMETER.sub(_hide, address.query.decode("ascii", "replace"))
    path = _PATH_PARAMETER.sub(lambda match: match.group().partition("=")[0] + f"={_HIDDEN}", address.path)
    if not address.host:  # perhaps user:password@host without its http://
        shown = path.rpartition("@")[2]
        return f"{shown}?{query}" if query else shown
    port = f":{address.port}" if address.port else ""
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{address.scheme}://{host}{port}{path}" + (f"?{query}" if query else "")


def memory_key(address: httpx.URL) -> bytes:
    """What the ledger knows an address by."""
    return hashlib.sha256(str(address).encode()).digest()


def _hide(parameter: re.Match[str]) -> str:
    name = _WORD_BORDER.sub("_", parameter["name"]).lower()
    if parameter["equals"]:
        secret = parameter["value"] and (_SECRET_NAME.search(name) or _SECRET_VALUE.fullmatch(parameter["value"]))
        value = _HIDDEN if secret else parameter["value"]
        return f"{parameter['separator']}{parameter['name']}={value}"
    bare = _HIDDEN if _SECRET_VALUE.fullmatch(parameter["name"]) else parameter["name"]
    return parameter["separator"] + bare
