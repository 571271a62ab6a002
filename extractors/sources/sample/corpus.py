"""The sample corpus as a stream: email ``k`` of seed ``s`` is the same whatever the size of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from extractors.sources.sample.brands import BRANDS, DRIFTED
from extractors.sources.sample.campaigns import CAMPAIGNS
from extractors.sources.sample.dialects import DIALECTS
from extractors.sources.sample.dice import Dice
from extractors.sources.sample.studio import Studio
from extractors.sources.sample.truth import Truth, tell


@dataclass(frozen=True, slots=True)
class SampleOptions:
    emails: int = 240
    seed: int = 7

    def __post_init__(self) -> None:
        if self.emails < 0:
            raise ValueError(f"sample: emails must be 0 or more, got {self.emails}")


@dataclass(frozen=True, slots=True)
class SampleEmail:
    sender: str  # domain
    campaign: str
    dialect: str
    subject: str
    html: str
    truth: Truth


def generate(options: SampleOptions | None = None) -> Iterator[SampleEmail]:
    """The emails of a corpus, one at a time; memory does not grow with their number."""
    options = options or SampleOptions()
    return (sample_email(number, options.seed) for number in range(options.emails))


def sample_email(number: int, seed: int) -> SampleEmail:
    """Email ``number`` of the corpus with this seed.

    The first 240 emails hold each brand's every campaign once; a brand's campaigns start at different kinds,
    so a small corpus is as mixed as a large one. One email in four of a drifting brand is a drifted one.
    """
    round_, place = divmod(number, len(BRANDS))
    brand = BRANDS[place]
    campaign = CAMPAIGNS[(round_ + 7 * place) % len(CAMPAIGNS)]
    dice = Dice(seed, number)
    if dice.chance(0.25):
        brand = DRIFTED[brand.key]
    email = campaign.build(Studio(brand, dice, campaign.name, offer=campaign.offer))
    dialect = DIALECTS[brand.service if campaign.service else brand.marketing]
    html, truth = tell(email, dialect, dialect(email).render())
    return SampleEmail(brand.domain, campaign.name, dialect.name, email.subject, html, truth)
