"""The sixteen kinds of email every brand sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from extractors.sources.sample import notices, promotions
from extractors.sources.sample.blocks import Email
from extractors.sources.sample.studio import Studio


@dataclass(frozen=True, slots=True)
class Campaign:
    """``service`` messages come from another system than promotions, often in an older dialect."""

    name: str
    build: Callable[[Studio], Email]
    service: bool = False
    offer: bool = False


CAMPAIGNS: tuple[Campaign, ...] = (
    Campaign("welcome", promotions.welcome),
    Campaign("receipt", notices.receipt, service=True),
    Campaign("sale", promotions.sale, offer=True),
    Campaign("digest", promotions.digest),
    Campaign("products", promotions.products),
    Campaign("password-reset", notices.password_reset, service=True),
    Campaign("event", promotions.event),
    Campaign("shipping", notices.shipping, service=True),
    Campaign("launch", promotions.launch),
    Campaign("survey", notices.survey),
    Campaign("anniversary", promotions.anniversary),
    Campaign("abandoned-cart", notices.abandoned_cart, service=True),
    Campaign("webinar", promotions.webinar),
    Campaign("referral", promotions.referral, offer=True),
    Campaign("summary", notices.summary, service=True),
    Campaign("win-back", promotions.win_back, offer=True),
)
