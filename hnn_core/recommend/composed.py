"""The cold start: a button style composed for a brand whose own buttons nobody has seen.

Under ``sender`` the exact style of a new brand is almost never in the catalogue, so ranking the catalogue cannot
serve it. Here each attribute is chosen by itself: the background among the email's own palette, the text colour to
go on it, the size near the email's text, the radius class of its other boxes or as most senders have it. Every choice
is a conditional logit over candidates, learned on training senders as if each were new; like emails are found over
the hypergraph of attribute nodes. The contrast of text and background is kept at 4.5 or more, and the button can be
told from what it lies on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core import seeds
from hnn_core.colour import contrast_ratio
from hnn_core.recommend import colour_choice, radius_choice, size_choice
from hnn_core.recommend.attribute_choice import SenderShares, Votes, VotesOf
from hnn_core.recommend.attribute_nodes import OUTLINE, family
from hnn_core.recommend.chosen_weights import Questions, choose_weights, even_importance, hits, start_of
from hnn_core.recommend.colour_decision import best_pair
from hnn_core.recommend.conditional_logit import log_probabilities
from hnn_core.recommend.corpus import Corpus, Indices, Observed
from hnn_core.recommend.palette import ColourUse, Palette, opaque
from hnn_core.recommend.protocols import giveaways
from hnn_core.recommend.queries import Queries
from hnn_core.recommend.radius_choice import CLASSES, NearestRadii, corner_shares, radius_features
from hnn_core.recommend.readable import readable_on, readable_shade
from hnn_core.recommend.shown import Shown
from hnn_core.recommend.styles import colour_of, pixels_of, radius_class
from hnn_core.recommend.visible import stands_out

Floats = NDArray[np.float64]

TARGET = "button-style"
_LIKELY = 8  # backgrounds considered with each text colour
FEATURES: Mapping[str, tuple[str, ...]] = {
    "background": colour_choice.BACKGROUND_FEATURES,
    "color": colour_choice.INK_FEATURES,
    "size": size_choice.SIZE_FEATURES,
    "radius": radius_choice.RADIUS_FEATURES,
}
START: Mapping[str, Mapping[str, float]] = {
    "background": {
        "common": 0.5, "only in training": -0.5, "outline": 2.0, "box in fragment": 1.0, "most colourful": 1.2,
        "box but no paper in fragment": 3.0, "box but no paper in email": 0.5, "in neighbours": 0.3, "chroma": 0.3,
        "less colourful than": -0.3, "is the paper": -2.0, "contrast with paper": 0.3, "votes of fragments": 0.3,
    },
    "color": {
        "common": 0.5, "only in training": -0.5, "contrast": 1.2, "pair in fragment": 2.0, "pair in email": 1.0,
        "text in email": 0.3, "text in fragment": 0.4, "colourful on outline": 1.5, "white": 0.3,
    },
    "size": {"common within reach": 2.0, "in ink in fragment": 2.5, "text in fragment": 0.5},
    "radius": {"common": 1.0, "corners of email": 1.0},
}  # fmt: skip
"""The weights before anything is learned."""

COMMON: Mapping[str, Mapping[str, float]] = {
    "background": START["background"],  # no colour is common among brands
    "color": START["color"],
    "size": {"common within reach": 2.0},
    "radius": START["radius"],  # a dozen senders have a dozen radii: no fold of them can tell which to trust
}
"""The same for who trusts no context: what most senders have. Sender-wise cross-validation chooses between the two."""


@dataclass(frozen=True)
class ComposedStyle:
    """A button style put together from attributes."""

    background: str  # #rrggbb, or "transparent": an outline
    color: str
    radius: float  # px
    font_size: float  # px
    contrast: float  # of the text with what it stands on

    @property
    def signature(self) -> str:
        """As the extractor would write it."""
        return (
            f"background:{self.background};radius:{self.radius:g}px;color:{self.color};font-size:{self.font_size:g}px"
        )


@dataclass(frozen=True)
class ComposedTraining:
    """How the choices are learned."""

    shrinkages: tuple[float, ...] = (10.0, 100.0, 1000.0)  # of the weights towards their start; the folds choose
    radius_shrinkages: tuple[float, ...] = (100.0, 1000.0)
    folds: int = 5  # of senders, all of one sender's buttons in the same
    questions: int = 800  # training buttons asked about, at most


@dataclass(frozen=True, eq=False)
class Composer:
    """Composes a style for any fragment, of a known email or a new one."""

    votes: Votes
    nearest: NearestRadii
    shares: Mapping[str, SenderShares]
    radii: Mapping[str, float]  # px of each radius class
    weights: Mapping[str, Floats]

    def compose(self, queries: Queries) -> list[ComposedStyle]:
        """One style for each query: the email's own where it shows another button, made readable, else a new one."""
        uses, shown = Palette.of(queries.corpus).uses(queries), Shown.of(queries)
        votes, nearest, corners = self.votes(queries), self.nearest(queries), corner_shares(queries)
        own = [
            None if button is None else _as_composed(queries.corpus, button, use.ground)
            for button, use in zip(_most_used_buttons(queries), uses, strict=True)
        ]
        return [
            style or self._compose(uses[i], shown[i], votes[i], nearest[i], corners[i]) for i, style in enumerate(own)
        ]

    def _compose(self, use: ColourUse, shown: Shown, votes: VotesOf, nearest: Floats, corners: Floats) -> ComposedStyle:
        background, ink = self.colours(use, shown, votes["family"])
        sizes = size_choice.size_candidates(shown, self.shares["size"].common(12))
        common = self.shares["size"].log_share([f"{size:g}px" for size in sizes])
        described = size_choice.size_features(sizes, ink, shown, common, votes["size"])
        size = sizes[int((described @ self.weights["size"]).argmax())] if sizes else 16.0
        common = self.shares["radius"].log_share(CLASSES)
        described = radius_features(CLASSES, common, votes["radius"], nearest, corners)
        radius = self.radii[CLASSES[int((described @ self.weights["radius"]).argmax())]]
        surface = use.ground if background == OUTLINE else background
        return ComposedStyle(
            background="transparent" if background == OUTLINE else background,
            color=ink,
            radius=radius,
            font_size=size,
            contrast=contrast_ratio(ink, surface),
        )

    def colours(self, use: ColourUse, shown: Shown, votes: Mapping[str, Floats]) -> tuple[str, str]:
        """Background and text colour."""
        backgrounds = colour_choice.background_candidates(use, self.shares["background"].common(8))
        common = self.shares["background"].log_share(backgrounds)
        described = colour_choice.background_features(backgrounds, use, common, votes)
        log_p = _log_p(described @ self.weights["background"])
        likely = np.argsort(-log_p, kind="stable")[:_LIKELY]
        inks = colour_choice.ink_candidates(use, self.shares["color"].common(8))
        common = self.shares["color"].log_share(inks)
        together = np.stack(
            [
                log_p[i]
                + _log_p(colour_choice.ink_features(inks, backgrounds[i], use, shown, common) @ self.weights["color"])
                for i in likely
            ]
        )
        return best_pair([backgrounds[i] for i in likely], inks, np.exp(together), use.ground)


def train_composer(training: Observed, strict: bool, options: ComposedTraining, seed: int) -> Composer:
    """Learn each choice on the visible buttons, asking about each sender's as if the sender were new.

    ``strict`` as in the protocols: whether what only buttons show is hidden when a style is asked for.
    """
    corpus, links = training.corpus, training.links(TARGET)
    if len(links) > options.questions:
        links = np.sort(seeds.generator(seed, "composer").permutation(links)[: options.questions])
    fragments, styles = corpus.fragment[links], corpus.entity[links]
    senders = corpus.sender_of[corpus.email_of[fragments]]
    values = {name: [value_of(corpus, style, name) for style in styles] for name in FEATURES}
    values["family"] = [family(None if colour == OUTLINE else colour) for colour in values["background"]]
    shares = {name: SenderShares.of(values[name], senders) for name in FEATURES}
    queries = Queries.of(_without_buttons(training, strict), fragments)
    votes = Votes.of(queries, senders, {name: values[name] for name in ("family", "size", "radius")})
    nearest = NearestRadii.of(training, TARGET)
    asked = _Questions(queries, values, shares, senders, votes(queries, as_if_new=True), nearest(queries, senders))
    importance, fold = even_importance(senders), _sender_folds(senders, options.folds, seed)

    def fit(name: str, questions: _Asked, shrinkages: Sequence[float] = options.shrinkages) -> Floats:
        return questions.fit(name, importance, fold, shrinkages)

    weights = {"background": fit("background", asked.background()), "color": fit("color", asked.color())}
    weights["radius"] = fit("radius", asked.radius(), options.radius_shrinkages)
    composer = Composer(votes, nearest, shares, _radii(corpus, styles), weights)
    # The size goes with the text colour that will have been chosen by then, right or wrong.
    weights["size"] = fit("size", asked.size(composer))
    return composer


@dataclass(eq=False)
class _Asked:
    """The questions about one attribute, candidates below one another."""

    features: list[Floats] = field(default_factory=list)
    right: list[NDArray[np.bool_]] = field(default_factory=list)
    of: list[int] = field(default_factory=list)  # training button

    def add(self, button: int, features: Floats, right: NDArray[np.bool_]) -> None:
        """A question without a right answer among its candidates teaches nothing."""
        if right.any():
            self.features.append(features)
            self.right.append(right)
            self.of.append(button)

    def fit(self, name: str, importance: Floats, fold: Indices, shrinkages: Sequence[float]) -> Floats:
        starts = list(dict.fromkeys(tuple(start_of(FEATURES[name], of[name])) for of in (START, COMMON)))
        if not self.of:
            return np.array(starts[0])
        questions = Questions(
            features=np.concatenate(self.features),
            sizes=np.array([len(right) for right in self.right], dtype=np.int64),
            right=np.concatenate(self.right),
            importance=importance[self.of],
            fold=fold[self.of],
        )
        return choose_weights(questions, [np.array(start) for start in starts], shrinkages, hits)


class _Questions:
    """What is asked about the training buttons, each as if its sender were new."""

    def __init__(
        self,
        queries: Queries,
        values: Mapping[str, list[str]],
        shares: Mapping[str, SenderShares],
        senders: Indices,
        votes: list[VotesOf],
        nearest: Floats,
    ) -> None:
        self._uses, self._shown = Palette.of(queries.corpus).uses(queries), Shown.of(queries)
        self._values, self._shares, self._senders, self._votes = values, shares, senders.tolist(), votes
        self._nearest, self._corners = nearest, corner_shares(queries)

    def background(self) -> _Asked:
        asked, shares = _Asked(), self._shares["background"]
        for i, (use, sender) in enumerate(zip(self._uses, self._senders, strict=True)):
            candidates = colour_choice.background_candidates(use, shares.common(8, sender))
            common = shares.log_share(candidates, sender)
            described = colour_choice.background_features(candidates, use, common, self._votes[i]["family"])
            asked.add(i, described, colour_choice.same_colour(candidates, self._values["background"][i]))
        return asked

    def color(self) -> _Asked:
        asked, shares = _Asked(), self._shares["color"]
        for i, (use, shown, sender) in enumerate(zip(self._uses, self._shown, self._senders, strict=True)):
            candidates = colour_choice.ink_candidates(use, shares.common(8, sender))
            common, background = shares.log_share(candidates, sender), self._values["background"][i]
            described = colour_choice.ink_features(candidates, background, use, shown, common)
            asked.add(i, described, colour_choice.same_colour(candidates, self._values["color"][i]))
        return asked

    def size(self, composer: Composer) -> _Asked:
        asked, shares = _Asked(), self._shares["size"]
        for i, (use, shown, sender) in enumerate(zip(self._uses, self._shown, self._senders, strict=True)):
            sizes = size_choice.size_candidates(shown, shares.common(12, sender))
            common = shares.log_share([f"{size:g}px" for size in sizes], sender)
            _, ink = composer.colours(use, shown, self._votes[i]["family"])
            described = size_choice.size_features(sizes, ink, shown, common, self._votes[i]["size"])
            true_size = float(self._values["size"][i].removesuffix("px"))
            asked.add(i, described, np.abs(np.array(sizes) - true_size) <= size_choice.SAME_SIZE)
        return asked

    def radius(self) -> _Asked:
        asked = _Asked()
        for i, sender in enumerate(self._senders):
            common = self._shares["radius"].log_share(CLASSES, sender)
            described = radius_features(CLASSES, common, self._votes[i]["radius"], self._nearest[i], self._corners[i])
            asked.add(i, described, np.array([name == self._values["radius"][i] for name in CLASSES]))
        return asked


def _sender_folds(senders: Indices, count: int, seed: int) -> Indices:
    """The fold of each button: senders dealt out at random."""
    distinct, sender = np.unique(senders, return_inverse=True)
    dealt = np.arange(len(distinct)) % max(count, 1)
    return np.asarray(seeds.generator(seed, "composer folds").permutation(dealt)[sender], np.int64)


def _most_used_buttons(queries: Queries) -> list[int | None]:
    """The button style that most other fragments of each query's email show, if any does."""
    buttons = np.flatnonzero(queries.corpus.is_target(TARGET))
    shown = sparse.csr_array(queries.email[:, buttons])
    return [
        int(buttons[row.indices[int(row.data.argmax())]]) if row.nnz else None
        for row in (shown[[i]] for i in range(len(queries)))
    ]


def _as_composed(corpus: Corpus, style: int, ground: str) -> ComposedStyle | None:
    """The style on this ground; None where it could not be read there.

    A fill that is lost on the ground is left out: a white button made for a dark section is an outline on a white one.
    """
    background, ink = value_of(corpus, style, "background"), value_of(corpus, style, "color")
    filled = background != OUTLINE and stands_out(background, ground)
    fill = readable_shade(background, ink, ground) if filled else None
    if fill is None and not readable_on(ground, [ink])[0]:
        return None
    return ComposedStyle(
        background=fill or "transparent",
        color=ink,
        radius=pixels_of(corpus.attributes[style], "radius") or 0.0,
        font_size=float(value_of(corpus, style, "size").removesuffix("px")),
        contrast=contrast_ratio(ink, fill or ground),
    )


def _without_buttons(training: Observed, strict: bool) -> Observed:
    """What is visible, as if no email had a button."""
    corpus = training.corpus
    hidden = corpus.is_target(TARGET)[corpus.entity]
    if strict:
        hidden = hidden | giveaways(training, TARGET, np.arange(corpus.num_fragments))
    return training.without(hidden)


def value_of(corpus: Corpus, style: int, name: str) -> str:
    """An attribute's value of a button style; an outline has no background colour."""
    attributes = corpus.attributes[style]
    if name == "radius":
        return radius_class(pixels_of(attributes, "radius"))
    if name == "size":
        return f"{pixels_of(attributes, 'font-size') or 16.0:g}px"
    return opaque(colour_of(attributes, name)) or (OUTLINE if name == "background" else "#000000")


def _radii(corpus: Corpus, styles: Indices) -> dict[str, float]:
    """The radius of each class that most buttons have."""
    usual = {"square": 0.0, "soft": 4.0, "round": 8.0, "pill": 999.0}
    for name in usual:
        of_class = [
            pixels_of(corpus.attributes[s], "radius") or 0.0 for s in styles if value_of(corpus, s, "radius") == name
        ]
        if of_class:
            sizes, counts = np.unique(of_class, return_counts=True)
            usual[name] = float(sizes[counts.argmax()])
    return usual


def _log_p(scores: Floats) -> Floats:
    return log_probabilities(scores, np.zeros(1, dtype=np.int64))
