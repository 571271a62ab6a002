"""Templates to text: autoescaped, strict about names, without any script or outside address."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from flows.counting import counted, percent
from flows.pages.quality import in_ten
from flows.pages.styles import shortened

#: Frames made with ``srcdoc`` inherit this policy, and emails style themselves inline: hence 'unsafe-inline' for
#: styles. Scripts, requests, forms and plug-ins are out of the question for page and frames alike.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render(template: str, **values: Any) -> str:
    """One page. The style sheet is our own file, the only text that goes in unescaped."""
    return _environment().get_template(template).render(policy=POLICY, css=_sheet(), **values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("flows.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["thousands"] = lambda number: "–" if number is None else f"{number:,}"
    environment.filters["counted"] = counted
    environment.filters["decimals"] = lambda number, places: "–" if number is None else f"{number:,.{places}f}"
    environment.filters["percent"] = lambda share: "–" if share is None else percent(share)
    environment.filters["in_ten"] = in_ten
    environment.filters["short"] = shortened
    return environment


@cache
def _sheet() -> Markup:
    return Markup((Path(__file__).parent / "templates" / "page.css").read_text(encoding="utf-8"))
