"""Questions about an email that is not in the corpus."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from hnn_core.recommend.corpus import Corpus, EmailTables, Indices, Observed
from hnn_core.recommend.protocols import giveaways
from hnn_core.recommend.queries import Queries


def read_new_email(known: Corpus, tables: EmailTables) -> Observed:
    """The email's fragments over the known entities, and after them those that only this email has; known words."""
    email = Corpus.from_tables(tables)
    at = {entity: i for i, entity in enumerate(known.entity_ids)}
    new = [i for i, entity in enumerate(email.entity_ids) if entity not in at]
    at |= {email.entity_ids[i]: known.num_entities + n for n, i in enumerate(new)}
    column = np.array([at[entity] for entity in email.entity_ids], dtype=np.int64)
    order = np.lexsort((column[email.entity], email.fragment))
    word_at = {word: i for i, word in enumerate(known.word_ids)}
    said = [i for i, word in enumerate(email.word_ids) if word in word_at]
    spoken = sparse.csr_array(
        (np.ones(len(said)), (said, [word_at[email.word_ids[i]] for i in said])),
        shape=(len(email.word_ids), len(known.word_ids)),
    )
    return Observed.all_of(
        replace(
            email,
            entity_ids=np.concatenate([known.entity_ids, email.entity_ids[new]]),
            entity_types=np.concatenate([known.entity_types, email.entity_types[new]]),
            signatures=np.concatenate([known.signatures, email.signatures[new]]),
            attributes=known.attributes + tuple(email.attributes[i] for i in new),
            fragment=email.fragment[order],
            entity=column[email.entity][order],
            from_button=email.from_button[order],
            word_ids=known.word_ids,
            words=sparse.csr_array(email.words @ spoken),
        )
    )


def questions(email: Observed, target: str) -> Queries:
    """Ask about every fragment of the email, each as if its own style of the target were not there.

    What the *other* fragments show stays visible: a second button should go with the first.
    """
    corpus = email.corpus
    fragments: Indices = np.arange(corpus.num_fragments)
    hidden = corpus.is_target(target)[corpus.entity] | giveaways(email, target, fragments)
    shown = email.without(hidden)
    secret = sparse.csr_array(email.incidence - shown.incidence)
    return Queries(
        corpus=corpus,
        fragments=fragments,
        own=shown.incidence,
        email=_positive(email.email_incidence[corpus.email_of] - secret),
        neighbours=sparse.csr_array(corpus.neighbours @ email.incidence),
    )


def _positive(matrix: sparse.csr_array) -> sparse.csr_array:
    cleaned = sparse.csr_array(matrix)
    cleaned.eliminate_zeros()
    return cleaned
