"""What is visible, as a hypergraph: the paper's, or one with emails as hyperedges too."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hnn_core.hypergraph import Hypergraph
from hnn_core.recommend.corpus import Observed


def visible_hypergraph(observed: Observed, *, fragment_nodes: bool, emails: bool) -> Hypergraph:
    """Nodes: entities, then fragments. Hyperedges: fragments, then neighbours, then emails.

    With fragment nodes and without emails it is the paper's (section 5.1): a fragment is a hyperedge of its
    entities and its own node, and a hyperedge of two joins the nodes of neighbours.
    """
    corpus = observed.corpus
    own = observed.incidence.tocoo()
    nodes, hyperedges = [own.col], [own.row]
    num_nodes, num_hyperedges = corpus.num_entities, corpus.num_fragments
    if fragment_nodes:
        pairs, fragment = sparse.triu(corpus.neighbours).tocoo(), np.arange(corpus.num_fragments)
        neighbour = num_hyperedges + np.arange(pairs.nnz)
        nodes += [num_nodes + fragment, num_nodes + pairs.row, num_nodes + pairs.col]
        hyperedges += [fragment, neighbour, neighbour]
        num_nodes, num_hyperedges = num_nodes + corpus.num_fragments, num_hyperedges + pairs.nnz
    if emails:
        of_email = observed.email_incidence.tocoo()
        nodes.append(of_email.col)
        hyperedges.append(num_hyperedges + of_email.row)
        num_hyperedges += corpus.num_emails
    return Hypergraph.from_pairs(np.concatenate(nodes), np.concatenate(hyperedges), num_nodes, num_hyperedges)
