"""What is hidden, by name. Each protocol hides fragment–style links of one target; the rest may be learned from.

``link``    20 % of the links, uniformly at random: the paper's protocol (section 5.2).
``email``   all links of 20 % of the emails: a new email of known senders.
``sender``  all links of 20 % of the senders: the cold start.

A hidden button still shows in its text style and its colour pair: such an entity names the answer. Each
protocol therefore has a ``-strict`` form, which also hides what gives the hidden style away (see ``GIVEAWAYS``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hnn_core import seeds
from hnn_core.recommend.corpus import Corpus, Indices, Mask, Observed

PROTOCOLS: tuple[str, ...] = ("link", "link-strict", "email", "email-strict", "sender", "sender-strict")

GIVEAWAYS: Mapping[str, tuple[str, ...]] = {
    "background-style": ("color-pair",),
    "text-style": ("color-pair",),
    "color-pair": ("text-style",),
}
"""Entity types that repeat a hidden style's own fields in the same fragment.

For buttons the extractor knows better than a type: ``from_button`` marks entities with no other source."""


@dataclass(frozen=True, eq=False)
class Split:
    """Links held out of what a method may see."""

    protocol: str
    target: str
    training: Observed
    fragments: Indices  # of each held-out link
    styles: Indices  # of each held-out link
    emails: Indices  # whose links are all hidden; empty for ``link``


def hold_out(observed: Observed, target: str, protocol: str, seed: int, share: float = 0.2) -> Split:
    """Hide a share of the visible links of a target, as the protocol says."""
    if not 0 < share < 1:
        raise ValueError(f"share is {share}: expected a number between 0 and 1")
    links, group = _links_and_groups(observed, target, protocol)
    distinct = np.unique(group)
    # At least one group, and never all of them: something must be left to learn from.
    size = max(0, min(max(1, round(share * len(distinct))), len(distinct) - 1))
    order = seeds.generator(seed, "hold-out", unit(protocol), target).permutation(distinct)
    return _hide(observed, target, protocol, links[np.isin(group, order[:size])])


def folds(observed: Observed, target: str, protocol: str, seed: int, count: int) -> list[Split]:
    """Splits that together hold out each visible link once: validation inside the training data."""
    links, group = _links_and_groups(observed, target, protocol)
    distinct = np.unique(group)
    order = seeds.generator(seed, "folds", unit(protocol), target).permutation(distinct)
    parts = [part for part in np.array_split(order, count) if 0 < len(part) < len(distinct)]
    return [_hide(observed, target, protocol, links[np.isin(group, part)]) for part in parts]


def unit(protocol: str) -> str:
    """What a protocol hides whole: ``link``, ``email`` or ``sender``."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"no protocol {protocol!r}: expected one of {', '.join(PROTOCOLS)}")
    return protocol.partition("-")[0]


def giveaways(observed: Observed, target: str, fragments: Indices) -> Mask:
    """The occurrences in these fragments that would name their hidden style, its own link apart."""
    within = np.zeros(observed.corpus.num_fragments, dtype=np.bool_)
    within[fragments] = True
    return giving_away(observed.corpus, target) & within[observed.corpus.fragment]


def giving_away(corpus: Corpus, target: str) -> Mask:
    """All occurrences that would name a style of the target in their fragment, were it hidden; not its own link."""
    if target == "button-style":
        return np.asarray(corpus.from_button & ~corpus.is_target(target)[corpus.entity], dtype=np.bool_)
    tells = np.isin(corpus.entity_types, np.array(GIVEAWAYS.get(target, ()), dtype=object))
    return np.asarray(tells[corpus.entity], dtype=np.bool_)


def _links_and_groups(observed: Observed, target: str, protocol: str) -> tuple[Indices, Indices]:
    """The visible links of a target, and the link, email or sender each is hidden with."""
    corpus, links = observed.corpus, observed.links(target)
    email = corpus.email_of[corpus.fragment[links]]
    return links, {"link": links, "email": email, "sender": corpus.sender_of[email]}[unit(protocol)]


def _hide(observed: Observed, target: str, protocol: str, held_out: Indices) -> Split:
    corpus = observed.corpus
    hidden = np.zeros(len(observed.visible), dtype=np.bool_)
    hidden[held_out] = True
    fragments = corpus.fragment[held_out]
    if protocol.endswith("-strict"):
        hidden |= giveaways(observed, target, fragments)
    return Split(
        protocol=protocol,
        target=target,
        training=observed.without(hidden),
        fragments=fragments,
        styles=corpus.entity[held_out],
        emails=np.empty(0, np.int64) if unit(protocol) == "link" else np.unique(corpus.email_of[fragments]),
    )
