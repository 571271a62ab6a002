"""Words of an email: casefolded NFKC, without stop words, numbers and template placeholders."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# What mail-merge languages put where a name will stand: {{ name }}, {% if %}, *|FNAME|*, %%name%%, [% x %], <%= x %>.
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\*\|.*?\|\*|%%.*?%%|\[%.*?%\]|<%.*?%>|\$\{.*?\}", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MAX_LENGTH = 40

_STOP_WORDS_NAMES = """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can cannot could did do does doing don down during each few for from further
    get got had has have having he her here hers him his how i if in into is it its itself just let
    ll me more most my no nor not now of off on once only or other our ours out over own re s same
    shall she should so some such t than that the their theirs them then there these they this those
    through to too under until up us ve very via was we were what when where which while who whom
    why will with would you your yours yourself aren't can't couldn't didn't doesn't don't hadn't
    hasn't haven't he's i'd i'll i'm i've isn't it's let's shouldn't that's there's they're they've
    wasn't we'd we'll we're we've weren't what's who's won't wouldn't you'd you'll you're you've
"""
STOP_WORDS = frozenset(_STOP_WORDS_NAMES.split())


def words(text: str) -> list[str]:
    """The words of ``text`` in order, repeats kept."""
    if "{" in text or "|" in text or "%" in text:
        text = _PLACEHOLDER.sub(" ", text)
    found = map(_canonical, _WORD.findall(text))
    return [word for word in found if word]


@lru_cache(maxsize=65536)
def _canonical(word: str) -> str:
    """The word's node name, or "" if it carries no meaning of its own."""
    folded = unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
    folded = folded if folded in STOP_WORDS else folded.removesuffix("'s")
    return folded if 2 <= len(folded) <= _MAX_LENGTH and folded not in STOP_WORDS else ""
