"""Quirks mode: which doctypes turn it on, by the HTML standard's list."""

from __future__ import annotations

import re

_DOCTYPE = re.compile(
    r'<!DOCTYPE (?P<name>[^\s>]*)(?: (?P<kind>PUBLIC|SYSTEM) "(?P<first>[^"]*)"(?: "(?P<second>[^"]*)")?)?'
)
_SYSTEM = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
_PUBLIC = frozenset(("-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"))
_PREFIXES = (
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer",
    "-//netscape comm. corp.//dtd",
    "-//o'reilly and associates//dtd html",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sun microsystems corp.//dtd hotjava",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html 3.0//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html",
)
_PREFIXES_WITHOUT_SYSTEM = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")


def mode(doctype: str | None) -> bool:
    """Whether a document with this doctype (as lexbor writes it back) is in quirks mode."""
    found = _DOCTYPE.match(doctype or "")
    if found is None or found["name"].lower() != "html":
        return True
    if found["kind"] is None:
        return False
    if found["kind"] == "SYSTEM":
        return found["first"].lower() == _SYSTEM
    public, system = found["first"].lower(), found["second"]
    if public in _PUBLIC or public.startswith(_PREFIXES):
        return True
    if system is None:
        return public.startswith(_PREFIXES_WITHOUT_SYSTEM)
    return system.lower() == _SYSTEM
