"""What the recommender knows about senders nobody has seen, and when it trusts none of it."""

from __future__ import annotations

import numpy as np
import pytest
from recommend_corpus import made_up_tables

from hnn_core.recommend.alike import AlikeFragments
from hnn_core.recommend.chosen_weights import (
    Judge,
    Questions,
    choose_weights,
    even_importance,
    hits,
    log_likelihood,
)
from hnn_core.recommend.corpus import Corpus, Observed
from hnn_core.recommend.evidence import Evidence, feature_names
from hnn_core.recommend.legibility import Legibility, legibility_names
from hnn_core.recommend.link_hnn import LinkTraining
from hnn_core.recommend.new_email import questions, read_new_email
from hnn_core.recommend.protocols import hold_out
from hnn_core.recommend.queries import Queries
from hnn_core.recommend.rivals import sender_counts

BACKGROUND = "background-style"


@pytest.fixture(scope="module")
def observed() -> Observed:
    return Observed.all_of(Corpus.from_tables(made_up_tables()))


def test_text_is_lost_on_a_background_of_its_own_colour_but_white_on_a_button_is_not_lost(observed: Observed) -> None:
    corpus, catalogue = observed.corpus, observed.catalogue(BACKGROUND)
    fragments = np.arange(corpus.num_fragments)
    measured = dict(
        zip(
            legibility_names(BACKGROUND),
            Legibility(observed, BACKGROUND)(Queries.of(observed, fragments)),
            strict=True,
        )
    )
    lost = measured["fragment: lost on text-style"]
    white = list(corpus.signatures[catalogue]).index("background:#ffffff")
    with_button = np.unique(corpus.fragment[corpus.from_button])
    assert len(with_button)
    assert not lost[with_button, white].all(), "white text of a button does not rule out white paper"
    colours = [signature.removeprefix("background:") for signature in corpus.signatures[catalogue]]
    texts = corpus.is_target("text-style")[corpus.entity] & ~corpus.from_button
    for fragment, entity in zip(corpus.fragment[texts], corpus.entity[texts], strict=True):
        own = [i for i, colour in enumerate(colours) if corpus.signatures[entity].endswith(f";color:{colour}")]
        assert lost[fragment, own].all(), "a heading in the brand's colour cannot be seen on paper of that colour"


def test_a_style_is_counted_once_for_each_sender(observed: Observed) -> None:
    catalogue = observed.catalogue(BACKGROUND)
    counts = dict(zip(observed.corpus.signatures[catalogue], sender_counts(observed, BACKGROUND), strict=True))
    assert counts["background:#ffffff"] == len(observed.corpus.sender_names)
    assert min(counts.values()) == 1


def test_fragments_of_a_new_sender_find_others_alike_without_one_style_in_common(observed: Observed) -> None:
    email = read_new_email(observed.corpus, made_up_tables(senders=1, emails=1, first_sender=90))
    asked = questions(email, BACKGROUND)
    assert not asked.own[:, : observed.corpus.num_entities].toarray().all(axis=1).any()
    votes = AlikeFragments(observed, BACKGROUND)(asked)
    assert votes.shape == (len(asked), len(observed.catalogue(BACKGROUND)))
    assert (votes.sum(axis=1) > 0).all()


def test_evidence_has_a_finite_feature_for_every_name(observed: Observed) -> None:
    split = hold_out(observed, BACKGROUND, "sender-strict", seed=0)
    evidence = Evidence.fit(split.training, BACKGROUND, "sender-strict", LinkTraining(width=8, epochs=2), seed=0)
    features = evidence.features(Queries.of(split.training, np.unique(split.fragments)))
    assert features.shape[2] == len(feature_names(BACKGROUND))
    assert np.isfinite(features).all()


def two_candidates(rng: np.random.Generator, folds: int, clue: str) -> Questions:
    """The first candidate is right 7 times in 10. The clue is either true everywhere or true of one fold only."""
    right, features, fold = [], [], []
    for group in range(folds):
        for _ in range(40):
            first = rng.random() < 0.7
            told = first if clue == "true" or rng.random() < 0.5 else not first
            features += [[1.0, float(told) * 3], [0.0, float(not told) * 3]]
            right += [first, not first]
            fold.append(group)
    sizes = np.full(len(fold), 2, dtype=np.int64)
    return Questions(np.array(features), sizes, np.array(right), np.ones(len(fold)), np.array(fold, dtype=np.int64))


@pytest.mark.parametrize("judge", [hits, log_likelihood])
def test_a_clue_is_trusted_where_left_out_folds_confirm_it_and_the_prior_where_not(judge: Judge) -> None:
    rng, trusting, prior = np.random.default_rng(0), np.array([0.0, 1.0]), np.array([1.0, 0.0])
    confirmed = choose_weights(two_candidates(rng, 4, "true"), [trusting, prior], (1000.0,), judge)
    refuted = choose_weights(two_candidates(rng, 4, "noise"), [trusting, prior], (1000.0,), judge)
    assert confirmed[1] > confirmed[0]
    assert refuted[0] > refuted[1]


def test_the_cautious_stay_at_the_start_unless_the_folds_agree_on_leaving_it() -> None:
    start, tried = np.array([1.0, 0.0]), np.array([0.0, 1.0])

    def judged(of_tried: tuple[float, ...]) -> Judge:
        return lambda questions, weights: of_tried[int(questions.fold[0])] if weights[1] > weights[0] else 0.0

    def leaves(of_tried: tuple[float, ...], cautious: bool) -> bool:
        asked = two_candidates(np.random.default_rng(0), 3, "noise")
        chosen = choose_weights(asked, [start, tried], (1e6,), judged(of_tried), cautious)
        return bool(chosen[1] > chosen[0])

    assert leaves((9.0, -1.0, -1.0), cautious=False)
    assert not leaves((9.0, -1.0, -1.0), cautious=True), "one fold alone is for it"
    assert leaves((3.0, 2.0, 3.0), cautious=True)


def test_a_large_sender_weighs_the_root_of_its_size() -> None:
    importance = even_importance(np.array([0, 0, 0, 0, 1], dtype=np.int64))
    assert importance.mean() == pytest.approx(1)
    assert importance[:4].sum() == pytest.approx(2 * importance[4])
