"""Style recommendation: held-out links never reach training, figures are finite, a saved recommender answers alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from recommend_corpus import made_up_tables
from scipy import sparse

from hnn_core.recommend import storage
from hnn_core.recommend.cold_start import cold_start_rows
from hnn_core.recommend.composed import ComposedTraining, train_composer
from hnn_core.recommend.corpus import Corpus, EmailTables, Observed
from hnn_core.recommend.counterparts import Counterparts, never_hidden
from hnn_core.recommend.evaluation import metric_rows, twin_rows
from hnn_core.recommend.link_hnn import LinkTraining
from hnn_core.recommend.methods import RECOMMENDER, Methods, score_methods
from hnn_core.recommend.new_email import read_new_email
from hnn_core.recommend.protocols import PROTOCOLS, Split, hold_out
from hnn_core.recommend.queries import NonFiniteScoresError, Queries, finite
from hnn_core.recommend.ranker import RankerTraining, train_ranker
from hnn_core.recommend.ranking import held_out_ranks
from hnn_core.recommend.recommender import RecommenderTraining
from hnn_core.recommend.styles import radius_class
from hnn_core.tasks.style_recommendation import Evaluation, StyleRecommendation, evaluate, fit

QUICK = RankerTraining(folds=2, link_hnn=LinkTraining(width=16, epochs=4))


@pytest.fixture(scope="module")
def observed() -> Observed:
    return Observed.all_of(Corpus.from_tables(made_up_tables()))


@pytest.mark.parametrize("target", ["button-style", "background-style"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_held_out_link_is_visible_in_training(observed: Observed, protocol: str, target: str) -> None:
    split = hold_out(observed, target, protocol, seed=3)
    assert len(split.fragments) > 0
    assert split.training.incidence[split.fragments, split.styles].sum() == 0
    hidden = set(split.emails.tolist())
    of_target = split.training.corpus.entity[split.training.links(target)]
    emails = split.training.corpus.email_of[split.training.corpus.fragment[split.training.links(target)]]
    assert len(of_target)
    assert not hidden & set(emails.tolist())


@pytest.mark.parametrize("protocol", ["link", "link-strict", "email", "email-strict", "sender"])
def test_other_held_out_styles_leave_the_trained_recommender_the_same(observed: Observed, protocol: str) -> None:
    """The proof: exchange what is hidden, and everything that was learned is byte for byte the same."""
    split = hold_out(observed, "button-style", protocol, seed=1)
    exchanged = hold_out(exchange_hidden(observed, split), "button-style", protocol, seed=1)
    assert not np.array_equal(np.sort(exchanged.styles), np.sort(split.styles))
    queries = np.unique(split.fragments)
    np.testing.assert_array_equal(queries, np.unique(exchanged.fragments))
    scores = [
        train_ranker(each.training, "button-style", protocol, QUICK, seed=1)(Queries.of(each.training, queries))
        for each in (split, exchanged)
    ]
    assert scores[0].tobytes() == scores[1].tobytes()


@pytest.mark.parametrize("target", ["button-style", "background-style", "text-style", "color-pair"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_counterparts_are_compared_by_is_hidden_by_no_protocol(
    observed: Observed, protocol: str, target: str
) -> None:
    split = hold_out(observed, target, protocol, seed=3)
    compared = never_hidden(observed.corpus, target)
    assert compared.nnz > 0
    assert (compared - compared.multiply(split.training.incidence)).nnz == 0


def test_what_a_button_says_is_no_evidence() -> None:
    """Its label is hidden with it: two corpora that differ in labels alone have the same words."""
    plain = made_up_tables()
    labelled, relabelled = (Corpus.from_tables(with_labels(plain, label)) for label in ("Save", "Go on"))
    assert labelled.words.sum() == Corpus.from_tables(plain).words.sum() > 0
    assert (labelled.words - relabelled.words).nnz == 0


def test_a_new_email_speaks_in_the_words_of_the_corpus(observed: Observed) -> None:
    """Those it has in common; a word nobody knows leads nowhere."""
    known, new = made_up_tables(), made_up_tables(senders=1, emails=1)
    of_first = np.flatnonzero(np.isin(observed.corpus.fragment_ids, new.fragments["fragment_id"].to_numpy()))
    assert (read_new_email(observed.corpus, known).corpus.words - observed.corpus.words).nnz == 0
    assert (read_new_email(observed.corpus, new).corpus.words - observed.corpus.words[of_first]).nnz == 0
    assert read_new_email(Corpus.from_tables(new), known).corpus.words.shape[1] == len(Corpus.from_tables(new).word_ids)


def with_labels(tables: EmailTables, label: str) -> EmailTables:
    """The same emails, each button labelled with a word."""
    entity = {"entity_id": "word:label", "type": "word", "signature": label, "attributes": ""}
    occurrences = tables.occurrences.to_pylist()
    said = [row | {"entity_id": "word:label"} for row in occurrences if row["entity_id"].startswith("button-style:")]
    return replace(
        tables,
        entities=pa.Table.from_pylist([*tables.entities.to_pylist(), entity]),
        occurrences=pa.Table.from_pylist([*occurrences, *said]),
    )


def test_a_fragment_that_says_the_same_has_a_vote(observed: Observed) -> None:
    """Where the fragment asked about says what another says, that one's button gains."""
    catalogue = observed.catalogue("button-style")
    styles = np.flatnonzero(np.diff(observed.incidence[:, catalogue].indptr))
    asked, holder = styles[0], styles[-1]
    words = observed.corpus.words.tolil()
    words[asked], words[holder] = 0, 0
    words[asked, :3] = words[holder, :3] = 1
    telling = replace(observed.corpus, words=sparse.csr_array(words))
    style = observed.incidence[[holder]][:, catalogue].indices[0]
    votes = [
        Counterparts(each, "button-style")(Queries.of(each, np.array([asked])))[0, style]
        for each in (observed, Observed.all_of(telling))
    ]
    assert votes[1] > votes[0]


@pytest.mark.parametrize("protocol", ["sender", "sender-strict"])
def test_other_held_out_styles_leave_composed_ones_the_same(observed: Observed, protocol: str) -> None:
    split = hold_out(observed, "button-style", protocol, seed=1)
    exchanged = hold_out(exchange_hidden(observed, split), "button-style", protocol, seed=1)
    fragments = np.unique(split.fragments)
    composed = [
        train_composer(each.training, protocol == "sender-strict", ComposedTraining(), seed=1).compose(
            Queries.of(each.training, fragments)
        )
        for each in (split, exchanged)
    ]
    assert composed[0] == composed[1]


def test_a_button_for_an_unknown_sender_has_the_corner_of_its_boxes(observed: Observed) -> None:
    tables = made_up_tables(senders=6, emails=1, first_sender=90)
    email = read_new_email(observed.corpus, tables)
    composer = train_composer(observed, strict=True, options=ComposedTraining(), seed=0)
    no_buttons = email.without(email.corpus.is_target("button-style")[email.corpus.entity])
    asked = Queries.of(no_buttons, np.arange(email.corpus.num_fragments))
    found = {
        (radius_class(style.radius), radius_class(max(corners)))
        for style, corners in zip(composer.compose(asked), email.corpus.corners_of, strict=True)
        if corners
    }
    assert len(found) > 1
    assert all(composed == of_boxes for composed, of_boxes in found)


def exchange_hidden(observed: Observed, split: Split) -> Observed:
    """The same corpus, but each hidden link leads to another style of the catalogue."""
    corpus = observed.corpus
    catalogue = split.training.catalogue(split.target)
    hidden = {(f, s) for f, s in zip(split.fragments.tolist(), split.styles.tolist(), strict=True)}
    entity = corpus.entity.copy()
    for place, pair in enumerate(zip(corpus.fragment.tolist(), corpus.entity.tolist(), strict=True)):
        if pair in hidden:
            entity[place] = next(int(s) for s in catalogue if int(s) != pair[1])
    return Observed.all_of(replace(corpus, entity=entity))


def test_every_method_is_measured_and_the_recommender_beats_chance(observed: Observed) -> None:
    split = hold_out(observed, "button-style", "link", seed=0)
    scored = score_methods(split, Methods(ranker=QUICK, objectives=()), seed=0)
    rows = list(metric_rows(split, scored.scores, seed=0))
    hits = {row["method"]: row["value"] for row in rows if row["metric"] == "hr_at_1"}
    assert {RECOMMENDER, "random", "popularity", "knn-context", "co-occurrence"} <= set(hits)
    assert hits[RECOMMENDER] > max(hits["random"], hits["popularity"])
    assert all(
        0 <= row["value"] <= 1 and row["value"] <= row["ceiling"] + 1e-9 for row in rows if "hr_" in row["metric"][:3]
    )
    assert list(twin_rows(split, scored.scores, seed=0))


def test_composed_styles_are_measured_for_unknown_senders(observed: Observed) -> None:
    rows = list(cold_start_rows(hold_out(observed, "button-style", "sender", seed=0), ComposedTraining(), seed=0))
    assert rows
    assert all(np.isfinite(row["value"]) for row in rows)


def test_ties_get_their_mean_rank_and_unknown_styles_none(observed: Observed) -> None:
    split = hold_out(observed, "button-style", "sender", seed=0)
    fragments = np.unique(split.fragments)
    catalogue = split.training.catalogue("button-style")
    ranks = held_out_ranks(split, np.zeros((len(fragments), len(catalogue))), fragments)
    known = np.isin(split.styles, catalogue)
    assert np.isinf(ranks[~known]).all()
    assert (ranks[known] > 1).all()


def test_scores_that_are_not_numbers_fail_the_run() -> None:
    with pytest.raises(NonFiniteScoresError, match="'diverged' are not finite"):
        finite(np.array([[0.0, np.nan]]), "diverged")


def test_a_saved_recommender_answers_alike_for_an_unseen_email(tmp_path: Path) -> None:
    training = RecommenderTraining(targets=("button-style",), ranker=QUICK)
    fitted = fit(made_up_tables(senders=4, emails=4), training)
    unseen = made_up_tables(senders=1, emails=1, seed=5)
    answers = fitted.recommend(unseen, "button-style", 3)
    assert len(answers) == 6
    assert all(answer.styles[0].score >= answer.styles[-1].score for answer in answers)
    assert all(answer.composed is None or answer.composed.contrast >= 4.5 for answer in answers)
    storage.save(fitted, tmp_path / "saved")
    assert storage.load(tmp_path / "saved").recommend(unseen, "button-style", 3) == answers
    storage.save(fit(made_up_tables(senders=4, emails=4), training), tmp_path / "again")
    for file in (tmp_path / "saved").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), "the same emails, the same bytes"


def test_a_recommender_of_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no trained recommender here"):
        storage.load(tmp_path)
    (tmp_path / "recommender.json").write_text('{"version": 0}', "utf-8")
    with pytest.raises(ValueError, match="has version 0, expected 6: train it again"):
        storage.load(tmp_path)


def test_too_little_to_hold_out_gives_no_figures(observed: Observed) -> None:
    one_link = np.ones(len(observed.visible), dtype=np.bool_)
    one_link[observed.links("button-style")[0]] = False
    only = observed.without(one_link & observed.corpus.is_target("button-style")[observed.corpus.entity])
    assert evaluate(only, StyleRecommendation("button-style", "link"), seed=0) == Evaluation()
