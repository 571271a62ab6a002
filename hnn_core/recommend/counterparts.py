"""Fragments that play the same part in a like email: the footer of last week's campaign, the reset of a password.

Style entities alone cannot tell two emails of one template apart, of which one says "welcome" over a green button and
the other "reset your password" over a blue one. Their words can, and so can the place of a fragment in its email.

Only what no protocol hides for the target is compared, on both sides. A button's own text style and colour pair are
left out of training fragments too: a fragment that asks for its button has none, and would seem unlike all that do.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.recommend.corpus import Corpus, Observed
from hnn_core.recommend.nearest import largest, unit_rows
from hnn_core.recommend.protocols import giving_away
from hnn_core.recommend.queries import Queries, Scores

_STYLES, _STYLES_OF_EMAIL, _WORDS, _WORDS_OF_EMAIL, _PLACE = 0.3, 0.2, 0.2, 0.2, 0.1
_NEAREST = 30
_SHARPNESS = 4.0
_REACH = 0.25  # of an email's length: how far apart two fragments play the same part still


@dataclass(frozen=True, eq=False)
class _Shown:
    """Fragments and emails as unit vectors, rarer styles and words counting more."""

    styles: sparse.csr_array
    styles_of_email: sparse.csr_array
    words: sparse.csr_array
    words_of_email: sparse.csr_array
    place: NDArray[np.float64]  # of each fragment in its email: 0 the first, 1 the last


class Counterparts:
    """Votes of the training fragments most alike in styles, words and place, of their emails too."""

    def __init__(self, training: Observed, target: str) -> None:
        corpus = training.corpus
        links = sparse.csr_array(training.incidence[:, training.catalogue(target)])
        self._fragments = np.flatnonzero(np.diff(links.indptr))
        self._links = sparse.csr_array(links[self._fragments])
        self._training, self._target = corpus, target
        self._style_weights = _rarity(never_hidden(corpus, target))
        self._word_weights = _rarity(corpus.words)
        self._email_word_weights = _rarity(corpus.membership @ corpus.words)
        self._known: WeakKeyDictionary[Corpus, _Shown] = WeakKeyDictionary()

    def __call__(self, queries: Queries) -> Scores:
        """Queries × catalogue."""
        parts = [largest(self._similarity(b), _NEAREST) ** _SHARPNESS @ self._links for b in queries.batches()]
        return np.concatenate(parts) if parts else np.empty((0, self._links.shape[1]))

    def _similarity(self, queries: Queries) -> Scores:
        """Queries × training fragments; a fragment is not its own counterpart."""
        asked, known = self._shown(queries.corpus), self._shown(self._training)
        rows, columns = queries.fragments, self._fragments
        emails, row = np.unique(queries.corpus.email_of[rows], return_inverse=True)
        of_email = _STYLES_OF_EMAIL * (asked.styles_of_email[emails] @ known.styles_of_email.T).toarray()
        of_email += _WORDS_OF_EMAIL * (asked.words_of_email[emails] @ known.words_of_email.T).toarray()
        similarity: Scores = of_email[np.ix_(row, self._training.email_of[columns])]
        similarity += _STYLES * (asked.styles[rows] @ known.styles[columns].T).toarray()
        similarity += _WORDS * (asked.words[rows] @ known.words[columns].T).toarray()
        similarity += _PLACE * np.exp(-np.abs(asked.place[rows, None] - known.place[None, columns]) / _REACH)
        if queries.corpus is self._training:
            similarity[rows[:, None] == columns[None, :]] = 0.0
        return similarity

    def _shown(self, corpus: Corpus) -> _Shown:
        if corpus not in self._known:
            styles = sparse.csr_array(never_hidden(corpus, self._target)[:, : self._training.num_entities])
            weights, emails = self._style_weights, corpus.membership
            self._known[corpus] = _Shown(
                styles=unit_rows(styles @ weights),
                styles_of_email=unit_rows(np.sqrt(sparse.csr_array(emails @ styles)) @ weights),
                words=unit_rows(corpus.words @ self._word_weights),
                words_of_email=unit_rows(np.sqrt(sparse.csr_array(emails @ corpus.words)) @ self._email_word_weights),
                place=_places(corpus),
            )
        return self._known[corpus]


def never_hidden(corpus: Corpus, target: str) -> sparse.csr_array:
    """Fragments × entities without styles of the target and all that would give one away."""
    plain = ~(corpus.is_target(target)[corpus.entity] | giving_away(corpus, target))
    return Observed(corpus, plain).incidence


def _rarity(rows: sparse.csr_array) -> sparse.dia_array:
    counts = np.bincount(sparse.csr_array(rows).indices, minlength=rows.shape[1])
    return sparse.diags_array(np.log1p(rows.shape[0] / np.maximum(counts, 1)))


def _places(corpus: Corpus) -> NDArray[np.float64]:
    """Fragments of an email stand in reading order, see :class:`Corpus`."""
    sizes = np.bincount(corpus.email_of, minlength=corpus.num_emails)
    order = np.argsort(corpus.email_of, kind="stable")
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.empty(corpus.num_fragments)
    places[order] = (np.arange(corpus.num_fragments) - first) / np.maximum(np.repeat(sizes, sizes) - 1, 1)
    return places
