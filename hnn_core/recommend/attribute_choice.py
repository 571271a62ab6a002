"""What buttons of other senders say about an attribute: how common a value is, and what like emails have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.recommend.attribute_nodes import AttributeNodes
from hnn_core.recommend.corpus import Indices
from hnn_core.recommend.queries import Queries

Floats = NDArray[np.float64]

_SHARPNESS = {"email": 4.0, "fragment": 2.0}  # exponents of likeness
_LEAST = 0.02  # share of votes below which differences mean nothing


@dataclass(frozen=True)
class SenderShares:
    """How common a value is, each sender counting once: shares[value][sender] = n_sv / n_s."""

    shares: Mapping[str, Mapping[int, float]]

    @classmethod
    def of(cls, values: Sequence[str], senders: Indices) -> SenderShares:
        totals = np.bincount(senders) if len(senders) else np.zeros(0)
        shares: dict[str, dict[int, float]] = {}
        for value, sender in zip(values, senders.tolist(), strict=True):
            of_value = shares.setdefault(value, {})
            of_value[sender] = of_value.get(sender, 0.0) + 1 / float(totals[sender])
        return cls(shares)

    def log_share(self, values: Sequence[str], without: int | None = None) -> Floats:
        """log(0.1 + Σ_s share), over senders other than ``without``: a sender's own past is no prior for it."""
        return np.log(np.array([self._share(value, without) for value in values], dtype=np.float64) + 0.1)

    def common(self, count: int, without: int | None = None) -> list[str]:
        """The values most senders use, other than ``without``."""
        shares = {value: self._share(value, without) for value in self.shares}
        used = [value for value, share in shares.items() if share > 0]
        return sorted(used, key=lambda value: (-shares[value], value))[:count]

    def _share(self, value: str, without: int | None) -> float:
        return sum(share for sender, share in self.shares.get(value, {}).items() if sender != without)


@dataclass(frozen=True, eq=False)
class Votes:
    """Training buttons vote for their own attribute values, the more the liker they are to what is asked about.

    Likeness is the cosine of two hyperedges over attribute nodes: of the emails, or of the fragments. A sender with
    n buttons has √n votes.
    """

    nodes: tuple[str, ...]
    hyperedges: Mapping[str, sparse.csr_array]  # by scope, of each training button, of unit length
    senders: Indices
    values: Mapping[str, Sequence[str]]  # by attribute

    @classmethod
    def of(cls, queries: Queries, senders: Indices, values: Mapping[str, Sequence[str]]) -> Votes:
        """``queries`` ask about the training buttons' fragments, as if no email had a button."""
        nodes = AttributeNodes.of(queries.corpus)
        return cls(nodes.names, _hyperedges(queries, nodes), senders, values)

    def __call__(self, queries: Queries, as_if_new: bool = False) -> list[VotesOf]:
        """Of each query, by attribute and value: the log shares of the votes of like emails and of like fragments.

        ``as_if_new``: the queries are the training buttons themselves, and senders do not vote on their own.
        """
        asked = _hyperedges(queries, AttributeNodes.of(queries.corpus, self.nodes))
        answers: list[VotesOf] = [{attribute: {} for attribute in self.values} for _ in range(len(queries))]
        weight = 1 / np.sqrt(np.bincount(self.senders)[self.senders]) if len(self.senders) else np.zeros(0)
        own = self.senders[:, None] == self.senders[None, :] if as_if_new else None
        votes = {}
        for scope, rows in asked.items():
            votes[scope] = (rows @ self.hyperedges[scope].T).toarray() ** _SHARPNESS[scope] * weight
            if own is not None:
                votes[scope][own] = 0.0
        for attribute, of_button in self.values.items():
            distinct, value = np.unique(np.array(of_button, dtype=object), return_inverse=True)
            one_hot = sparse.csr_array(
                (np.ones(len(value)), (np.arange(len(value)), value)), shape=(len(value), len(distinct))
            )
            shares = np.stack([log_shares(votes[scope] @ one_hot) for scope in SCOPES], axis=-1)
            for row, answer in enumerate(answers):
                answer[attribute] = dict(zip(distinct.tolist(), shares[row], strict=True))
        return answers


SCOPES = ("email", "fragment")

VotesOf = dict[str, dict[str, Floats]]
"""By attribute and value, one number for each of ``SCOPES``."""


def votes_for(votes: Mapping[str, Floats], value: str) -> Floats:
    """The votes for a value; one nobody has ever chosen is as unlikely as the rarest known one."""
    if value in votes:
        return votes[value]
    return np.min(list(votes.values()), axis=0) if votes else np.zeros(len(SCOPES))


def _hyperedges(queries: Queries, nodes: AttributeNodes) -> dict[str, sparse.csr_array]:
    """Each query's email and fragment over attribute nodes, log counts, of unit length."""
    hyperedges = {}
    for scope, matrix in (("email", queries.email), ("fragment", queries.own)):
        rows = sparse.csr_array((matrix @ nodes.of_entity).log1p())
        norms = np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
        hyperedges[scope] = sparse.csr_array(sparse.diags_array(1 / np.where(norms > 0, norms, 1)) @ rows)
    return hyperedges


def log_shares(sums: Floats) -> Floats:
    """log of each row's shares, the smallest raised to where differences begin to mean something."""
    return np.asarray(np.log(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-12) + _LEAST), np.float64)
