"""The sample corpus is the same everywhere, streams at any size, and is as varied as it claims."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
import time
import tracemalloc
from collections import Counter, defaultdict

import pytest

from extractors.sources.sample import SampleEmail, SampleOptions, generate, sample_email
from extractors.sources.sample.brands import BRANDS, DRIFTED
from extractors.sources.sample.campaigns import CAMPAIGNS
from extractors.sources.sample.dialects import DIALECTS
from extractors.sources.sample.voices import voices

# Changing the generator changes this on purpose: results of earlier versions are then no longer comparable.
DIGEST_OF_DEFAULT = "b3eb7150066f5a66fd9951ee26795d186722c97a422e931f0e3bbb2226ae7c82"


@pytest.fixture(scope="module")
def corpus() -> list[SampleEmail]:
    return list(generate(SampleOptions()))


def test_the_default_corpus_is_known_byte_for_byte(corpus: list[SampleEmail]) -> None:
    html = hashlib.sha256("\0".join(email.html for email in corpus).encode()).hexdigest()
    assert html == DIGEST_OF_DEFAULT


def test_another_process_with_another_hash_seed_makes_the_same_bytes() -> None:
    script = (
        "import hashlib; from extractors.sources.sample import generate, SampleOptions; "
        "print(hashlib.sha256(''.join(e.html for e in generate(SampleOptions(20, 3))).encode()).hexdigest())"
    )
    digests = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout)
    assert len(digests) == 1


def test_an_email_does_not_depend_on_the_size_of_the_corpus(corpus: list[SampleEmail]) -> None:
    longer = itertools.islice(generate(SampleOptions(emails=1_000_000)), len(corpus))
    assert list(longer) == corpus
    assert sample_email(123, 7) == corpus[123]


def test_a_million_emails_stream_with_flat_memory() -> None:
    stream = generate(SampleOptions(emails=1_000_000, seed=11))
    for _ in itertools.islice(stream, 260):  # every brand has sent every campaign: what is cached is cached by now
        pass
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in itertools.islice(stream, 120):
        pass
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 500_000


def test_seeds_and_numbers_give_different_emails() -> None:
    emails = [*generate(SampleOptions(260, 7)), *generate(SampleOptions(100, 8))]
    assert len({email.html for email in emails}) == len(emails)
    first = len(BRANDS) * len(CAMPAIGNS)
    assert emails[0].campaign == emails[first].campaign
    assert emails[0].sender == emails[first].sender


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="emails must be 0 or more, got -1"):
        SampleOptions(emails=-1)


def test_every_brand_sends_every_campaign(corpus: list[SampleEmail]) -> None:
    assert len(BRANDS) >= 12
    assert len(CAMPAIGNS) >= 12
    sent = Counter((email.sender, email.campaign) for email in corpus)
    assert len(sent) == len(BRANDS) * len(CAMPAIGNS) == len(corpus)
    assert {brand.key for brand in BRANDS} == set(voices())


def test_every_dialect_is_spoken(corpus: list[SampleEmail]) -> None:
    spoken = Counter(email.dialect for email in corpus)
    assert set(spoken) == set(DIALECTS)
    assert min(spoken.values()) >= 15
    of_brand = defaultdict(set)
    for email in corpus:
        of_brand[email.sender].add(email.dialect)
    assert sum(len(dialects) > 1 for dialects in of_brand.values()) >= 8


@pytest.mark.parametrize(
    ("dialect", "traits"),
    {
        "tables": ("cellpadding=", "bgcolor=", "XHTML 1.0 Transitional"),
        "hybrid": ("display:inline-block", "max-width:", "<!--[if mso]>"),
        "mjml": ("<v:roundrect", "<!--[if mso | IE]>", "mj-column-per-", "@media only screen and (min-width:480px)"),
        "classes": ("<style", 'class="', "@media only screen and (max-width:480px)"),
        "legacy": ("<FONT FACE=", "<CENTER>", "BGCOLOR="),
    }.items(),
)
def test_a_dialect_is_built_as_its_name_says(corpus: list[SampleEmail], dialect: str, traits: tuple[str, ...]) -> None:
    emails = [email.html for email in corpus if email.dialect == dialect]
    for trait in traits:
        assert all(trait in html for html in emails), trait


def test_a_brand_has_two_to_four_button_styles_of_its_own_per_system(corpus: list[SampleEmail]) -> None:
    styles = defaultdict(Counter)
    for email in corpus:
        for button in email.truth.buttons:
            styles[email.sender, email.dialect == "legacy"][button.signature] += 1
    for brand in BRANDS:
        own = len({style[:3] for style in styles[brand.domain, False]})
        drifts = 2 if brand.drift else 1
        assert 2 <= own <= 4 * drifts, brand.key


def test_the_same_section_kind_gets_different_buttons_by_context(corpus: list[SampleEmail]) -> None:
    """Popularity alone cannot answer: the commonest button of a brand is under two thirds of its buttons."""
    for brand in BRANDS:
        count = Counter(b.signature for e in corpus if e.sender == brand.domain for b in e.truth.buttons)
        assert count.most_common(1)[0][1] < 0.7 * count.total(), brand.key


def test_brands_share_conventions_and_some_drift(corpus: list[SampleEmail]) -> None:
    senders = defaultdict(set)
    for email in corpus:
        for background in email.truth.tokens.backgrounds:
            senders[background].add(email.sender)
        for section in email.truth.sections:
            for style in section.text_styles:
                senders[style].add(email.sender)
        for button in email.truth.buttons:
            senders[button.signature].add(email.sender)
    assert len(senders["#ffffff"]) >= 12
    assert len(senders["#f4f4f4"]) >= 4
    assert len(senders["16px", "#333333"]) >= 3
    assert len(senders["transparent", "0px", "#000000", "14px"]) >= 3
    drifting = [brand for brand in BRANDS if brand.drift]
    assert len(drifting) >= 4
    for brand in drifting:
        twin = DRIFTED[brand.key].palette.muted
        assert twin != brand.palette.muted
        seen = {c for e in corpus if e.sender == brand.domain for c in e.truth.tokens.colours}
        assert {twin, brand.palette.muted} <= seen


def test_nothing_in_an_email_needs_the_network_to_keep_its_shape(corpus: list[SampleEmail]) -> None:
    for email in corpus:
        for tag in email.html.split("<img ")[1:] + email.html.split("<IMG ")[1:]:
            attributes = tag.split(">", 1)[0].lower()
            sized = "width=" in attributes and "height=" in attributes
            assert sized or "width:1px" in attributes, attributes[:200]


def test_markup_never_names_the_truth(corpus: list[SampleEmail]) -> None:
    for email in corpus:
        assert not set("\x01\x02\x03") & set(email.html)
        for hint in ("data-", 'id="', "button-style", 'class="hero', 'class="card', 'class="btn'):
            assert hint not in email.html.replace("data:image", ""), hint


@pytest.mark.slow
def test_hundreds_of_emails_a_second() -> None:
    stream = generate(SampleOptions(640))
    list(itertools.islice(stream, 240))  # caches fill once
    start = time.process_time()
    emails = sum(1 for _ in stream)
    assert emails / (time.process_time() - start) >= 300
